//! Going on in a new session, or in one that was there before.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tau_hooks::events::SessionBeforeSwitch;
use tau_hooks::payload::{SessionBeforeSwitchEvent, SessionStartReason, SwitchReason};
use tau_hooks::{NewSessionRequest, Replaced};
use tau_session::{NewSession, Session, SessionError, SessionIndex, SessionList, session_dirs};

use super::replace::{Next, ReplaceError};
use super::{AgentSession, MissingFolder};
use crate::parts::{Live, Parts};
use crate::session::replace::replace;
use crate::settings::Environment;

/// Names the folder of the user's files.
const AGENT_DIR: &str = "PI_CODING_AGENT_DIR";

impl AgentSession {
    /// Goes on in a new session. A run that is under way is stopped.
    ///
    /// # Errors
    /// When the session cannot be made or replaced; then nothing has changed, unless only the setup failed.
    pub async fn new_session(self: &Arc<Self>, request: NewSessionRequest) -> Result<Replaced, ReplaceError> {
        let live = self.live();
        let _changing = self.parts.lifecycle.changing.lock().await;
        if switch_is_cancelled(&live, SwitchReason::New, None).await {
            return Ok(Replaced::cancelled());
        }
        let NewSessionRequest { parent_session, setup } = request;
        let session = fresh(&self.parts, parent_session)?;
        replace(&live, Next { setup, ..Next::new(session, SessionStartReason::New) }).await?;
        Ok(Replaced::default())
    }

    /// Goes on with the session in a file, in its directory. A run that is under way is stopped.
    ///
    /// # Errors
    /// When the file is no session, or its directory is gone; then nothing has changed.
    pub async fn switch_session(self: &Arc<Self>, path: &Path) -> Result<Replaced, ReplaceError> {
        let live = self.live();
        let _changing = self.parts.lifecycle.changing.lock().await;
        let path = self.parts.conversation.env().resolve(&path.to_string_lossy(), &self.parts.conversation.cwd());
        if switch_is_cancelled(&live, SwitchReason::Resume, Some(&path)).await {
            return Ok(Replaced::cancelled());
        }
        let open = path.clone();
        let session = match tokio::task::spawn_blocking(move || Session::open(&open)).await {
            Ok(session) => session?,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        };
        let env = env_at(&self.parts, session.cwd(), session.file())?;
        replace(&live, Next { env, ..Next::new(session, SessionStartReason::Resume) }).await?;
        Ok(Replaced::default())
    }

    /// Where the file of the session is; `None` for a session in memory.
    pub fn session_dir(&self) -> Option<PathBuf> {
        session_dir(&self.parts)
    }

    /// The sessions beside this one, or of all projects, those first that were written last. Reading them takes time, so
    /// do it where nobody waits, and save the index afterwards: it spares the next list the reading.
    ///
    /// # Errors
    /// When a folder of sessions cannot be read.
    pub fn sessions(&self, all_projects: bool) -> Result<(SessionList, Arc<SessionIndex>), SessionError> {
        let env = self.parts.conversation.env();
        let mut dirs: Vec<PathBuf> = session_dir(&self.parts).into_iter().collect();
        if all_projects {
            dirs.extend(session_dirs(&env.agent_dir()));
            dirs.sort();
            dirs.dedup();
        }
        let index = Arc::new(SessionIndex::load(&env.session_index()));
        Ok((SessionList::new(&dirs, Arc::clone(&index))?, index))
    }
}

/// Where the file of the session is; `None` for a session in memory.
pub(super) fn session_dir(parts: &Parts) -> Option<PathBuf> {
    parts.conversation.session().file().and_then(Path::parent).map(Path::to_owned)
}

pub(super) async fn switch_is_cancelled(live: &Live, reason: SwitchReason, target: Option<&Path>) -> bool {
    let target_session_file = target.map(|target| target.display().to_string());
    let event = || SessionBeforeSwitchEvent { reason, target_session_file };
    let done = live.hooks.dispatcher.dispatch::<SessionBeforeSwitch>(&live.scope(), event).await;
    done.into_output().is_some_and(|output| output.cancel == Some(true))
}

/// An empty session beside the one that is open: in memory if that one is.
pub(super) fn fresh(parts: &Parts, parent_session: Option<String>) -> Result<Session, SessionError> {
    let new = NewSession { parent_session, sources: parts.services.sources.clone(), ..NewSession::default() };
    match session_dir(parts) {
        Some(dir) => Session::create(&dir, &parts.conversation.cwd(), new),
        None => Session::in_memory(&parts.conversation.cwd(), new),
    }
}

/// The environment of a session in a directory, if it is another than this one; `file` is the session's.
pub(super) fn env_at(parts: &Parts, there: &Path, file: Option<&Path>) -> Result<Option<Environment>, ReplaceError> {
    let here = parts.conversation.env();
    let same = || matches!((here.cwd.canonicalize(), there.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if there.as_os_str().is_empty() || there == here.cwd || same() {
        return Ok(None);
    }
    // Whether it is trusted elsewhere, and under which settings, was decided when it was opened.
    if parts.family.is_child() {
        return Err(ReplaceError::StaysInFolder);
    }
    if !there.is_dir() {
        let (folder, file) = (there.to_owned(), file.map(Path::to_owned));
        return Err(ReplaceError::NoDirectory(MissingFolder { folder, file, here: here.cwd.clone() }));
    }
    let mut env = Environment { cwd: there.to_owned(), ..Environment::clone(&here) };
    // A relative one would be another folder from there.
    if here.var(AGENT_DIR).is_some() {
        env.vars.insert(AGENT_DIR.to_owned(), here.agent_dir().display().to_string());
    }
    Ok(Some(env))
}
