//! The prompt pipeline of tau: settings, trust, resources, the system prompt and the run itself.
//!
//! Architecture Invariant: nothing here knows a terminal, a wire protocol of a front end, or JavaScript.

mod children;
pub mod compaction;
mod crash;
mod explain;
pub mod export;
pub mod extensions;
mod json;
pub mod keybindings;
mod logins;
pub mod packages;
pub mod pipeline;
pub mod prompt;
pub mod resources;
pub mod rules;
mod session;
pub mod settings;
pub mod shell_hooks;
pub mod state;
pub mod trust;
mod usage;

pub use children::PARENT_GATES;
pub use compaction::CompactError;
pub use crash::Crash;
pub use explain::{short_error, special_problems, why_no_model};
pub use logins::{AuthFileError, LoginError, Logins, StoredKind, check_auth_text};
pub use pipeline::{
    BUILTINS, BashError, Builtin, Prepared, Prompt, PromptError, Prompted, Submitted, Upcoming, UserCommand,
    session_line,
};
pub use session::{
    AgentSession, Cycled, Direction, FindSessionError, FoundSession, ImportError, MissingFolder, QueuedTexts,
    ReloadError, Reloaded, ReplaceError, SessionEvent, SessionOptions, SessionStats, StartError, TokenTotals,
    ToolChoice, Update, find_session, recorded_model, session_directory,
};
pub use settings::{ToolListError, check_tool_list};
pub use usage::{context_usage, estimate};
