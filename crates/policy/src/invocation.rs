//! One program that a command can start.

use std::path::{Path, PathBuf};

use crate::argument::Arg;
use crate::git_use::GitUse;
use crate::site::Site;
use crate::text::Text;

/// A program, a function of the shell or a built-in command that can run.
#[derive(Debug, Clone, PartialEq)]
pub struct Invocation {
    /// The program and its arguments. Never empty.
    pub argv: Vec<Arg>,
    /// Variables of its environment that differ from those of the session: `None` is unset.
    pub environment: Vec<(String, Option<Text>)>,
    /// The directory it runs in.
    pub directory: Dir,
    /// Its redirections.
    pub redirects: Vec<Redirect>,
    /// What it reads.
    pub stdin: Stdin,
    /// Where the command stands.
    pub site: Site,
    /// Through what it runs, the outermost first.
    pub via: Vec<Via>,
    /// What it does to a repository, if it is git.
    pub git: Option<GitUse>,
}

impl Invocation {
    /// The name of the program without its folder; `None` if it is unknown.
    pub fn program(&self) -> Option<&str> {
        let text = &self.argv.first()?.text;
        match (text.known(), text.suffix().rsplit_once('/')) {
            (Some(path), None) => Some(path),
            // Wherever the folder is, the name is this one.
            (_, Some((_, name))) => Some(name),
            (None, None) => None,
        }
    }

    /// What a variable is for it, if that differs from the session's: `Some(None)` is unset.
    pub fn variable(&self, name: &str) -> Option<Option<&Text>> {
        self.environment.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_ref())
    }

    /// Whether it runs on another machine or in a container: nothing of this machine says anything about it.
    pub fn is_elsewhere(&self) -> bool {
        self.via.iter().any(|via| matches!(via, Via::Elsewhere(_)))
    }
}

/// A directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dir {
    /// An absolute path.
    Known(PathBuf),
    /// Any directory.
    Unknown,
}

impl Dir {
    /// The path, if it is known.
    pub fn known(&self) -> Option<&Path> {
        match self {
            Self::Known(path) => Some(path),
            Self::Unknown => None,
        }
    }
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Redirect {
    /// The file descriptor.
    pub fd: u32,
    /// What it does.
    pub kind: RedirectKind,
    /// The file.
    pub target: Arg,
}

/// What a redirection does with its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RedirectKind {
    /// It is read.
    Read,
    /// It is replaced.
    Write,
    /// It grows.
    Append,
    /// It is read and written.
    ReadWrite,
}

/// What a program reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Stdin {
    /// What the whole command reads.
    Inherited,
    /// A text: of a here-document, a here-string, or the output of what stands before it in a pipe.
    Text(Text),
}

/// Something through which a program runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Via {
    /// A program that starts the one of its arguments: `sudo`, `xargs`, `find`.
    Wrapper(String),
    /// A shell that reads a text: `sh -c`, `eval`, a here-document.
    Shell(String),
    /// A function or alias of the script.
    Function(String),
    /// A script file.
    File(PathBuf),
    /// Another machine or a container, reached by this program.
    Elsewhere(String),
    /// A loop.
    Loop,
    /// A stage of a pipe that reads from the stage before it.
    Pipe,
    /// `$(…)`, backquotes or `<(…)`.
    Substitution,
    /// In the background.
    Background,
}

impl Via {
    /// Whether it changes who runs a program, where, or by what text.
    pub(crate) fn is_route(&self) -> bool {
        matches!(self, Self::Wrapper(_) | Self::Shell(_) | Self::File(_) | Self::Elsewhere(_))
    }
}
