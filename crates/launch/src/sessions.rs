//! Which session file the command line means.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use tau_agent::settings::{Environment, Settings};
use tau_agent::{FoundSession, MissingFolder, find_session};
use tau_session::{NewSession, Session, SessionIndex, SessionList, find_sessions, session_dir_for, session_dirs};

use crate::args::Args;
use crate::open_error::{OpenError, SessionChoiceError};
use crate::voice::Voice;

/// Which session to open.
pub enum Which<'a> {
    /// The one that the command line means; somebody answers what there is to ask.
    Arguments(&'a dyn Chooser),
    /// A new one.
    New,
    /// The one with exactly this id.
    Saved(&'a str),
}

/// Answers what the command line leaves open about the session.
#[async_trait]
pub trait Chooser: Send + Sync {
    /// The session to continue, of this directory (`here`) or of all projects.
    ///
    /// # Errors
    /// Why there is none.
    async fn session(&self, here: SessionList, all: SessionList) -> Result<PathBuf, String>;

    /// Whether a session of another project is forked into this one; nothing when there is nobody to ask.
    async fn forks_from(&self, other: &Path) -> Option<bool>;

    /// What to do with a session whose directory is gone.
    async fn folder_is_gone(&self, missing: &MissingFolder) -> FolderAnswer;
}

/// How a session continues whose directory is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderAnswer {
    /// There is nobody to ask.
    Unasked,
    /// Not at all.
    Cancelled,
    /// In the directory that tau works in.
    Here,
    /// As a fork in the directory that tau works in; the session stays as it is.
    Fork,
}

/// There is nobody to ask.
pub struct Unasked;

#[async_trait]
impl Chooser for Unasked {
    async fn session(&self, _: SessionList, _: SessionList) -> Result<PathBuf, String> {
        Err("--resume asks which session, and there is nobody to ask. Use --session ID.".to_owned())
    }

    async fn forks_from(&self, _: &Path) -> Option<bool> {
        None
    }

    async fn folder_is_gone(&self, _: &MissingFolder) -> FolderAnswer {
        FolderAnswer::Unasked
    }
}

/// The folder for session files: the flag, the environment, the setting, what an extension wants, the default.
pub fn folder_of_sessions(args: &Args, env: &Environment, settings: &Settings, wanted: Option<PathBuf>) -> PathBuf {
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

/// Opens or begins the session.
pub(crate) async fn open(
    which: Which<'_>,
    args: &Args,
    env: &Environment,
    dir: &Path,
    voice: &Voice,
) -> Result<Session, OpenError> {
    match which {
        Which::Arguments(chooser) => Ok(Meant { args, env, dir, voice, chooser }.open().await?),
        Which::New if args.no_session => Session::in_memory(&env.cwd, NewSession::default()).map_err(OpenError::New),
        Which::New => Session::create(dir, &env.cwd, NewSession::default()).map_err(OpenError::New),
        Which::Saved(id) => {
            let (dirs, wanted) = (folders(dir, env), id.to_owned());
            let opened = tokio::task::spawn_blocking(move || {
                let path = session_file(&dirs, &wanted)?;
                Some(Session::open(&path))
            });
            let opened = opened.await.map_err(|error| OpenError::Crashed(error.to_string()))?;
            opened.ok_or_else(|| OpenError::Unknown(id.to_owned()))?.map_err(OpenError::Saved)
        }
    }
}

/// Where sessions are looked for: beside those of this directory, then in all projects.
pub fn folders(dir: &Path, env: &Environment) -> Vec<PathBuf> {
    [dir.to_owned()].into_iter().chain(session_dirs(&env.agent_dir())).collect()
}

/// The file of exactly that session.
pub fn session_file(dirs: &[PathBuf], id: &str) -> Option<PathBuf> {
    if id.is_empty() {
        return None;
    }
    find_sessions(dirs, id).into_iter().find(|(_, found)| found == id).map(|(path, _)| path)
}

/// The session that the command line means.
struct Meant<'a> {
    args: &'a Args,
    env: &'a Environment,
    dir: &'a Path,
    voice: &'a Voice,
    chooser: &'a dyn Chooser,
}

