//! Whether the files of a project may act: settings, extensions, skills, prompts and system prompts below the working
//! directory.
//!
//! A project could carry instructions and code of a stranger, so nothing of it loads before somebody said yes. The
//! answer comes, in this order, from the command line, from a handler of the `project_trust` event, from `trust.json`,
//! from the setting `defaultProjectTrust`, and from the user. Without any answer the project is not trusted.
//!
//! Trust is a property of the folder. It is asked for when the first file that needs it would load; a folder without such
//! files is undecided, and what appears in it later is asked about then. An answer holds for its folder until the program
//! ends ([`crate::extensions`] keeps it).
//!
//! With the setting `tau.trust.askOnChange` a remembered yes holds for the files as they were: the question is asked again
//! when one of them is different.

mod answer;
mod decision;
mod fingerprint;
mod reason;
mod record;
mod resources;
mod store;

pub(crate) use answer::{TrustAnswer, TrustState};
pub use decision::{Decision, DefaultTrust, TrustQuestion, Verdict};
pub(crate) use decision::{HandlerAnswer, TrustOption};
pub use fingerprint::FileChange;
pub(crate) use fingerprint::Fingerprint;
pub use reason::Reason;
pub use resources::resources_needing_trust;
pub(crate) use resources::{command_rules_of, real};

#[cfg(test)]
mod tests;
