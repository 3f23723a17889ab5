//! Sessions and their entries.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;
use tau_agent::AgentSession;
use tau_hooks::NewSessionRequest;
use tau_hooks::payload::ForkPosition;
use tau_rpc::{
    Cancellable, Done, Entries, ExportHtml, Exported, Failure, Fork, ForkPoint, ForkPoints, Forked, GetEntries,
    NewSession, SwitchSession, Tree,
};
use tau_session::Session;

pub(in crate::rpc) async fn new(session: &Arc<AgentSession>, new: NewSession) -> Result<Cancellable, Failure> {
    let request = NewSessionRequest { parent_session: new.parent_session, ..NewSessionRequest::default() };
    let cancelled = session.new_session(request).await?.cancelled;
    Ok(Cancellable { cancelled })
}

pub(in crate::rpc) async fn switch(session: &Arc<AgentSession>, switch: SwitchSession) -> Result<Cancellable, Failure> {
    let cancelled = session.switch_session(Path::new(&switch.session_path)).await?.cancelled;
    Ok(Cancellable { cancelled })
}

pub(in crate::rpc) async fn fork(session: &Arc<AgentSession>, fork: Fork) -> Result<Forked, Failure> {
    let done = session.fork(&fork.entry_id, ForkPosition::Before).await?;
    Ok(Forked { text: done.text, cancelled: done.cancelled })
}

pub(in crate::rpc) fn fork_points(session: &AgentSession) -> ForkPoints {
    let point = |(entry_id, text)| ForkPoint { entry_id, text };
    ForkPoints { messages: session.fork_points().into_iter().map(point).collect() }
}

pub(in crate::rpc) fn entries(session: &AgentSession, asked: GetEntries) -> Result<Entries, Failure> {
    let tree = session.session();
    let all = tree.entries();
    let behind = match &asked.since {
        None => 0,
        Some(id) => {
            let at = all.iter().position(|entry| entry.id().as_str() == id);
            at.ok_or_else(|| Failure(format!("Entry not found: {id}")))? + 1
        }
    };
    let lines = all.iter().skip(behind).map(|entry| RawValue::from_string(entry.shown()?.into_owned()));
    Ok(Entries { entries: lines.collect::<Result<_, _>>()?, leaf_id: leaf(&tree) })
}

pub(in crate::rpc) fn tree(session: &AgentSession) -> Result<Tree, Failure> {
    let tree = session.session();
    Ok(Tree { tree: RawValue::from_string(tree.tree().to_json()?)?, leaf_id: leaf(&tree) })
}

fn leaf(session: &Session) -> Option<String> {
    session.leaf().map(|leaf| leaf.to_string())
}

pub(in crate::rpc) fn rename(session: &Arc<AgentSession>, name: &str) -> Result<Done, Failure> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Failure("Session name cannot be empty".to_owned()));
    }
    session.rename(name)?;
    Ok(Done)
}

pub(in crate::rpc) async fn export(session: &Arc<AgentSession>, export: ExportHtml) -> Result<Exported, Failure> {
    let session = Arc::clone(session);
    let path = export.output_path.map(PathBuf::from);
    let path = tokio::task::spawn_blocking(move || session.export(path)).await??;
    Ok(Exported { path: path.display().to_string() })
}
