//! The protocol of RPC mode: lines of JSON that a client writes to tau and reads from it.
//!
//! [`COMMANDS`] is the table of everything a client can ask; a row ties a name to its arguments, its answer and its
//! place in line. Both ends use these types, and `docs/rpc.md` is made from them.
//!
//! Architecture Invariant: nothing here knows the agent, reads or writes anything, or has state beyond a line.

mod commands;
mod docs;
mod framing;
mod records;
mod salvage;
mod ui;

pub use commands::answers::*;
pub use commands::requests::*;
pub use commands::{COMMANDS, Command, CommandRow, Failure, Group, Order, Request, Serve, find_command};
pub use docs::reference;
pub use framing::{Frame, Framer, MAX_LINE};
pub use records::{ExtensionError, HookError, Response, failure_line, success_line};
pub use salvage::{About, Scanner};
pub use ui::{UI_RESPONSE, UiRequest, UiResponse, UiResponseBody, is_ui_response};
