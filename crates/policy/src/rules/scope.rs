//! Where a rule applies.

use super::condition::{Context, Pattern, Subject};
use super::document::Node;
use super::document::strings;
use super::problem::{Fault, unknown};

/// Where a rule applies: everywhere if nothing is given.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Scope {
    /// Directories that a program runs in, with what is below them by `/**`.
    directories: Vec<Pattern>,
    /// Roots of work trees.
    repositories: Vec<Pattern>,
}

const KEYS: &[&str] = &["directory", "repository"];

impl Scope {
    pub(crate) fn read(node: &Node) -> Result<Self, Fault> {
        let mut scope = Self::default();
        for field in node.object("\"scope\"")? {
            let patterns = match field.key.as_str() {
                "directory" => &mut scope.directories,
                "repository" => &mut scope.repositories,
                key => return Err(Fault::new(field.at, unknown("key of a scope", key, KEYS.iter().copied()))),
            };
            strings(&field.node, &field.key)?;
            for item in field.node.one_or_more(&field.key)? {
                patterns.push(Pattern::path(item)?);
            }
        }
        Ok(scope)
    }

    /// Whether a rule with this scope applies. `if_unknown` is the answer for a directory that is unknown.
    pub(crate) fn holds(&self, context: &Context<'_>, if_unknown: bool) -> bool {
        if self.directories.is_empty() && self.repositories.is_empty() {
            return true;
        }
        let directory = match context.subject {
            Subject::Invocation(invocation) if invocation.is_elsewhere() => None,
            Subject::Invocation(invocation) => invocation.directory.known(),
            Subject::Opaque(_) | Subject::File(_) => Some(context.world.directory()),
        };
        let Some(directory) = directory else { return if_unknown };
        let matches = |patterns: &[Pattern], path: &std::path::Path| {
            patterns.is_empty() || patterns.iter().any(|pattern| pattern.is_path(path, context))
        };
        let in_repository = self.repositories.is_empty()
            || match context.world.repository(directory) {
                Ok(found) => {
                    found.and_then(|found| found.work_tree()).is_some_and(|root| matches(&self.repositories, &root))
                }
                Err(_) => if_unknown,
            };
        matches(&self.directories, directory) && in_repository
    }

    /// For people.
    pub(crate) fn shown(&self) -> String {
        let list = |patterns: &[Pattern]| patterns.iter().map(Pattern::text).collect::<Vec<_>>().join(", ");
        match (self.directories.is_empty(), self.repositories.is_empty()) {
            (true, true) => "everywhere".to_owned(),
            (false, true) => format!("in {}", list(&self.directories)),
            (true, false) => format!("in the repository {}", list(&self.repositories)),
            (false, false) => format!("in {} of the repository {}", list(&self.directories), list(&self.repositories)),
        }
    }
}
