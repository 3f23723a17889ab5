//! What a front end is, and a row of the table of modes.

use std::process::ExitCode;

use async_trait::async_trait;
use tau_hooks::Mode;

use crate::args::Args;
use crate::launcher::Launcher;
use crate::stop::Stop;

/// A way to work with tau.
#[async_trait(?Send)]
pub trait FrontEnd {
    /// Opens sessions and works with them until there is nothing more to do or `stop` fires; ends what it opened.
    async fn run(self: Box<Self>, launcher: &Launcher, stop: Stop) -> ExitCode;
}

/// How the command line asks for a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// By this value of `--mode`.
    Value(&'static str),
    /// By this word, which comes first.
    Word(&'static str),
    /// By nothing, in a terminal.
    Alone,
}

/// How many sessions a mode has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sessions {
    /// The command line says it, and there is one.
    One,
    /// A client opens and closes as many as it wants.
    Many,
}

/// A row of the table of modes.
pub struct ModeRow {
    /// How the command line asks for it. The first row is the mode that nobody has to ask for.
    pub asked: Asked,
    /// What extensions are told.
    pub told: Mode,
    /// How many sessions it has. Flags that are about one session have no place where there are many.
    pub sessions: Sessions,
    /// What `--help` says, where that is not the help of tau with the flags of extensions.
    pub help: Option<fn() -> String>,
    /// Makes the front end.
    pub front_end: fn(&Args) -> Box<dyn FrontEnd>,
}

impl ModeRow {
    /// The value of `--mode` that asks for it, if one does.
    pub fn value(&self) -> Option<&'static str> {
        match self.asked {
            Asked::Value(value) => Some(value),
            Asked::Word(_) | Asked::Alone => None,
        }
    }

    /// How a user asks for it.
    pub fn typed(&self) -> String {
        match self.asked {
            Asked::Value(value) => format!("tau --mode {value}"),
            Asked::Word(word) => format!("tau {word}"),
            Asked::Alone => "tau".to_owned(),
        }
    }

    /// The word that asks for it, if one does.
    pub fn word(&self) -> Option<&'static str> {
        match self.asked {
            Asked::Value(_) | Asked::Alone => None,
            Asked::Word(word) => Some(word),
        }
    }
}
