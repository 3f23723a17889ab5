//! How sessions come into JavaScript's hands: new ones, files, lists.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::{Ctx, Value};
use serde::Deserialize;
use serde_json::json;
use tau_session::{NewSession, Session, SessionInfo, list_sessions, most_recent, session_dir_for};

use super::session::{SessionHandle, failed};
use crate::engine::Charge;
use crate::ops::{Json, OpError, OpHost, Ops, charge};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Fresh {
    id: Option<String>,
    parent_session: Option<String>,
    file: Option<String>,
}

fn fresh(host: &OpHost, options: Json) -> NewSession {
    let Fresh { id, parent_session, file } = serde_json::from_value(options.0).unwrap_or_default();
    NewSession { id, parent_session, file: file.map(|file| host.resolve(&file)), sources: host.sources() }
}

type Opened = Result<Session, tau_session::SessionError>;

/// Keeps a session of which `counted` is in memory.
fn keep_counted(ctx: &Ctx<'_>, host: &OpHost, session: Opened, counted: Option<Charge>) -> rquickjs::Result<u32> {
    let session = session.map_err(|error| failed(ctx, &error))?;
    Ok(host.resources().add(Rc::new(SessionHandle::new(Arc::new(session), counted))))
}

fn keep(ctx: &Ctx<'_>, host: &OpHost, session: Opened) -> rquickjs::Result<u32> {
    keep_counted(ctx, host, session, None)
}

/// Counts a file that is read as a whole.
fn whole(ctx: &Ctx<'_>, host: &OpHost, path: &Path) -> rquickjs::Result<Option<Charge>> {
    let bytes = path.metadata().map_or(0, |found| usize::try_from(found.len()).unwrap_or(usize::MAX));
    charge(host.memory(), bytes, "the session file").map(Some).map_err(|error| error.throw(ctx))
}

fn info(session: &SessionInfo) -> serde_json::Value {
    json!({
        "path": session.path.to_string_lossy(),
        "id": session.id,
        "cwd": session.cwd,
        "name": session.name,
        "parentSessionPath": session.parent_session,
        "created": session.created_ms,
        "modified": session.modified_ms,
        "messageCount": session.message_count,
        "firstMessage": session.first_message,
    })
}

pub(super) fn install<'js>(ops: &Ops<'js>) -> rquickjs::Result<()> {
    ops.function("piSessionDir", |agent_dir: String, cwd: String| {
        session_dir_for(Path::new(&agent_dir), Path::new(&cwd)).to_string_lossy().into_owned()
    })?;
    let host = ops.host();
    ops.function("piSessionCreate", move |ctx: Ctx<'js>, cwd: String, dir: String, options: Json| {
        keep(&ctx, &host, Session::create(&host.resolve(&dir), &host.resolve(&cwd), fresh(&host, options)))
    })?;
    let host = ops.host();
    ops.function("piSessionInMemory", move |ctx: Ctx<'js>, cwd: String, options: Json| {
        keep(&ctx, &host, Session::in_memory(&host.resolve(&cwd), fresh(&host, options)))
    })?;
    let host = ops.host();
    ops.function("piSessionOpen", move |ctx: Ctx<'js>, path: String| {
        let path = host.resolve(&path);
        let counted = whole(&ctx, &host, &path)?;
        keep_counted(&ctx, &host, Session::open(&path), counted)
    })?;
    let host = ops.host();
    ops.function(
        "piSessionForkFrom",
        move |ctx: Ctx<'js>, source: String, dir: String, cwd: String, options: Json| {
            let (source, dir, cwd) = (host.resolve(&source), host.resolve(&dir), host.resolve(&cwd));
            let counted = whole(&ctx, &host, &source)?;
            keep_counted(&ctx, &host, Session::fork_from(&source, &dir, &cwd, fresh(&host, options)), counted)
        },
    )?;
    let host = ops.host();
    ops.function("piSessionForkAt", move |ctx: Ctx<'js>, rid: u32, entry: String, dir: String| {
        let session = host.resources().get::<SessionHandle>(rid).map_err(|error| error.throw(&ctx))?;
        keep(&ctx, &host, session.0.fork_at(&entry, &host.resolve(&dir), NewSession::default()))
    })?;
    let host = ops.host();
    ops.function("piSessionRecent", move |dir: String, cwd: String| {
        most_recent(&host.resolve(&dir), &host.resolve(&cwd)).map(|path| path.to_string_lossy().into_owned())
    })?;
    let host = ops.host();
    ops.function("piSessionList", move |ctx: Ctx<'js>, dir: String| -> rquickjs::Result<Value<'js>> {
        let dir = host.resolve(&dir);
        host.spawn(&ctx, async move {
            let listed = tokio::task::spawn_blocking(move || list_sessions(&dir)).await;
            let listed = listed.map_err(|error| OpError::message(error.to_string()))?;
            let listed = listed.map_err(|error| OpError::message(error.to_string()))?;
            Ok(Json(listed.iter().map(info).collect()))
        })
    })
}
