//! Why a login did not come to its end.

use std::time::Duration;

use oauth2::{ErrorResponse, RequestTokenError};

/// What went wrong. No text holds a code or a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    /// The user left, or the program ends.
    #[error("the login was cancelled")]
    Cancelled,
    /// The user took too long.
    #[error("nobody signed in within {} seconds", .0.as_secs())]
    Abandoned(Duration),
    /// The server cannot be reached.
    #[error("{host} cannot be reached: {reason}")]
    Unreachable {
        /// The server.
        host: String,
        /// What happened.
        reason: String,
    },
    /// The server took too long.
    #[error("{host} gave no answer within {} seconds", limit.as_secs())]
    Slow {
        /// The server.
        host: String,
        /// How long it had.
        limit: Duration,
    },
    /// The server said no.
    #[error("{host} refused: {}", described(code, description.as_deref()))]
    Refused {
        /// The server.
        host: String,
        /// Its word for the reason.
        code: String,
        /// Its sentence about it.
        description: Option<String>,
    },
    /// What came is no answer of such a server.
    #[error("{host} gave an answer (status {status}) that no authorization server gives; is the address right?")]
    Garbage {
        /// The server.
        host: String,
        /// The HTTP status.
        status: u16,
    },
    /// The answer has the right form and not what is needed.
    #[error("the answer of {host} has no {missing}")]
    Incomplete {
        /// The server.
        host: String,
        /// What is missing.
        missing: &'static str,
    },
    /// The answer has what is needed in a form that cannot be used. The value is not quoted: it may be a token.
    #[error("the answer of {host} cannot be used: {what}")]
    Unusable {
        /// The server.
        host: String,
        /// What is wrong.
        what: &'static str,
    },
    /// The code belongs to another attempt.
    #[error("that address belongs to another login; open the address of this one")]
    OtherLogin,
    /// What was pasted holds no code.
    #[error("that is no authorization code and no address with one")]
    NoCode,
    /// This machine cannot do it.
    #[error("{0}")]
    Here(String),
}

/// Long descriptions are pages.
const MOST: usize = 300;

fn described(code: &str, description: Option<&str>) -> String {
    let plain = |text: &str| -> String { text.chars().filter(|c| !c.is_control()).take(MOST).collect() };
    match description.map(plain).filter(|text| !text.is_empty()) {
        Some(text) => format!("{text} ({})", plain(code)),
        None => plain(code),
    }
}

impl Failure {
    /// What the client of a protocol reports, about a server.
    pub(super) fn of<T>(host: &str, error: RequestTokenError<Self, T>, missing: &'static str) -> Self
    where
        T: ErrorResponse + Refusal,
    {
        let host = host.to_owned();
        match error {
            RequestTokenError::Request(failure) => failure,
            RequestTokenError::ServerResponse(refusal) => {
                let (code, description) = refusal.words();
                Self::Refused { host, code, description }
            }
            // The other side is JSON, but not what was asked for. Its text may hold a token.
            RequestTokenError::Parse(..) | RequestTokenError::Other(_) => Self::Incomplete { host, missing },
        }
    }
}

/// A refusal in the words of the protocol.
pub(super) trait Refusal {
    /// Code and description.
    fn words(&self) -> (String, Option<String>);
}

impl Refusal for oauth2::basic::BasicErrorResponse {
    fn words(&self) -> (String, Option<String>) {
        (self.error().as_ref().to_owned(), self.error_description().cloned())
    }
}

impl Refusal for oauth2::DeviceCodeErrorResponse {
    fn words(&self) -> (String, Option<String>) {
        (self.error().as_ref().to_owned(), self.error_description().cloned())
    }
}
