//! Which session file the command line means.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tau_agent::settings::{Environment, Settings};
use tau_agent::{FindSessionError, FoundSession, MissingFolder, find_session};
use tau_session::{
    NewSession, Session, SessionError, SessionIndex, SessionList, find_sessions, session_dir_for, session_dirs,
};

use super::{diagnostics, pick};
use crate::args::Args;

/// Why there is no session to work with.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionChoiceError {
    /// The text given with `--session` or `--fork` means no session.
    #[error(transparent)]
    Find(#[from] FindSessionError),
    /// The session belongs to another project.
    #[error("Session found in different project: {}. Use --fork {text} to go on in a copy of it here.", cwd.display())]
    Elsewhere { text: String, cwd: PathBuf },
    /// Flags that exclude each other.
    #[error("{flag} cannot be combined with {}", others.join(", "))]
    Conflict { flag: &'static str, others: Vec<&'static str> },
    /// The id that a fork should get is taken.
    #[error("Session already exists with id '{0}'")]
    Taken(String),
    /// Its directory is gone.
    #[error(transparent)]
    Missing(#[from] MissingFolder),
    /// A session was to be chosen.
    #[error("{0}")]
    NotChosen(String),
    /// The file cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// The folder for session files: the flag, the environment, the setting, what an extension wants, the default.
pub(crate) fn directory(args: &Args, env: &Environment, settings: &Settings, wanted: Option<PathBuf>) -> PathBuf {
    let flag = args.session_dir.as_ref().map(|dir| env.resolve(&dir.to_string_lossy(), &env.cwd));
    flag.or_else(|| env.var("PI_CODING_AGENT_SESSION_DIR").map(|dir| env.resolve(dir, &env.cwd)))
        .or_else(|| settings.session_dir())
        .or(wanted)
        .unwrap_or_else(|| session_dir_for(&env.agent_dir(), &env.cwd))
}

/// Whether an extension may choose the folder.
pub(crate) fn asks_extensions(args: &Args) -> bool {
    args.session_dir.is_none() && !args.no_session
}

/// Flags that say where to go on exclude each other.
fn check(args: &Args) -> Result<(), SessionChoiceError> {
    let session = ("--session", args.session.is_some());
    let (latest, resume) = (("--continue", args.continue_session), ("--resume", args.resume));
    let memory = ("--no-session", args.no_session);
    let rules = [
        ("--fork", args.fork.is_some(), &[session, latest, resume, memory][..]),
        ("--session-id", args.session_id.is_some(), &[session, latest, resume][..]),
    ];
    for (flag, given, others) in rules {
        let others: Vec<&str> = others.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        if given && !others.is_empty() {
            return Err(SessionChoiceError::Conflict { flag, others });
        }
    }
    Ok(())
}

/// Opens or begins the session. One whose directory is gone goes on here only if the user says so.
pub(super) fn open(args: &Args, env: &Environment, dir: &Path) -> Result<Session, SessionChoiceError> {
    let session = find_or_begin(args, env, dir)?;
    let Some(missing) = MissingFolder::of(&session, &env.cwd) else { return Ok(session) };
    let here = env.cwd.display();
    let ways = [
        format!("Continue in {here} (asks again next time)"),
        format!("Fork into {here} (a new session; this one stays as it is)"),
    ];
    let question = format!("The directory of the session is gone: {}", missing.folder.display());
    match (pick::way(&question, &ways), session.file()) {
        (pick::Way::Unasked, _) => Err(missing.into()),
        (pick::Way::Chosen(0), _) => Ok(session),
        (pick::Way::Chosen(_), Some(file)) => Ok(Session::fork_from(file, dir, &env.cwd, NewSession::default())?),
        (pick::Way::Cancelled | pick::Way::Chosen(_), _) => {
            Err(SessionChoiceError::NotChosen("No session was opened.".to_owned()))
        }
    }
}

fn find_or_begin(args: &Args, env: &Environment, dir: &Path) -> Result<Session, SessionChoiceError> {
    check(args)?;
    let new = || NewSession { id: args.session_id.clone(), ..NewSession::default() };
    if args.no_session {
        return Ok(Session::in_memory(&env.cwd, new())?);
    }
    if let Some(text) = &args.fork {
        if let Some(id) = args.session_id.as_ref().filter(|id| with_id(id, dir).is_some()) {
            return Err(SessionChoiceError::Taken(id.clone()));
        }
        let source = find_session(text, env, dir)?.into_path();
        return Ok(Session::fork_from(&source, dir, &env.cwd, new())?);
    }
    if let Some(text) = &args.session {
        return named(text, env, dir);
    }
    if args.resume {
        return Ok(Session::open(&choose(env, dir)?)?);
    }
    if args.continue_session {
        return Ok(Session::continue_recent(dir, &env.cwd)?);
    }
    if let Some(id) = &args.session_id
        && let Some(path) = with_id(id, dir)
    {
        return Ok(Session::open(&path)?);
    }
    let session = Session::create(dir, &env.cwd, new())?;
    if let Some(id) = &args.session_id {
        diagnostics::warning(&format!("No project session found with id '{id}'; creating a new session with that id."));
    }
    Ok(session)
}

/// The session of exactly that id.
fn with_id(id: &str, dir: &Path) -> Option<PathBuf> {
    find_sessions(&[dir.to_owned()], id).into_iter().find(|(_, other)| other == id).map(|(path, _)| path)
}

/// `--session`: a path, also one where no file is yet, or the beginning of the id of a session of this directory.
fn named(text: &str, env: &Environment, dir: &Path) -> Result<Session, SessionChoiceError> {
    match find_session(text, env, dir)? {
        FoundSession::Path(path) if !path.exists() => {
            diagnostics::warning(&format!("there is no session {} yet; it begins there", path.display()));
            Ok(Session::create(dir, &env.cwd, NewSession { file: Some(path), ..NewSession::default() })?)
        }
        FoundSession::Path(path) | FoundSession::Here(path) => Ok(Session::open(&path)?),
        FoundSession::Elsewhere(path) => {
            let cwd = Session::open(&path)?.cwd().to_owned();
            let question =
                format!("Session found in different project: {}. Fork it into this directory?", cwd.display());
            match pick::confirm(&question) {
                Some(true) => Ok(Session::fork_from(&path, dir, &env.cwd, NewSession::default())?),
                Some(false) => Err(SessionChoiceError::NotChosen("No session was opened.".to_owned())),
                None => Err(SessionChoiceError::Elsewhere { text: text.to_owned(), cwd }),
            }
        }
    }
}

/// `--resume`: the one that the user chooses.
fn choose(env: &Environment, dir: &Path) -> Result<PathBuf, SessionChoiceError> {
    let index = Arc::new(SessionIndex::load(&env.session_index()));
    let here = SessionList::new(&[dir.to_owned()], Arc::clone(&index))?;
    let all = SessionList::new(&session_dirs(&env.agent_dir()), Arc::clone(&index))?;
    let chosen = pick::session(here, all);
    // An index that cannot be written costs time, nothing else.
    if let Err(error) = index.save() {
        tracing::debug!(%error, "the index of sessions is not kept");
    }
    chosen.map_err(SessionChoiceError::NotChosen)
}
