//! How a handler can fail.

use std::fmt;
use std::time::Duration;

/// Why a handler gave no usable result.
///
/// Not a `std::error::Error` itself, so that `?` turns any error into one.
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerError {
    /// It threw or returned an error.
    Failed {
        /// The error's text.
        message: String,
        /// The stack, mapped to source positions, when there is one.
        stack: Option<String>,
        /// `file:line` of the failure, when it is known.
        location: Option<String>,
        /// Whether the code was cut off in the middle, by a limit or because it wanted to end the program.
        ended: bool,
    },
    /// It panicked.
    Panicked(String),
    /// It did not answer within its hard limit, or within what others had left of a shared one; with the setting that
    /// says how long that is.
    TimedOut(Duration, &'static str),
    /// It did not answer within the time of the setting `hookTimeout`.
    HookTimedOut(Duration),
    /// The user went on without it.
    Skipped,
    /// The run was aborted while it was at work.
    Aborted,
    /// It returned something its event does not allow.
    Malformed(String),
    /// Its engine is gone.
    Gone(String),
    /// It is not loaded, and must be.
    Absent(String),
    /// Its engine does not answer any more, which the user was told of when it showed.
    Lost(String),
    /// It failed for want of time, and this is what went on meanwhile.
    Busy {
        /// The failure.
        error: Box<HandlerError>,
        /// Such as "it waited for the command `make`".
        doing: String,
    },
}

impl HandlerError {
    /// A failure with a message.
    pub fn msg(message: impl fmt::Display) -> Self {
        Self::Failed { message: message.to_string(), stack: None, location: None, ended: false }
    }

    /// A short name of the kind of failure, for traces.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Failed { .. } => "failed",
            Self::Panicked(_) => "panicked",
            Self::TimedOut(..) | Self::HookTimedOut(_) => "timed_out",
            Self::Skipped => "skipped",
            Self::Aborted => "aborted",
            Self::Malformed(_) => "malformed",
            Self::Gone(_) | Self::Absent(_) => "gone",
            Self::Lost(_) => "lost",
            Self::Busy { error, .. } => error.kind(),
        }
    }

    /// Whether the handler was ended before it could answer, in a way that the extension API does not know: by a limit of
    /// tau, by the user who went on without it, or with its engine. What throws has had its say.
    pub fn is_cut_off(&self) -> bool {
        match self {
            Self::Failed { ended, .. } => *ended,
            Self::TimedOut(..) | Self::Skipped | Self::Aborted | Self::Gone(_) | Self::Lost(_) => true,
            Self::Busy { error, .. } => error.is_cut_off(),
            Self::Panicked(_) | Self::HookTimedOut(_) | Self::Malformed(_) | Self::Absent(_) => false,
        }
    }

    /// The same failure with what went on meanwhile, if that is known.
    #[must_use]
    pub(crate) fn while_doing(self, doing: Option<String>) -> Self {
        match doing {
            Some(doing) => Self::Busy { error: Box::new(self), doing },
            None => self,
        }
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { message, .. } => f.write_str(message),
            Self::Panicked(message) => write!(f, "panicked: {message}"),
            Self::TimedOut(limit, setting) if limit.is_zero() => {
                write!(f, "was still at work when the time that all handlers share was used up ({setting})")
            }
            Self::TimedOut(limit, setting) => write!(f, "did not answer within {limit:?}, the limit of {setting}"),
            Self::HookTimedOut(limit) => write!(f, "Hook timed out after {}ms", limit.as_millis()),
            Self::Skipped => f.write_str("was skipped by the user"),
            Self::Aborted => f.write_str("Operation aborted"),
            Self::Malformed(what) => write!(f, "returned a malformed result: {what}"),
            Self::Gone(why) => write!(f, "is gone: {why}"),
            Self::Absent(why) => write!(f, "is not loaded: {why}"),
            Self::Lost(why) => write!(f, "is lost: {why}"),
            Self::Busy { error, doing } => write!(f, "{error} ({doing})"),
        }
    }
}

impl<E: std::error::Error> From<E> for HandlerError {
    fn from(error: E) -> Self {
        Self::msg(error)
    }
}
