//! Eleven extensions that do something useful, each in one file that can be read in a few minutes.
//!
//! | extension | what it does | events it uses |
//! |---|---|---|
//! | [`permission_gate`] | asks before a dangerous shell command runs | `tool_call` |
//! | [`protected_paths`] | keeps certain files from being written | `tool_call` |
//! | [`secret_redaction`] | hides keys and passwords from the model | `tool_result` |
//! | [`context_pruning`] | leaves old, large tool output out of requests | `context` |
//! | [`input_shortcuts`] | expands abbreviations in what the user types | `session_start`, `input` |
//! | [`second_opinion`] | lets the model ask a second session | a tool, a child session |
//! | [`todo`] | gives the model a to-do list that follows the session | `session_start`, `session_tree`, a tool, a command |
//! | [`own_models`] | brings two providers of models | none: providers, a stream of its own |
//! | [`notes`] | keeps notes about a project that the model reads | settings, state, prompt, timer, subcommand, check |
//! | [`sandbox`] | starts shell commands through a program that bounds them | a setting, the start of commands |
//! | [`stopwatch`] | measures time in a box over the screen | a command, a component |
//!
//! `typescript/` beside `src/` has the last one in TypeScript.
//!
//! An extension implements [`tau_hooks::Extension`] and is loaded with [`tau_hooks::Hooks::load`].

pub mod context_pruning;
pub mod input_shortcuts;
pub mod notes;
pub mod own_models;
pub mod permission_gate;
pub mod protected_paths;
pub mod sandbox;
pub mod second_opinion;
pub mod secret_redaction;
pub mod stopwatch;
pub mod todo;

use tau_hooks::Extension;

pub use context_pruning::ContextPruning;
pub use input_shortcuts::InputShortcuts;
pub use notes::Notes;
pub use own_models::OwnModels;
pub use permission_gate::PermissionGate;
pub use protected_paths::ProtectedPaths;
pub use sandbox::Sandbox;
pub use second_opinion::SecondOpinion;
pub use secret_redaction::SecretRedaction;
pub use stopwatch::Stopwatch;
pub use todo::Todo;

/// All of them, with their usual settings. The gate comes last, so that it judges the command that will really run.
pub fn all() -> Vec<Box<dyn Extension>> {
    vec![
        Box::new(InputShortcuts::default()),
        Box::new(ContextPruning::default()),
        Box::new(SecretRedaction),
        Box::new(Todo),
        Box::new(Notes),
        Box::new(Sandbox),
        Box::new(SecondOpinion),
        Box::new(OwnModels::default()),
        Box::new(Stopwatch),
        Box::new(ProtectedPaths::default()),
        Box::new(PermissionGate),
    ]
}

/// The one of that name, with its usual settings.
pub fn by_name(name: &str) -> Option<Box<dyn Extension>> {
    all().into_iter().find(|extension| extension.name() == name)
}
