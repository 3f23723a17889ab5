//! Why a server is not there, and why a call failed.

use std::time::Duration;

use super::fate::{Ending, Lost, Wrote, bracketed};
use crate::config::ResolveError;

/// Why a server is not connected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// A value of its entry cannot be had.
    #[error(transparent)]
    Value(#[from] ResolveError),
    /// Its entry cannot be used.
    #[error("{0}")]
    Entry(String),
    /// Its program does not start.
    #[error("the program \"{program}\" cannot be started: {reason}")]
    Start {
        /// The program.
        program: String,
        /// What the system says.
        reason: String,
    },
    /// It ended before it was ready.
    #[error("the server ended before it was ready{}{wrote}", bracketed(*ending))]
    Ended {
        /// How, if it ended by itself.
        ending: Option<Ending>,
        /// What it wrote.
        wrote: Wrote,
    },
    /// It took too long.
    #[error("the server was not ready within {} seconds{wrote}", limit.as_secs_f64())]
    Slow {
        /// How long it had.
        limit: Duration,
        /// What it wrote.
        wrote: Wrote,
    },
    /// It answered the first request after it had got the second one.
    #[error("the server answers too late for tau to know which protocol it speaks")]
    Late,
    /// It wants a login.
    #[error("the server wants you to sign in")]
    NeedsSignIn {
        /// What it says about that.
        challenge: Option<String>,
    },
    /// It speaks another version.
    #[error("the server speaks version {0} of the protocol, which tau does not know")]
    Version(String),
    /// It answers the request that a connection begins with by an error.
    #[error("{0}")]
    Rejected(String),
    /// It cannot be reached, or refused.
    #[error("{0}")]
    Refused(String),
    /// Its list of tools cannot be had.
    #[error("its tools cannot be listed: {0}")]
    Tools(CallError),
    /// Nobody wants it any more.
    #[error("the connection was given up")]
    Cancelled,
}

/// Why a call gave no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The connection was ended on this side.
    #[error("MCP connection closed")]
    Closed,
    /// The server ended, or its connection.
    #[error("MCP connection closed: {0}")]
    Lost(Box<Lost>),
    /// A message was larger than any may be.
    #[error("MCP connection closed: a message of the server was larger than 16 MiB")]
    TooLarge,
    /// It took too long without progress.
    #[error("MCP request timed out after {}ms", .0.as_millis())]
    TimedOut(Duration),
    /// The caller gave up.
    #[error("the call was cancelled")]
    Cancelled,
    /// The server says no.
    #[error("MCP error {code}: {}", message.strip_prefix(&format!("MCP error {code}: ")).unwrap_or(message))]
    Server {
        /// Its number for the reason.
        code: i32,
        /// Its text.
        message: String,
    },
    /// The server cannot be reached, or refused.
    #[error("MCP request failed: {message}")]
    Web {
        /// What happened.
        message: String,
        /// Whether it may be over in a moment.
        is_passing: bool,
    },
    /// The login is not valid any more.
    #[error("the server wants you to sign in")]
    NeedsSignIn(Option<String>),
    /// The answer is none.
    #[error("the answer of the server cannot be understood: {0}")]
    Garbage(String),
}
