//! Why a session was not opened.

use std::path::PathBuf;

use tau_agent::{FindSessionError, MissingFolder, Problem, ToProblem};
use tau_session::SessionError;

/// Why no session was opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The command line asks for a model or a script that is not there.
    #[error("{0}")]
    Model(String),
    /// Extensions could not be asked where session files go.
    #[error(transparent)]
    Directory(SessionError),
    /// There is no session to work with.
    #[error(transparent)]
    Choice(#[from] SessionChoiceError),
    /// No session has this id.
    #[error("No session found matching '{0}'")]
    Unknown(String),
    /// A session that was saved cannot be used.
    #[error(transparent)]
    Saved(SessionError),
    /// No session can be begun.
    #[error(transparent)]
    New(SessionError),
    /// Part of tau panicked.
    #[error("{0}")]
    Crashed(String),
}

/// Why there is no session to work with.
#[derive(Debug, thiserror::Error)]
pub enum SessionChoiceError {
    /// The text given with `--session` or `--fork` means no session.
    #[error(transparent)]
    Find(#[from] FindSessionError),
    /// The session belongs to another project.
    #[error("Session found in different project: {}. Use --fork {text} to go on in a copy of it here.", cwd.display())]
    Elsewhere {
        /// The text that means it.
        text: String,
        /// The directory of its project.
        cwd: PathBuf,
    },
    /// Flags that exclude each other.
    #[error("{flag} cannot be combined with {}", others.join(", "))]
    Conflict {
        /// One of them.
        flag: &'static str,
        /// The others.
        others: Vec<&'static str>,
    },
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

impl ToProblem for OpenError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Directory(error) | Self::Saved(error) | Self::New(error) => error.to_problem(),
            Self::Choice(error) => error.to_problem(),
            Self::Model(_) | Self::Unknown(_) | Self::Crashed(_) => Problem::new(self),
        }
    }
}

impl ToProblem for SessionChoiceError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::Find(error) => error.to_problem(),
            Self::Session(error) => error.to_problem(),
            Self::Elsewhere { cwd, text } => {
                Problem::new(self).at(cwd.display()).next(format!("Use --fork {text} to go on in a copy of it here."))
            }
            Self::Conflict { .. } | Self::Taken(_) | Self::Missing(_) | Self::NotChosen(_) => Problem::new(self),
        }
    }
}
