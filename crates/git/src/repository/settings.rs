//! Single settings, and where they come from.

use std::path::PathBuf;

use gix::bstr::ByteSlice;
use gix::config::Source;
use gix::config::file::Metadata;

use super::Repository;

/// Whose setting it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The system's, or git's own.
    System,
    /// The user's.
    User,
    /// The repository's. Whoever made the repository may have written it.
    Repository,
    /// The one of this work tree.
    WorkTree,
}

/// The value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The value. It is text: nothing of it was run or looked up.
    pub value: String,
    /// Whose setting it is.
    pub scope: Scope,
    /// The file that says so.
    pub file: Option<PathBuf>,
}

/// A command that git has been taught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The name of the command.
    pub name: String,
    /// What it stands for; with a `!` before it, it is for a shell.
    pub stands_for: Value,
}

impl Repository {
    /// The value of a setting such as `user.name` or `branch.main.remote`: the one that git would use. `None` if nothing
    /// sets it, or it has no value.
    pub fn setting(&self, key: &str) -> Option<Value> {
        let (section, value) = key.split_once('.')?;
        let (subsection, name) = match value.rsplit_once('.') {
            Some((subsection, name)) => (Some(subsection.as_bytes().as_bstr()), name),
            None => (None, value),
        };
        let (value, section) = self.settings.raw_value_with_section_by(section, subsection, name).ok()?;
        Some(self.value(&value, section.meta()))
    }

    /// The aliases, by name. Of those with one name the last counts, as for git.
    pub fn aliases(&self) -> Vec<Alias> {
        let mut names: Vec<String> = Vec::new();
        for section in self.settings.sections_by_name("alias").into_iter().flatten() {
            if section.header().subsection_name().is_none() {
                names.extend(section.body().value_names().map(|name| name.to_ascii_lowercase()));
            }
        }
        names.sort();
        names.dedup();
        let alias = |name: String| Some(Alias { stands_for: self.setting(&format!("alias.{name}"))?, name });
        names.into_iter().filter_map(alias).collect()
    }

    fn value(&self, value: &gix::bstr::BString, from: &Metadata) -> Value {
        let scope = match from.source {
            Source::GitInstallation | Source::System => Scope::System,
            Source::Local => Scope::Repository,
            Source::Worktree => Scope::WorkTree,
            Source::Git | Source::User | Source::Env | Source::Cli | Source::Api | Source::EnvOverride => Scope::User,
        };
        Value { value: value.to_str_lossy().into_owned(), scope, file: from.path.clone() }
    }
}
