//! Children in a process of their own: a `tau` that an extension or a tool of a session starts, as programs do that know
//! of no other way to a second session.
//!
//! Each session listens on a socket in a folder of its own, which only the user can enter, and announces it in the variable
//! [`VARIABLE`] to everything it starts. A `tau` that finds the variable has one gate more, which asks there about every
//! call, behind all its own gates. What it starts itself is announced its own socket, so questions go up all the way. Where
//! there is no answer, because nobody listens any more or something else does, the call is blocked.
//!
//! A question and its answer are a line of JSON each:
//!
//! ```json
//! {"event":"tool_call","cwd":"/work","pid":4711,"payload":{"toolName":"bash","toolCallId":"1","input":{"command":"ls"}}}
//! {"allow":{"input":{"command":"ls"}}}
//! {"block":{"reason":"not today"}}
//! ```
//!
//! Closing the connection takes the question back.

mod announcement;
mod ask;
mod host;
mod serve;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tau_hooks::payload::BashResult;

pub(crate) use announcement::Announcement;
pub(crate) use announcement::DEEPEST;
pub use announcement::too_deep;
pub(crate) use ask::ParentGate;
pub(crate) use serve::Announced;

/// The variable that announces, to programs that a session starts, the socket at which its gates can be asked.
pub(super) use tau_script::PARENT_GATES as VARIABLE;

/// The longest line that is read, in bytes: more than any call of a model has.
const LONGEST: u64 = 64 << 20;

/// Whether something may be done.
#[derive(Debug, Serialize, Deserialize)]
struct Question {
    /// The name of the event.
    event: String,
    /// Where it would be done.
    cwd: PathBuf,
    /// Who asks.
    pid: u32,
    /// What would be done.
    payload: Value,
}

/// What the gates of the parent say.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Answer {
    /// It may be done, with these arguments where they are others.
    Allow {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
    },
    /// It may not.
    Block {
        reason: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        terminate: bool,
    },
    /// It is done already, and this came of it.
    Done(BashResult),
}
