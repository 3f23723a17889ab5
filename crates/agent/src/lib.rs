//! The prompt pipeline of tau: settings, trust, resources, the system prompt and the run itself.
//!
//! Architecture Invariant: nothing here knows a terminal, a wire protocol of a front end, or JavaScript.
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests look at the system they run on"))]

mod aside;
mod builtins;
mod children;
mod crash;
mod diagnostic;
pub mod doctor;
mod explain;
pub mod export;
pub mod extensions;
mod found;
pub mod hook_folders;
mod json;
pub mod keybindings;
mod local_models;
mod logins;
mod origin;
mod package_entry;
pub mod packages;
mod parts;
mod path_filter;
mod pipeline;
mod problem;
mod program;
mod prompt;
pub mod resources;
mod rules;
pub mod services;
mod session;
pub mod settings;
pub mod shell_hooks;
pub mod state;
mod text;
pub mod trust;
mod usage;
mod work;

pub use builtins::{BUILTINS, Builtin};
pub use children::too_deep;
pub(crate) use crash::Crash;
pub use tau_view::untrusted::visible;

pub use explain::{short_error, shown_name, special_problems, why_no_model};
pub use local_models::add_local_models;
pub use logins::{
    AuthFileError, CredentialState, FoundKey, FoundKeys, ImportError, LoginError, Logins, StoredKind, check_auth_text,
    find_keys,
};
pub use parts::{SessionEvent, ToolChoice, Update, WarmingStatus, WarmingStopped};
pub use pipeline::compaction::CompactError;
pub use pipeline::{BashError, Prepared, Prompt, PromptError, UserCommand, recorded_model};
pub use problem::{Problem, ToProblem};
pub use session::{
    AgentSession, FindSessionError, FoundSession, MissingFolder, Prompted, ReloadError, Reloaded, ReplaceError,
    SessionOptions, StartError, Submitted, Tally, Unstarted, find_session, outcome, session_directory, session_line,
};
pub use settings::check_tool_list;
pub use usage::context_usage;
