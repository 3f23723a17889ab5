//! Settings: two JSON files, merged, with the layer every value came from.
//!
//! `<agentDir>/settings.json` holds the user's settings, `.pi/settings.json` those of a project. Objects merge key by
//! key and the project wins, except for the keys in [`GUARDS`](struct@GUARDS). Files are read without a lock and written under one
//! that other programs sharing the files honour; a file that does not parse counts as empty and is never written, and one with a
//! key that is there twice is read and not written.
//!
//! Nothing in here reads the process environment: everything starts from an [`Environment`].

mod above;
mod access;
mod builtin;
mod child;
mod edit;
mod environment;
mod explain;
mod extension;
mod file;
mod guard;
mod interrupt;
mod key;
mod layers;
mod manual;
mod migrate;
mod place;
mod rules;
mod schema;
mod store;
mod strange;
mod strange_key;
mod table;
mod tau;
mod todo;
mod tools;
mod useless;
mod warming;
mod wrong;

pub use above::Above;
pub use access::ResourceKind;
pub(crate) use access::{CompactionSettings, RetrySettings};
pub use builtin::{
    BUILTIN_EXTENSIONS, BUILTIN_PACKAGES, BuiltinPackage, builtin_names, builtin_package, builtin_package_of,
    is_builtin_extension, is_builtin_name, nearest_builtin,
};
pub(crate) use builtin::{COMMAND_RULES, PROMPT_RULES};
pub(crate) use child::{CHILD_NAME, IS_CHILD};
pub use edit::remark_on_key;
pub(crate) use edit::{EditError, Listed};
pub(crate) use environment::CONFIG_DIR;
pub use environment::Environment;
pub(crate) use environment::is_relative;
pub use explain::{Explanation, Says};
pub use extension::Declared;
pub(crate) use extension::key_of;
pub(crate) use file::{SettingsError, leads_nowhere};
pub(crate) use interrupt::RuleInterrupt;
pub use key::KeyPath;
pub use layers::Settings;
pub use manual::manual;
pub(crate) use place::SettingsPaths;
pub use place::{Layer, Origin};
pub(crate) use rules::{RuleContext, RuleRepeat, RuleSettings};
pub use schema::schema;
pub use store::SettingsStore;
pub use table::{
    Any, CountOrWord, Key, Kind, LOG_LEVEL_VARIABLE, LOG_LEVELS, Rule, SETTINGS, Setting, Texts, UsedBy, keys, setting,
};
pub use tau::{Limits, TraceTarget};
pub(crate) use tau::{ShellHookSettings, ToolExecution};
pub(crate) use tau_sys::lock::{FileLock, LockError};
pub(crate) use tau_sys::replace::{create_private_folder, replace_file, replace_own_file, replace_private_file};
pub(crate) use tools::ToolListError;
pub use tools::check_tool_list;
pub(crate) use tools::is_edit;
pub(crate) use useless::is_empty_entry;
pub use warming::CacheWarming;

#[cfg(test)]
mod tests;
