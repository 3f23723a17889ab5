//! What an evaluation found.

use std::path::PathBuf;
use std::sync::Arc;

use crate::invocation::{Invocation, Via};
use crate::site::Site;

/// What a command can do.
#[derive(Debug, Clone, Default)]
pub struct Evaluation {
    /// The texts that were read: the command itself first, then those it hands to shells and the script files it runs.
    pub scripts: Vec<Script>,
    /// Every program, function of the shell and built-in command that can run, in the order in which they would.
    pub invocations: Vec<Invocation>,
    /// What cannot be known.
    pub opaque: Vec<Opaque>,
}

/// A text that was read as a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// What it is.
    pub kind: ScriptKind,
    /// The text.
    pub text: Arc<str>,
    /// Where it is run; `None` for the command itself.
    pub parent: Option<Site>,
}

/// What a script is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptKind {
    /// The command.
    Command,
    /// A string that is run: of `sh -c`, `eval`, a here-document, a pipe.
    Text,
    /// A file.
    File(PathBuf),
}

/// Something that runs and cannot be known before it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opaque {
    /// Why not.
    pub reason: Reason,
    /// Where it is.
    pub site: Site,
    /// Whether it is, or comes from, what the command itself downloads.
    pub is_remote: bool,
    /// Through what it runs, the outermost first.
    pub via: Vec<Via>,
}

/// Why something cannot be known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The text is longer than is read.
    #[error("the command is longer than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// It has more here-documents than are read.
    #[error("the command has more than {limit} here-documents")]
    TooManyHereDocuments {
        /// The limit.
        limit: usize,
    },
    /// It is nested deeper than is read.
    #[error("the command is nested more than {limit} levels deep")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// It takes more steps than are made.
    #[error("the command does too much to follow it")]
    TooManySteps,
    /// It is no shell syntax that both parsers read.
    #[error("the syntax of the command is not understood")]
    Syntax,
    /// The name of the program is unknown.
    #[error("the name of a program is only known when the command runs")]
    Program,
    /// The text that a shell runs is unknown.
    #[error("{shell} runs a text that is only known when the command runs")]
    Script {
        /// The shell, or `eval` and the like.
        shell: String,
    },
    /// Code of another language that may do anything.
    #[error("{program} runs code that can change files or start programs")]
    Code {
        /// The interpreter.
        program: String,
    },
    /// Options of a program that decide what it does are unknown.
    #[error("what {program} does depends on an argument that is only known when the command runs")]
    Arguments {
        /// The program.
        program: String,
    },
    /// A repository cannot be read.
    #[error("the git repository of {folder} cannot be read: {why}")]
    Repository {
        /// A folder in it.
        folder: String,
        /// Why not.
        why: String,
    },
}

impl Reason {
    /// The names of all reasons, as rules have them.
    pub const NAMES: &[&str] = &[
        "too-long",
        "too-many-here-documents",
        "too-deep",
        "too-many-steps",
        "syntax",
        "program",
        "script",
        "code",
        "arguments",
        "repository",
    ];

    /// The name of the reason, as rules have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::TooLong { .. } => "too-long",
            Self::TooManyHereDocuments { .. } => "too-many-here-documents",
            Self::TooDeep { .. } => "too-deep",
            Self::TooManySteps => "too-many-steps",
            Self::Syntax => "syntax",
            Self::Program => "program",
            Self::Script { .. } => "script",
            Self::Code { .. } => "code",
            Self::Arguments { .. } => "arguments",
            Self::Repository { .. } => "repository",
        }
    }
}