impl Meant<'_> {
    /// One whose directory is gone continues here only if the user says so.
    async fn open(&self) -> Result<Session, SessionChoiceError> {
        let session = self.find_or_begin().await?;
        let Some(missing) = MissingFolder::of(&session, &self.env.cwd) else { return Ok(session) };
        match (self.chooser.folder_is_gone(&missing).await, session.file()) {
            (FolderAnswer::Unasked, _) => Err(missing.into()),
            (FolderAnswer::Here, _) => Ok(session),
            (FolderAnswer::Fork, Some(file)) => {
                Ok(Session::fork_from(file, self.dir, &self.env.cwd, NewSession::default())?)
            }
            (FolderAnswer::Cancelled | FolderAnswer::Fork, _) => {
                Err(SessionChoiceError::NotChosen("No session was opened.".to_owned()))
            }
        }
    }

    async fn find_or_begin(&self) -> Result<Session, SessionChoiceError> {
        let Self { args, env, dir, .. } = *self;
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
            return self.named(text).await;
        }
        if args.resume {
            return self.of_any_project(&self.choose().await?).await;
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
            self.voice
                .warning(format!("No project session found with id '{id}'; creating a new session with that id."));
        }
        Ok(session)
    }

    /// `--session`: a path, also one where no file is yet, or the beginning of the id of a session of this directory.
    async fn named(&self, text: &str) -> Result<Session, SessionChoiceError> {
        let Self { env, dir, .. } = *self;
        match find_session(text, env, dir)? {
            FoundSession::Path(path) if !path.exists() => {
                self.voice.warning(format!("there is no session {} yet; it begins there", path.display()));
                Ok(Session::create(dir, &env.cwd, NewSession { file: Some(path), ..NewSession::default() })?)
            }
            FoundSession::Path(path) | FoundSession::Here(path) => Ok(Session::open(&path)?),
            FoundSession::Elsewhere(path) => {
                let cwd = Session::open(&path)?.cwd().to_owned();
                self.elsewhere(&path, cwd, text).await
            }
        }
    }

    /// One that the user chose among those of all projects: tools do not work here in the session of another one.
    async fn of_any_project(&self, path: &Path) -> Result<Session, SessionChoiceError> {
        let session = Session::open(path)?;
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let cwd = session.cwd().to_owned();
        // One whose folder is gone has a question of its own.
        if !cwd.is_dir() || real(&cwd) == real(&self.env.cwd) {
            return Ok(session);
        }
        drop(session);
        self.elsewhere(path, cwd, &path.display().to_string()).await
    }

    /// The session of another project: in a fork of it here, if the user says so.
    async fn elsewhere(&self, path: &Path, cwd: PathBuf, text: &str) -> Result<Session, SessionChoiceError> {
        match self.chooser.forks_from(&cwd).await {
            Some(true) => Ok(Session::fork_from(path, self.dir, &self.env.cwd, NewSession::default())?),
            Some(false) => Err(SessionChoiceError::NotChosen("No session was opened.".to_owned())),
            None => Err(SessionChoiceError::Elsewhere { text: text.to_owned(), cwd }),
        }
    }

    /// `--resume`: the one that the user chooses.
    async fn choose(&self) -> Result<PathBuf, SessionChoiceError> {
        let Self { env, dir, .. } = *self;
        let index = Arc::new(SessionIndex::load(&env.session_index()));
        let here = SessionList::new(&[dir.to_owned()], Arc::clone(&index))?;
        let all = SessionList::new(&session_dirs(&env.agent_dir()), Arc::clone(&index))?;
        let chosen = self.chooser.session(here, all).await;
        // An index that cannot be written costs time, nothing else.
        if let Err(error) = index.save() {
            tracing::debug!(%error, "the index of sessions is not kept");
        }
        chosen.map_err(SessionChoiceError::NotChosen)
    }
}

/// The session of exactly that id.
fn with_id(id: &str, dir: &Path) -> Option<PathBuf> {
    find_sessions(&[dir.to_owned()], id).into_iter().find(|(_, other)| other == id).map(|(path, _)| path)
}
