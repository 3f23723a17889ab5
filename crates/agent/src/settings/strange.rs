//! Keys that have no effect where they stand: misspelt, in the wrong section, with a dot in the name, or there twice.
//!
//! Other programs share the files, so only what is plainly meant for tau is reported: everything below `tau`, and names
//! that differ from a known one by a letter or by how they are written.

use std::path::Path;

use serde_json::{Map, Value};

use super::file::SettingsError;
use super::key::KeyPath;
use super::place::Layer;
use super::strange_key::{KeyProblem, StrangeKey};
use super::table::{self, keys};

/// Whether a value switches a guard on.
type SwitchesOn = fn(&Value) -> bool;

/// Keys with which somebody switches a guard on, and whether a value does. Without effect, they would leave the user in the
/// belief that it is there.
const GUARDING: [(&str, SwitchesOn); 2] = [
    (keys::REQUIRED.name(), |value| !value.is_null() && value.as_array().is_none_or(|names| !names.is_empty())),
    (keys::SHELL_HOOKS_STRICT.name(), |value| !value.is_null() && *value != Value::Bool(false)),
];

/// The section that is tau's own.
const OWN: &str = "tau";

/// Finds the keys of a file that have no effect; `twice` are those that are there twice. An error stands for those that
/// were to switch a guard on: nobody knows then what the user relies on.
pub(super) fn check(
    layer: Layer,
    path: &Path,
    settings: &Map<String, Value>,
    twice: &[KeyPath],
) -> (Vec<StrangeKey>, Option<SettingsError>) {
    let mut search = Search { found: Vec::new() };
    search.section(&mut Vec::new(), "", settings);
    let doubled = |key: &KeyPath| (key.clone(), KeyProblem::Twice, is_around_guard(layer, key));
    let found = search.found.into_iter().map(|(key, problem, value)| {
        let guards = match problem {
            KeyProblem::Unknown(Some(meant)) | KeyProblem::Dotted(meant) => guards(layer, meant, value),
            KeyProblem::Unknown(None) | KeyProblem::Twice => false,
        };
        (key, problem, guards)
    });
    let (mut strange, mut error) = (Vec::new(), None);
    for (key, problem, guards) in twice.iter().map(doubled).chain(found) {
        let one = StrangeKey { path: path.into(), key, problem };
        if guards && error.is_none() {
            error = Some(SettingsError::Guard(one));
        } else {
            strange.push(one);
        }
    }
    (strange, error)
}

/// Whether a project's file can switch this guard on.
fn is_of(layer: Layer, guard: &str) -> bool {
    layer == Layer::Global || guard == keys::REQUIRED.name()
}

/// Whether one of two objects or values at this key, the one that is not used, may switch a guard on.
fn is_around_guard(layer: Layer, key: &KeyPath) -> bool {
    let names = key.names();
    GUARDING.iter().any(|(guard, _)| is_of(layer, guard) && KeyPath::dotted(guard).names().starts_with(names))
}

/// Whether a value that was meant for a key or a section would switch a guard on there.
fn guards(layer: Layer, meant: &str, value: &Value) -> bool {
    if let Some((guard, is_on)) = GUARDING.iter().find(|(guard, _)| *guard == meant) {
        return is_of(layer, guard) && is_on(value);
    }
    let fields = value.as_object().into_iter().flatten();
    fields.filter(|_| is_section(meant)).any(|(name, value)| {
        let inner = children(meant).find(|child| last(child) == name).or_else(|| near_in(meant, name));
        inner.is_some_and(|inner| guards(layer, inner, value))
    })
}

struct Search<'a> {
    found: Vec<(KeyPath, KeyProblem, &'a Value)>,
}

impl<'a> Search<'a> {
    /// Looks at the names in a section, which is dotted and empty at the top.
    fn section(&mut self, names: &mut Vec<String>, section: &'static str, fields: &'a Map<String, Value>) {
        for (name, value) in fields {
            names.push(name.clone());
            let known = children(section).find(|child| last(child) == name);
            match (known, value) {
                (Some(known), Value::Object(fields)) if is_section(known) && !is_key(known) => {
                    self.section(names, known, fields);
                }
                (Some(_), _) => {}
                (None, value) => {
                    if let Some(problem) = problem(section, name, value) {
                        self.found.push((KeyPath::of(names.iter()), problem, value));
                    }
                }
            }
            names.pop();
        }
    }
}

