//! Whether the files of a project may act: settings, extensions, skills, prompts and system prompts below the working
//! directory.
//!
//! A project could carry instructions and code of a stranger, so nothing of it loads before somebody said yes. The
//! answer comes, in this order, from the command line, from a handler of the `project_trust` event, from `trust.json`,
//! from the setting `defaultProjectTrust`, and from the user. Without any answer the project is not trusted.

mod answer;
mod decision;
mod resources;
mod store;

pub use answer::{TrustAnswer, TrustState};
pub use decision::{Decision, DefaultTrust, HandlerAnswer, Reason, TrustOption, TrustQuestion, Verdict};
pub use resources::resources_needing_trust;
pub use store::{TrustEntry, TrustError, TrustStore};

#[cfg(test)]
mod tests;
