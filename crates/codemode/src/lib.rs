//! Codemode and tool search: a model writes a script that calls its tools, and finds tools that requests do not declare.
//!
//! [`engine`] runs a script on a thread and in a runtime of its own. It knows no tools and no session: whatever a script
//! reaches is a question to a [`ScriptHost`](engine::ScriptHost). [`declarations`] tells a model, and a script, which tools
//! there are. [`search`] ranks tools. [`extension`] makes tools of them, as two extensions that are part of the program.
//!
//! Architecture Invariant: nothing here knows the engine of extensions. A script has no door but four: call a tool, put
//! something out, keep a value, ask a model.

pub mod declarations;
pub mod engine;
pub mod extension;
pub mod search;

pub use extension::{Codemode, ToolSearch};
