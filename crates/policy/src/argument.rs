//! An argument of a program.

use crate::site::Site;
use crate::text::Text;

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Arg {
    /// What it is.
    pub text: Text,
    /// Whether it may be any number of arguments: an unquoted variable, `"$@"`, input of `xargs`.
    pub is_many: bool,
    /// Where it stands.
    pub site: Site,
    /// Whether the text at the site is exactly this argument, so that an edit there changes it alone.
    pub is_exact: bool,
}

impl Arg {
    /// The whole argument; `None` if it is not known, or not known to be one.
    pub fn known(&self) -> Option<&str> {
        self.text.known().filter(|_| !self.is_many)
    }
}
