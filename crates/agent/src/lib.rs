//! The prompt pipeline of tau: settings, trust, resources, the system prompt and the run itself.
//!
//! Architecture Invariant: nothing here knows a terminal, a wire protocol of a front end, or JavaScript.

pub mod export;
pub mod extensions;
mod logins;
pub mod packages;
pub mod pipeline;
pub mod prompt;
pub mod resources;
mod session;
pub mod settings;
pub mod trust;
mod usage;

pub use logins::{AuthFileError, LoginError};
pub use pipeline::{BUILTINS, Builtin, Prompt, PromptError, Prompted};
pub use session::{
    AgentSession, ReloadError, Reloaded, SessionEvent, SessionOptions, StartError, ToolChoice, Update,
    session_directory,
};
pub use usage::{context_usage, estimate};
