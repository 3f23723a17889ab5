//! Extensions around their code: where they are found, whether they may be loaded, and how the set of a session begins,
//! is replaced and ends.
//!
//! [`discover`] finds files, [`Extensions`] is the set of one session, [`ScriptHost`](tau_script::ScriptHost) is what runs them.
//!
//! Architecture Invariant: nothing here knows a scripting language.

mod answers;
mod builtins;
mod discover;
mod folder;
mod glob;
mod install;
mod inventory;
mod known;
mod limits;
mod lists;
mod manifest;
mod memory;
mod options;
mod package;
mod required;
mod scripts;
mod set;
pub(crate) mod source;
mod startup;
mod trust;
mod twins;
mod words;

pub use crate::found::{Absent, Form, Found, FoundExtension, Hint, ScriptHostMaker, Skipped};
pub use crate::origin::ExtensionOrigin;
pub use crate::settings::{
    BUILTIN_EXTENSIONS, BUILTIN_PACKAGES, builtin_names, builtin_package_of, is_builtin_extension, is_builtin_name,
    nearest_builtin,
};
pub use builtins::{BuiltinExtension, is_builtin_on};
pub use discover::discover;
pub use install::PackageInstaller;
pub use inventory::inventory;
pub use known::Known;
pub(crate) use limits::configure;
pub use lists::Lists;
pub use options::DiscoveryOptions;
pub use scripts::{load_context, surroundings};
pub(crate) use set::require_beside_files;
pub use set::{Extensions, LoadRecord};
pub(crate) use startup::startup_scope;
pub use trust::{project_fingerprint, trust_question};
