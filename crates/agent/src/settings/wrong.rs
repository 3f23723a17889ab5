//! Values of known keys that tau cannot use, and what is used in their place.

use std::fmt;

use serde_json::Value;

use super::guard::IgnoredKey;
use super::key::{KeyPath, look_up};
use super::place::{Layer, Origin, SettingsPaths};
use super::table::{self, Kind, keys};
use super::tools::{self, ToolListError};

/// A known key whose value tau cannot use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongType {
    /// The key, dotted.
    pub key: &'static str,
    /// The type it should have.
    pub expected: Kind,
    /// What is wrong with a list of tools.
    pub problem: Option<ToolListError>,
    /// The file to correct.
    pub origin: Origin,
    /// What is used.
    pub used: Used,
}

/// What is used in place of a wrong value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Used {
    /// What holds without any setting.
    Default,
    /// The value in the user's file.
    User,
    /// The entries of the list that are texts.
    Texts,
    /// The nearest number that is neither too small nor too large, in place of this one.
    Nearest {
        /// What the file says.
        given: u64,
        /// What is used.
        used: u64,
    },
}

impl fmt::Display for WrongType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin.path.display(), self.key)?;
        match &self.problem {
            Some(problem) => write!(f, ": {problem}"),
            None => write!(f, " must be {}", self.expected),
        }?;
        let used = match self.used {
            Used::Default if self.key == keys::REQUIRED.name() => "; every gate is shut until you correct it",
            Used::Default => "; the default is used",
            Used::User => "; the user's value is used",
            Used::Texts => "; its entries that are texts are used",
            Used::Nearest { given, used } => return write!(f, ", and {given} is not; {used} is used"),
        };
        f.write_str(used)
    }
}

/// The keys whose lists of all files are joined entry by entry.
pub(super) const JOINED: [&str; 4] =
    [keys::EXTENSIONS.name(), keys::SKILLS.name(), keys::PROMPTS.name(), keys::THEMES.name()];

/// The wrong values of both files.
pub(super) struct Wrong<'a> {
    user: &'a Value,
    project: &'a Value,
}

impl<'a> Wrong<'a> {
    pub(super) fn new(user: &'a Value, project: &'a Value) -> Self {
        Self { user, project }
    }

    /// The values that are left out before the files are merged: those of the project where the user has a usable value,
    /// and lists of tools in either file that would not say what they mean once they are merged.
    pub(super) fn left_out(&self) -> Vec<(Layer, &'static str)> {
        let mut all = Vec::new();
        for (key, kind) in candidates() {
            let is_list_of_tools = kind == Kind::ToolList;
            if is_wrong(kind, look_up(key, self.project)) && (is_list_of_tools || self.user_has(key, kind)) {
                all.push((Layer::Project, key));
            }
            if is_list_of_tools && is_wrong(kind, look_up(key, self.user)) {
                all.push((Layer::Global, key));
            }
        }
        all
    }

    /// The wrong values that would apply if they were right. `merged` is what applies, `ignored` what guards keep from
    /// applying.
    pub(super) fn report(
        &self,
        paths: &SettingsPaths,
        merged: &Value,
        left_out: &[(Layer, &'static str)],
        ignored: &[IgnoredKey],
    ) -> Vec<WrongType> {
        let mut all = Vec::new();
        for (key, kind) in candidates() {
            let effective = look_up(key, merged);
            for (layer, file) in [(Layer::Project, self.project), (Layer::Global, self.user)] {
                let Some(value) = look_up(key, file).filter(|value| is_wrong(kind, Some(value))) else { continue };
                let is_guarded = || layer == Layer::Project && ignored.iter().any(|ignored| is_in(key, ignored.key));
                let outranked = || layer == Layer::Global && effective.is_some();
                let was_left_out = left_out.contains(&(layer, key));
                let applies = if was_left_out { !is_guarded() && !outranked() } else { effective == Some(value) };
                if applies {
                    let used = self.used(layer, key, kind, value, was_left_out);
                    let problem = (kind == Kind::ToolList).then(|| tools::check_setting(value)?.err()).flatten();
                    let origin = Origin { layer, path: paths.file(layer) };
                    all.push(WrongType { key, expected: kind, problem, origin, used });
                }
            }
        }
        all
    }

    fn used(&self, layer: Layer, key: &str, kind: Kind, value: &Value, left_out: bool) -> Used {
        let is_list = matches!(kind, Kind::TextList | Kind::TextOrList | Kind::BoolOrTextList);
        let has_texts = || value.as_array().is_some_and(|list| list.iter().any(Value::is_string));
        if is_list && (!left_out || JOINED.contains(&key)) && has_texts() {
            return Used::Texts;
        }
        match (kind.nearest(value), value.as_u64()) {
            (Some(used), Some(given)) if !left_out => Used::Nearest { given, used },
            _ if layer == Layer::Project && self.user_has(key, kind) => Used::User,
            _ => Used::Default,
        }
    }

    fn user_has(&self, key: &str, kind: Kind) -> bool {
        look_up(key, self.user).is_some_and(|value| kind.accepts(value))
    }
}

/// The value of a file without those that are left out.
pub(super) fn without(layer: Layer, file: &Value, left_out: &[(Layer, &'static str)]) -> Value {
    let mut rest = file.clone();
    for (_, key) in left_out.iter().filter(|(of, _)| *of == layer) {
        KeyPath::dotted(key).set(&mut rest, None);
    }
    rest
}

/// What is used of a value of a known key, if anything is: of a list its entries that are texts, and of a number that is too
/// small or too large the nearest one.
pub(super) fn usable(kind: Kind, value: &Value) -> Option<Value> {
    if !is_wrong(kind, Some(value)) {
        return Some(value.clone());
    }
    if let Some(nearest) = kind.nearest(value) {
        return Some(nearest.into());
    }
    let is_list = matches!(kind, Kind::TextList | Kind::TextOrList | Kind::BoolOrTextList);
    let texts: Vec<Value> = value.as_array()?.iter().filter(|entry| entry.is_string()).cloned().collect();
    (is_list && !texts.is_empty()).then(|| texts.into())
}

/// `null` means not set.
fn is_wrong(kind: Kind, value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null() && !kind.accepts(value))
}

/// Whether a key is another one or lies in it.
fn is_in(key: &str, section: &str) -> bool {
    key.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The sections that known keys lie in, and the keys.
pub(super) fn candidates() -> impl Iterator<Item = (&'static str, Kind)> {
    let mut sections: Vec<&'static str> = Vec::new();
    for known in table::known() {
        for (end, _) in known.key.match_indices('.') {
            let section = &known.key[..end];
            if !sections.contains(&section) && !table::known().any(|known| known.key == section) {
                sections.push(section);
            }
        }
    }
    let sections = sections.into_iter().map(|section| (section, Kind::Object));
    sections.chain(table::known().map(|known| (known.key, known.kind)))
}
