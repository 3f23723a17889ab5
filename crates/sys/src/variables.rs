//! The variables of this process. Everything that reads them asks here; what belongs to a session has an environment of its
//! own, which was made from these.
#![expect(clippy::disallowed_methods, reason = "the owner of the variables of the process")]

use std::env;
use std::ffi::OsString;

/// All variables that are text.
pub fn variables() -> impl Iterator<Item = (String, String)> {
    env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}

/// The variables that are no text.
pub fn other_variables() -> impl Iterator<Item = (OsString, OsString)> {
    env::vars_os().filter(|(name, value)| name.to_str().and(value.to_str()).is_none())
}

/// The value of one.
pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name)
}
