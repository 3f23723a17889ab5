//! Extensions around their code: where they are found, whether they may be loaded, and how the set of a session begins,
//! is replaced and ends.
//!
//! [`discover`] finds files, [`Extensions`] is the set of one session, [`ScriptHost`] is what runs them.
//!
//! Architecture Invariant: nothing here knows a scripting language.

mod answers;
mod builtin;
mod discover;
mod folder;
mod found;
mod glob;
mod hint;
pub mod hooks;
mod host;
mod install;
mod inventory;
mod manifest;
mod memory;
mod package;
mod required;
mod set;
pub(crate) mod source;
mod trust;
mod words;

pub use builtin::{BUILTIN_EXTENSIONS, is_builtin_extension, is_builtin_name};
pub use discover::{DiscoveryOptions, discover};
pub use found::{
    Absent, ExtensionOrigin, Form, Found, FoundExtension, GateFault, MovedGuards, PackageResource, Skipped,
};
pub use hint::Hint;
pub use host::{DialectEvidence, LoadContext, LoadFailure, LoadOutcome, LoadedScript, ScriptHost, ScriptHostMaker};
pub use install::PackageInstaller;
pub use inventory::{Known, inventory};
pub(crate) use set::require_beside_files;
pub use set::{Extensions, LoadRecord};
pub use trust::{project_fingerprint, trust_question};
