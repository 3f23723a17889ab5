//! Replacing the session and moving in its tree: what commands ask for through `ctx`.

use std::sync::Arc;

use rquickjs::{Ctx, IntoJs};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use tau_hooks::{ActionError, Ctx as HookCtx, NewSessionRequest, Replaced, SessionSetup, TreeMove};
use tau_session::Session;

use super::callback::{making, reading};
use super::extract::Caller;
use super::{Callback, refused};
use crate::ops::OpError;
use crate::ops::table::{Unread, ops, record};
use crate::pi::Numbered;

ops! {
    /// Replacing the session and moving in its tree.
    pub(crate) static OPS: always;

    /// The number of the `pi` that an extension has now.
    fn extSuccessor(id) = ext_successor, Pure;
    /// The session that is open, for those who write to it: its number, its working directory, its folder.
    fn sessionOpen(id) = session_open, Recorded;
    /// Says that an extension wrote to the session by itself.
    fn sessionWritten(id) = session_written, Refused;
}

record! {
    /// What `ctx.fork` is given.
    pub(super) struct Fork {
        pub(super) entry_id: String,
        /// A [`ForkPosition`](tau_hooks::payload::ForkPosition), if it is one.
        #[serde(default)]
        pub(super) position: serde_json::Value,
    }

    /// What `ctx.navigateTree` is given.
    pub(super) struct Navigate {
        target_id: String,
        #[serde(default)]
        summarize: Option<bool>,
        custom_instructions: Option<String>,
        #[serde(default)]
        replace_instructions: Option<bool>,
        label: Option<String>,
    }

    /// What `ctx.newSession` is given.
    pub(super) struct New {
        parent_session: Option<String>,
        /// The number of the function that fills the session.
        pub(super) setup: Option<u32>,
    }

    /// What `ctx.compact` is given.
    pub(super) struct Compact {
        pub(super) custom_instructions: Option<String>,
    }
}

/// What a method of `ctx` is given.
pub(super) fn parse<T: DeserializeOwned>(name: &str, args: Unread<T>) -> Result<T, ActionError> {
    args.read().map_err(|error| ActionError::Refused(format!("ctx.{name}: {error}")))
}

/// A part of what a method of `ctx` is given.
pub(super) fn read<T: DeserializeOwned>(name: &str, part: Json) -> Result<T, ActionError> {
    serde_json::from_value(part).map_err(|error| ActionError::Refused(format!("ctx.{name}: {error}")))
}

fn setup(fill: Arc<Callback>) -> SessionSetup {
    Box::new(move |session: Arc<Session>| {
        Box::pin(async move {
            let args = making(move |js, core, _| {
                let Numbered(rid, cwd, dir, _) = Numbered::add(core.host().resources(), session);
                Ok(vec![rid.into_js(js)?, cwd.into_js(js)?, dir.into_js(js)?])
            });
            fill.call(args, reading(|_, _, _, _| Ok(()))).await
        })
    })
}

pub(super) fn replaced(done: Replaced) -> Json {
    let mut answer = json!({"cancelled": done.cancelled});
    if let Some(text) = done.text {
        answer["selectedText"] = text.into();
    }
    answer
}

pub(super) async fn new_session(
    ctx: &HookCtx,
    New { parent_session, .. }: New,
    fill: Option<Arc<Callback>>,
) -> Result<Json, ActionError> {
    let request = NewSessionRequest { parent_session, setup: fill.map(setup) };
    ctx.new_session(request).await.map(replaced)
}

pub(super) async fn navigate(ctx: &HookCtx, asked: Navigate) -> Result<Json, ActionError> {
    let how = TreeMove {
        summarize: asked.summarize == Some(true),
        custom_instructions: asked.custom_instructions,
        replace_instructions: asked.replace_instructions == Some(true),
        label: asked.label,
    };
    let done = ctx.navigate_tree(&asked.target_id, how).await?;
    let mut answer = json!({"cancelled": done.cancelled});
    if done.aborted {
        answer["aborted"] = true.into();
    }
    if let Some(text) = done.editor_text {
        answer["editorText"] = text.into();
    }
    if let Some(entry) = done.summary_entry {
        answer["summaryEntry"] = entry;
    }
    Ok(answer)
}

fn ext_successor<'js>(js: Ctx<'js>, Caller { bridge, extension, .. }: Caller) -> rquickjs::Result<u32> {
    let gone = || OpError::message("the extension is not loaded in the new session").throw(&js);
    bridge.successor(&extension).ok_or_else(gone)
}

fn session_open<'js>(js: Ctx<'js>, Caller { bridge, extension, .. }: Caller) -> rquickjs::Result<Numbered> {
    let session = extension.api.host().map_err(|error| refused(&js, &error))?.session();
    Ok(Numbered::add(bridge.core(&js)?.host().resources(), session))
}

fn session_written<'js>(js: Ctx<'js>, Caller { extension, .. }: Caller) -> rquickjs::Result<()> {
    extension.api.host().map_err(|error| refused(&js, &error))?.session_written();
    Ok(())
}
