//! Errors of the protocol that say what to do.

use std::fmt::Display;

use agent_client_protocol::v1::schema::{self, SessionId};
use agent_client_protocol::{Error, ErrorCode};
use tau_agent::{PromptError, ToProblem};

/// How a user brings a key.
pub(super) const BRING_A_KEY: &str = "Set an API key in the environment that the editor gives to tau (ANTHROPIC_API_KEY, \
OPENAI_API_KEY, …), or add one to auth.json in the folder of tau's settings (~/.pi/agent), and try again. \
`tau --list-models` shows what there is.";

/// Nothing can be asked of a model.
pub(super) fn no_model() -> Error {
    no_credentials(format!("No model can be used. {BRING_A_KEY}"))
}

pub(super) fn no_session(id: &SessionId) -> Error {
    let error: Error = schema::Error::session_not_found(id.clone()).into();
    let text = format!("There is no session {id}; session/new begins one, session/list shows those that were saved.");
    Error::new(error.code, text).data(error.data)
}

pub(super) fn no_credentials(why: impl Display) -> Error {
    Error::new(ErrorCode::AUTH_REQUIRED, why.to_string())
}

pub(super) fn bad_params(why: impl Display) -> Error {
    Error::new(ErrorCode::INVALID_PARAMS, why.to_string())
}

pub(super) fn refused(why: impl Display) -> Error {
    Error::new(ErrorCode::INVALID_REQUEST, why.to_string())
}

pub(super) fn failed(why: impl Display) -> Error {
    Error::new(ErrorCode::INTERNAL_ERROR, why.to_string())
}

/// As [`failed`], with the place and what to do next as data, for editors that show more than a text.
pub(super) fn problem(problem: &(impl ToProblem + ?Sized)) -> Error {
    let problem = problem.to_problem();
    failed(&problem).data(problem.data())
}

/// Why a prompt did not come to a run.
pub(super) fn of_prompt(error: &PromptError, id: &SessionId) -> Error {
    match error {
        PromptError::NoModel { .. } => no_model(),
        PromptError::NoAuth(why) => no_credentials(why),
        PromptError::Busy => {
            refused("A prompt is at work in this session. Wait for its answer, or stop it with session/cancel.")
        }
        PromptError::ShuttingDown => no_session(id),
        other => problem(other),
    }
}
