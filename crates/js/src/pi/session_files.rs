//! How sessions come into JavaScript's hands: new ones, files, lists.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::Ctx;
use serde::Deserialize;
use serde_json::json;
use tau_session::{NewSession, Session, SessionInfo, list_sessions, most_recent, session_dir_for};

use super::session::{SessionHandle, failed};
use crate::engine::Charge;
use crate::ops::table::{Host, Promised, ops};
use crate::ops::{Json, OpError, OpHost, charge};

ops! {
    /// How sessions come into JavaScript's hands.
    pub(crate) static OPS: watched;

    /// The folder for the sessions of a directory.
    fn piSessionDir(agentDir, cwd) = pi_session_dir, Recorded;
    /// A new session with a file.
    fn piSessionCreate(cwd, dir, options: "NewSessionOptions") = pi_session_create, Refused;
    /// A new session without a file.
    fn piSessionInMemory(cwd, options: "NewSessionOptions") = pi_session_in_memory, Pure;
    /// A session from its file.
    fn piSessionOpen(path) = pi_session_open, Recorded;
    /// A new session that begins as another one.
    fn piSessionForkFrom(source, dir, cwd, options: "NewSessionOptions") = pi_session_fork_from, Refused;
    /// A new session that begins as another one up to an entry.
    fn piSessionForkAt(rid, entry, dir) = pi_session_fork_at, Refused;
    /// The file of the most recent session.
    fn piSessionRecent(dir, cwd) = pi_session_recent, Recorded;
    /// The sessions of a folder.
    fn piSessionList(dir) -> "ListedSession[]" = pi_session_list, Recorded;
}

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

fn pi_session_dir(agent_dir: String, cwd: String) -> String {
    session_dir_for(Path::new(&agent_dir), Path::new(&cwd)).to_string_lossy().into_owned()
}

fn pi_session_create<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    cwd: String,
    dir: String,
    options: Json,
) -> rquickjs::Result<u32> {
    keep(&ctx, &host, Session::create(&host.resolve(&dir), &host.resolve(&cwd), fresh(&host, options)))
}

fn pi_session_in_memory<'js>(ctx: Ctx<'js>, Host(host): Host, cwd: String, options: Json) -> rquickjs::Result<u32> {
    keep(&ctx, &host, Session::in_memory(&host.resolve(&cwd), fresh(&host, options)))
}

fn pi_session_open<'js>(ctx: Ctx<'js>, Host(host): Host, path: String) -> rquickjs::Result<u32> {
    let path = host.resolve(&path);
    let counted = whole(&ctx, &host, &path)?;
    keep_counted(&ctx, &host, Session::open(&path), counted)
}

fn pi_session_fork_from<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    source: String,
    dir: String,
    cwd: String,
    options: Json,
) -> rquickjs::Result<u32> {
    let (source, dir, cwd) = (host.resolve(&source), host.resolve(&dir), host.resolve(&cwd));
    let counted = whole(&ctx, &host, &source)?;
    keep_counted(&ctx, &host, Session::fork_from(&source, &dir, &cwd, fresh(&host, options)), counted)
}

fn pi_session_fork_at<'js>(
    ctx: Ctx<'js>,
    Host(host): Host,
    rid: u32,
    entry: String,
    dir: String,
) -> rquickjs::Result<u32> {
    let session = host.resources().get::<SessionHandle>(rid).map_err(|error| error.throw(&ctx))?;
    keep(&ctx, &host, session.0.fork_at(&entry, &host.resolve(&dir), NewSession::default()))
}

fn pi_session_recent(Host(host): Host, dir: String, cwd: String) -> Option<String> {
    most_recent(&host.resolve(&dir), &host.resolve(&cwd)).map(|path| path.to_string_lossy().into_owned())
}

fn pi_session_list<'js>(ctx: Ctx<'js>, Host(host): Host, dir: String) -> rquickjs::Result<Promised<'js, Json>> {
    let dir = host.resolve(&dir);
    host.spawn(&ctx, async move {
        let listed = tokio::task::spawn_blocking(move || list_sessions(&dir)).await;
        let listed = listed.map_err(|error| OpError::message(error.to_string()))?;
        let listed = listed.map_err(|error| OpError::message(error.to_string()))?;
        Ok(Json(listed.iter().map(info).collect()))
    })
}