/// What is wrong with a name that is not one of a section.
fn problem(section: &str, name: &str, value: &Value) -> Option<KeyProblem> {
    let own = section == OWN || section.starts_with("tau.");
    if name.contains('.') {
        let full = if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") };
        let near = |known: &&str| known.contains('.') && is_within(known, &full, 1);
        if let Some(meant) = all().filter(near).min_by_key(|known| distance(known, &full)) {
            return Some(KeyProblem::Dotted(meant));
        }
    }
    if own {
        return Some(KeyProblem::Unknown(near_in(section, name).or_else(|| elsewhere(name))));
    }
    let near = match section {
        "" => misspelt_own(name, value).or_else(|| misplaced(name, value)).or_else(|| almost_in(section, name)),
        _ => almost_in(section, name),
    };
    near.map(|meant| KeyProblem::Unknown(Some(meant)))
}

/// The section `tau` under another name: one that is only written differently, or one that holds what is in that section.
fn misspelt_own(name: &str, value: &Value) -> Option<&'static str> {
    let fields = value.as_object()?;
    let holds_own = || fields.keys().any(|name| children(OWN).any(|child| last(child) == name));
    (plain(name) == OWN || (distance(OWN, name) == 1 && holds_own())).then_some(OWN)
}

/// A key or section of `tau` that stands at the top, with a value that fits.
fn misplaced(name: &str, value: &Value) -> Option<&'static str> {
    let meant = children(OWN).find(|child| last(child) == name)?;
    let fits = match table::known().find(|known| known.key == meant) {
        Some(known) => known.kind.accepts(value),
        None => value.as_object()?.keys().any(|name| children(meant).any(|child| last(child) == name)),
    };
    fits.then_some(meant)
}

/// The name of a section that another one is nearest to, if it is near.
fn near_in(section: &str, name: &str) -> Option<&'static str> {
    let is_near = |known: &&str| is_within(last(known), name, (last(known).len() / 4).max(1));
    children(section).filter(is_near).min_by_key(|known| distance(last(known), name))
}

/// The name of a section that another one is almost the same as: other programs have names of their own there.
fn almost_in(section: &str, name: &str) -> Option<&'static str> {
    let almost = |known: &&str| is_within(last(known), name, usize::from(last(known).len() >= 5));
    let full = if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") };
    let is_of_others = table::of_pi().chain(table::older()).any(|known| known.key == full);
    let all = children(section).filter(|_| !is_of_others).filter(almost);
    all.min_by_key(|known| distance(last(known), name))
}

/// The key of that name in some section of `tau`, if there is one only.
fn elsewhere(name: &str) -> Option<&'static str> {
    let of_name =
        |known: &&str| known.starts_with("tau.") && is_within(last(known), name, usize::from(name.len() >= 6));
    let mut all = all().filter(of_name);
    all.next().filter(|_| all.next().is_none())
}

/// Every known key.
fn all() -> impl Iterator<Item = &'static str> {
    table::known().map(|known| known.key)
}

fn is_key(dotted: &str) -> bool {
    all().any(|known| known == dotted)
}

/// Whether known keys lie below this.
pub(super) fn is_section(dotted: &str) -> bool {
    all().any(|known| known.strip_prefix(dotted).is_some_and(|rest| rest.starts_with('.')))
}

/// The keys and sections right below a section, dotted. One comes as often as there are keys in it.
fn children(section: &str) -> impl Iterator<Item = &'static str> {
    let start = if section.is_empty() { 0 } else { section.len() + 1 };
    all()
        .filter(move |known| start == 0 || (known.starts_with(section) && known[section.len()..].starts_with('.')))
        .map(move |known| {
            let end = known[start..].find('.').map_or(known.len(), |dot| start + dot);
            &known[..end]
        })
}

/// The last name of a dotted key.
fn last(dotted: &str) -> &str {
    dotted.rsplit('.').next().unwrap_or(dotted)
}

/// How many letters two names differ in, apart from capitals, `_` and `-`. Names without end are not compared.
pub(super) fn distance(known: &str, name: &str) -> usize {
    const LONGEST: usize = 80;
    if name.len() > LONGEST {
        return usize::MAX;
    }
    strsim::damerau_levenshtein(&plain(known), &plain(name))
}

/// Whether two names differ in this many letters at most. Most are so different in length that nothing has to be compared:
/// files of other programs have thousands of keys.
fn is_within(known: &str, name: &str, most: usize) -> bool {
    let letters = |text: &str| text.chars().filter(|letter| !matches!(letter, '_' | '-')).count();
    letters(known).abs_diff(letters(name)) <= most && distance(known, name) <= most
}

fn plain(name: &str) -> String {
    name.replace(['_', '-'], "").to_ascii_lowercase()
}
