//! To which extension code belongs.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::engine::ExtensionId;

/// What the name of a file ends with for code that was made in it at run time.
const MADE: &str = "#eval";

/// What the engine calls code that `eval` made.
const EVALUATED: &str = "<input>";

/// The extensions that files belong to.
#[derive(Default)]
pub(super) struct Owners {
    files: RefCell<HashMap<String, ExtensionId>>,
    /// Those that asked for `eval`. All that it makes has one name.
    evaluating: RefCell<Vec<ExtensionId>>,
}

impl Owners {
    /// The extension that a file belongs to, or the code that was made in it.
    pub(super) fn of(&self, file: &str) -> Option<ExtensionId> {
        let known = self.files.borrow().get(file).copied();
        known.or_else(|| if file == EVALUATED { self.only_one_evaluating() } else { None })
    }

    fn only_one_evaluating(&self) -> Option<ExtensionId> {
        match self.evaluating.borrow()[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// A file belongs to an extension, unless it already belongs to one.
    pub(super) fn add(&self, file: &str, extension: ExtensionId) {
        self.files.borrow_mut().entry(file.to_owned()).or_insert(extension);
    }

    /// The name of code that this file makes for an extension at run time.
    pub(super) fn made_in(&self, file: &str, extension: ExtensionId) -> String {
        let name = if file.ends_with(MADE) { file.to_owned() } else { format!("{file}{MADE}") };
        self.add(&name, extension);
        name
    }

    /// An extension may make code with `eval`.
    pub(super) fn evaluates(&self, extension: ExtensionId) {
        let mut all = self.evaluating.borrow_mut();
        if !all.contains(&extension) {
            all.push(extension);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_code_belongs_to_whose_file_made_it() {
        let owners = Owners::default();
        owners.add("/a.ts", ExtensionId(1));
        let made = owners.made_in("/a.ts", ExtensionId(1));
        assert_eq!((made.as_str(), owners.of(&made)), ("/a.ts#eval", Some(ExtensionId(1))));
        assert_eq!(owners.made_in(&made, ExtensionId(1)), made);
    }

    #[test]
    fn evaluated_code_belongs_to_the_only_one_who_evaluates() {
        let owners = Owners::default();
        assert_eq!(owners.of(EVALUATED), None);
        owners.evaluates(ExtensionId(1));
        owners.evaluates(ExtensionId(1));
        assert_eq!(owners.of(EVALUATED), Some(ExtensionId(1)));
        owners.evaluates(ExtensionId(2));
        assert_eq!(owners.of(EVALUATED), None);
    }
}
