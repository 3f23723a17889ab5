//! The prompt pipeline of tau: settings, trust, resources, the system prompt and the run itself.
//!
//! Architecture Invariant: nothing here knows a terminal, a wire protocol of a front end, or JavaScript.

// pub mod prompt;
// pub mod resources;
pub mod settings;
pub mod trust;
