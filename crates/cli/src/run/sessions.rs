//! Which session file the command line means.

use std::path::{Path, PathBuf};

use tau_agent::settings::{Environment, Settings};
use tau_session::{NewSession, Session, SessionError, list_sessions, session_dir_for};

use crate::args::Args;

/// Why there is no session to work with.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionChoiceError {
    /// No session matches the text given with `--session`.
    #[error("No session found matching '{0}'")]
    NoMatch(String),
    /// Several do.
    #[error("Several sessions match '{text}': {}. Give more of the id.", ids.join(", "))]
    Ambiguous { text: String, ids: Vec<String> },
    /// The file cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// The folder for session files: the flag, the environment, the setting, what an extension wants, the default.
pub(super) fn directory(args: &Args, env: &Environment, settings: &Settings, wanted: Option<PathBuf>) -> PathBuf {
    let flag = args.session_dir.as_ref().map(|dir| env.resolve(&dir.to_string_lossy(), &env.cwd));
    flag.or_else(|| env.var("PI_CODING_AGENT_SESSION_DIR").map(|dir| env.resolve(dir, &env.cwd)))
        .or_else(|| settings.session_dir())
        .or(wanted)
        .unwrap_or_else(|| session_dir_for(&env.agent_dir(), &env.cwd))
}

/// Whether an extension may choose the folder.
pub(super) fn asks_extensions(args: &Args) -> bool {
    args.session_dir.is_none() && !args.no_session
}

/// Opens or begins the session.
pub(super) fn open(args: &Args, env: &Environment, dir: &Path) -> Result<Session, SessionChoiceError> {
    if args.no_session {
        return Ok(Session::in_memory(&env.cwd, NewSession::default())?);
    }
    if let Some(text) = &args.session {
        let path = find(text, env, dir)?;
        return Ok(match path.exists() {
            true => Session::open(&path)?,
            false => Session::create(dir, &env.cwd, NewSession { file: Some(path), ..NewSession::default() })?,
        });
    }
    if args.continue_session {
        return Ok(Session::continue_recent(dir, &env.cwd)?);
    }
    Ok(Session::create(dir, &env.cwd, NewSession::default())?)
}

/// A path, also one where no file is yet, or the beginning of the id of a session of this directory.
fn find(text: &str, env: &Environment, dir: &Path) -> Result<PathBuf, SessionChoiceError> {
    let path = env.resolve(text, &env.cwd);
    if text.contains(['/', '\\']) || text.ends_with(".jsonl") || path.is_file() {
        return Ok(path);
    }
    let all = list_sessions(dir)?;
    if let Some(exact) = all.iter().find(|session| session.id == text) {
        return Ok(exact.path.clone());
    }
    let matches: Vec<_> = all.into_iter().filter(|session| session.id.starts_with(text)).collect();
    match &matches[..] {
        [] => Err(SessionChoiceError::NoMatch(text.to_owned())),
        [one] => Ok(one.path.clone()),
        several => {
            let ids = several.iter().map(|session| session.id.clone()).collect();
            Err(SessionChoiceError::Ambiguous { text: text.to_owned(), ids })
        }
    }
}
