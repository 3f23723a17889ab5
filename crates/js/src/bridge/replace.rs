//! Replacing the session and moving in its tree: what commands ask for through `ctx`.

use std::path::Path;
use std::sync::Arc;

use rquickjs::{Ctx, IntoJs, Value};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use tau_hooks::payload::ForkPosition;
use tau_hooks::{ActionError, Ctx as HookCtx, NewSessionRequest, Replaced, SessionSetup, TreeMove};
use tau_session::Session;

use super::callback::{making, reading};
use super::extract::Caller;
use super::{Bridge, Callback, refused};
use crate::ops::table::ops;
use crate::ops::{OpError, session_handle};

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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fork {
    entry_id: String,
    position: Option<ForkPosition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigate {
    target_id: String,
    #[serde(default)]
    summarize: Option<bool>,
    custom_instructions: Option<String>,
    #[serde(default)]
    replace_instructions: Option<bool>,
    label: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct New {
    parent_session: Option<String>,
    /// The number of the function that fills the session.
    setup: Option<u32>,
}

fn parse<T: DeserializeOwned>(name: &str, args: Json) -> Result<T, ActionError> {
    serde_json::from_value(args).map_err(|error| ActionError::Refused(format!("ctx.{name}: {error}")))
}

/// A function of an extension that fills a new session.
pub(super) fn setup_of(bridge: &Bridge, extension: u32, args: &Json) -> Option<Arc<Callback>> {
    let number = args["setup"].as_u64().and_then(|number| u32::try_from(number).ok())?;
    Some(bridge.callback(extension, number, None))
}

fn setup(fill: Arc<Callback>) -> SessionSetup {
    Box::new(move |session: Arc<Session>| {
        Box::pin(async move {
            let args = making(move |js, core, _| {
                let dir = session.file().and_then(Path::parent).map(|dir| dir.to_string_lossy().into_owned());
                let cwd = session.cwd().to_string_lossy().into_owned();
                let rid = core.host().resources().add(session_handle(Arc::clone(&session)));
                Ok(vec![rid.into_js(js)?, cwd.into_js(js)?, dir.unwrap_or_default().into_js(js)?])
            });
            fill.call(args, reading(|_, _, _, _| Ok(()))).await
        })
    })
}

fn replaced(done: Replaced) -> Json {
    let mut answer = json!({"cancelled": done.cancelled});
    if let Some(text) = done.text {
        answer["selectedText"] = text.into();
    }
    answer
}

/// Does what `name` says; `None` when it is nothing of this.
pub(super) async fn act(
    ctx: &HookCtx,
    name: &str,
    args: Json,
    fill: Option<Arc<Callback>>,
) -> Option<Result<Json, ActionError>> {
    let done = match name {
        "newSession" => new_session(ctx, args, fill).await,
        "fork" => fork(ctx, args).await,
        "switchSession" => {
            let path = args["path"].as_str().unwrap_or_default().to_owned();
            ctx.switch_session(path.as_ref()).await.map(replaced)
        }
        "navigateTree" => navigate(ctx, args).await,
        _ => return None,
    };
    Some(done)
}

async fn new_session(ctx: &HookCtx, args: Json, fill: Option<Arc<Callback>>) -> Result<Json, ActionError> {
    let New { parent_session, .. } = parse("newSession", args)?;
    let request = NewSessionRequest { parent_session, setup: fill.map(setup) };
    ctx.new_session(request).await.map(replaced)
}

async fn fork(ctx: &HookCtx, args: Json) -> Result<Json, ActionError> {
    let Fork { entry_id, position } = parse("fork", args)?;
    ctx.fork(&entry_id, position.unwrap_or(ForkPosition::Before)).await.map(replaced)
}

async fn navigate(ctx: &HookCtx, args: Json) -> Result<Json, ActionError> {
    let asked: Navigate = parse("navigateTree", args)?;
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

fn session_open<'js>(js: Ctx<'js>, Caller { bridge, extension, .. }: Caller) -> rquickjs::Result<Value<'js>> {
    let session = extension.api.host().map_err(|error| refused(&js, &error))?.session();
    let dir = session.file().and_then(Path::parent).map(|dir| dir.to_string_lossy().into_owned());
    let cwd = session.cwd().to_string_lossy().into_owned();
    let rid = bridge.core(&js)?.host().resources().add(session_handle(session));
    let list = rquickjs::Array::new(js.clone())?;
    list.set(0, rid)?;
    list.set(1, cwd)?;
    list.set(2, dir.unwrap_or_default())?;
    Ok(list.into_value())
}

fn session_written<'js>(js: Ctx<'js>, Caller { extension, .. }: Caller) -> rquickjs::Result<()> {
    extension.api.host().map_err(|error| refused(&js, &error))?.session_written();
    Ok(())
}
