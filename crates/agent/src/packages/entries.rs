//! The list `packages` of a settings file.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use tau_packages::Source;

use crate::extensions::source::identity;
use crate::settings::Environment;

/// The source of an entry; `None` when the entry makes no sense.
pub(super) fn source_of(entry: &Value) -> Option<&str> {
    match entry {
        Value::String(source) => Some(source),
        entry => entry.get("source")?.as_str(),
    }
}

/// The entries of a list; anything else counts as empty.
pub(super) fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(entries)) => entries,
        _ => Vec::new(),
    }
}

/// Where sources are compared: those of a settings file start at its folder, those that a user types at theirs.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub env: &'a Environment,
    pub base: &'a Path,
}

impl Scope<'_> {
    fn identity_of(&self, entry: &Value) -> Option<String> {
        Some(identity(&Source::parse(source_of(entry)?), self.env, self.base))
    }

    /// What a user typed, comparable with what settings say.
    pub(super) fn typed(&self, source: &str) -> String {
        identity(&Source::parse(source), self.env, &self.env.cwd)
    }

    /// The place of a package in a list.
    pub(super) fn position(&self, entries: &[Value], typed: &str) -> Option<usize> {
        let wanted = self.typed(typed);
        entries.iter().position(|entry| self.identity_of(entry).as_ref() == Some(&wanted))
    }

    /// How a source is written into this file: a path becomes relative to the folder of the file.
    pub(super) fn written(&self, source: &str) -> String {
        match Source::parse(source) {
            Source::Local(path) => relative(&self.env.resolve(&path, &self.env.cwd), self.base),
            _ => source.trim().to_owned(),
        }
    }

    /// Puts a source into a list. An entry of the same package keeps its place and what it chooses.
    pub(super) fn add(&self, mut entries: Vec<Value>, source: &str) -> Vec<Value> {
        let written = Value::String(self.written(source));
        match self.position(&entries, source).and_then(|at| entries.get_mut(at)) {
            Some(Value::Object(entry)) => drop(entry.insert("source".to_owned(), written)),
            Some(entry) => *entry = written,
            None => entries.push(written),
        }
        entries
    }
}

/// The way from one folder to a path.
fn relative(path: &Path, from: &Path) -> String {
    let (path, from): (Vec<_>, Vec<_>) = (path.components().collect(), from.components().collect());
    let common = path.iter().zip(&from).take_while(|(a, b)| a == b).count();
    // Without a common beginning there is no way.
    if common == 0 {
        return path.iter().collect::<PathBuf>().display().to_string();
    }
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - common);
    let way: PathBuf = up.chain(path[common..].iter().copied()).collect();
    if way.as_os_str().is_empty() { ".".to_owned() } else { way.display().to_string() }
}
