//! Settings by hand: keys and values as somebody types them, and what is told about them. One for the command line and
//! for the commands of a session.

use std::fmt;

use serde_json::{Map, Value};
use tau_hooks::SettingSource;

use super::above::{Above, without_passwords};
use super::explain::{Explanation, LayerSays, Says};
use super::extension::{Declared, EXTENSIONS};
use super::file::SettingsError;
use super::key::KeyPath;
use super::layers::Settings;
use super::place::{Layer, Origin};
use super::store::SettingsStore;
use super::strange;
use super::strange_key::StrangeKey;
use super::table::{self, Kind, Setting, UsedBy, keys};
use super::wrong::candidates;

/// Why a setting was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The value is none for this key.
    #[error("{key} must be {kind}")]
    WrongValue {
        /// The key, as it was typed, or one inside of the object that was.
        key: String,
        /// What it takes.
        kind: Kind,
    },
    /// There is no name.
    #[error("a setting needs a name")]
    NoName,
    /// The key is almost one that switches a guard on: in the file it would shut every gate.
    #[error("{0} It was not written, because it would shut every gate.")]
    Guard(StrangeKey),
    /// The file cannot be changed.
    #[error(transparent)]
    File(#[from] SettingsError),
}

/// A value that is set, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The key.
    pub key: KeyPath,
    /// The value that counts.
    pub value: Value,
    /// The file it comes from.
    pub origin: Option<Origin>,
}

/// What is said of keys that tau accepts and does not act on.
const ONLY_PI: &str = "used by pi; tau does not use it";

impl KeyPath {
    /// A key as it is typed: with dots, or as a JSON list of names.
    pub fn typed(text: &str) -> Self {
        match serde_json::from_str::<Vec<String>>(text) {
            Ok(names) => Self::of(names),
            Err(_) => Self::dotted(text),
        }
    }

    /// The key as it can be typed.
    pub fn written(&self) -> String {
        if self.names().iter().any(|name| name.contains('.') || name.is_empty()) {
            serde_json::to_string(self.names()).unwrap_or_else(|_| self.to_string())
        } else {
            self.to_string()
        }
    }
}

/// The row of a key. A name with a dot in it is no part of a key of the table.
fn row_of(key: &KeyPath) -> Option<&'static Setting> {
    table::SETTINGS.iter().find(|row| KeyPath::from(*row) == *key)
}

/// A value as it is typed: JSON, or a text where that is what the key takes.
fn typed_value(key: &str, path: &KeyPath, text: &str) -> Result<Value, EditError> {
    let plain = Value::String(text.to_owned());
    match (serde_json::from_str::<Value>(text), row_of(path)) {
        (Ok(value), None) => Ok(value),
        (Ok(value), Some(known)) if known.kind.accepts(&value) => Ok(value),
        (_, Some(known)) if known.kind.accepts(&plain) => Ok(plain),
        (_, Some(known)) => Err(EditError::WrongValue { key: key.to_owned(), kind: known.kind }),
        (Err(_), None) => Ok(plain),
    }
}

/// A key that tau does not know is kept all the same: other programs share the file.
fn unknown_key(key: &str, path: &KeyPath) -> Option<String> {
    let of_extension =
        path.names().starts_with(&EXTENSIONS.map(str::to_owned)) && path.names().len() > EXTENSIONS.len();
    // An object without keys of its own takes any, such as names of models.
    let is_within = (1..path.names().len()).any(|end| {
        let above = KeyPath::of(path.names()[..end].iter().map(String::as_str));
        row_of(&above).is_some_and(|row| row.kind.accepts(&Value::Object(Map::new())))
    });
    if is_within || row_of(path).is_some() || strange::is_section(&path.to_string()) || of_extension {
        return None;
    }
    let named = table::SETTINGS.iter().filter(|row| !matches!(row.used_by, UsedBy::Renamed(_)));
    let all = named.map(|row| (strsim::jaro_winkler(row.key, key), row.key));
    let nearest = all.filter(|(close, _)| *close > 0.9).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known);
    let hint = nearest.map(|nearest| format!("; did you mean {nearest}?")).unwrap_or_default();
    Some(format!("tau does not know the key {key}{hint}"))
}

/// What is to be said of a key that somebody types: that tau does not know it, or does not use it.
pub fn remark_on_key(key: &str) -> Option<String> {
    let path = KeyPath::typed(key);
    match row_of(&path).map(|row| row.used_by) {
        Some(UsedBy::Tau) => None,
        Some(UsedBy::Pi) => Some(format!("{key} is {ONLY_PI}")),
        Some(UsedBy::Renamed(now)) => Some(format!("{key} is an older name of {now}")),
        None => unknown_key(key, &path),
    }
}

/// The first value inside of an object that its key does not take.
fn wrong_inside(path: &KeyPath, alone: &Value) -> Option<(&'static str, Kind)> {
    let inside = |key: &str| KeyPath::dotted(key).names().starts_with(path.names());
    candidates().filter(|(key, _)| inside(key)).find(|(key, kind)| {
        KeyPath::dotted(key).get(alone).is_some_and(|value| !value.is_null() && !kind.accepts(value))
    })
}

impl SettingsStore {
    /// Sets a key to a value, both as they are typed, and gives what the user should know besides. Blocks while another
    /// program holds the lock.
    ///
    /// # Errors
    /// When the value is none for that key, and as [`SettingsStore::set`].
    pub fn set_typed(&self, layer: Layer, key: &str, text: &str) -> Result<Vec<String>, EditError> {
        let path = KeyPath::typed(key);
        if path.names().iter().any(String::is_empty) {
            return Err(EditError::NoName);
        }
        let value = typed_value(key, &path, text)?;
        let mut alone = Value::Object(Map::new());
        path.set(&mut alone, Some(value.clone()));
        let file = self.snapshot().paths().file(layer);
        if let Some((key, kind)) = wrong_inside(&path, &alone) {
            return Err(EditError::WrongValue { key: key.to_owned(), kind });
        }
        let (strange, misspelt) =
            alone.as_object().map(|fields| strange::check(layer, &file, fields, &[])).unwrap_or_default();
        if let Some(SettingsError::Guard(key)) = misspelt {
            return Err(EditError::Guard(key));
        }
        self.set(layer, &path, Some(value))?;
        // What is wrong with the key itself is said in its own words.
        let inside = strange.into_iter().filter(|strange| strange.key != path).map(|strange| strange.to_string());
        Ok(remark_on_key(key).into_iter().chain(inside).collect())
    }
}

impl Explanation {
    /// What the user should know who has just set the key in one file: that its value does not count there.
    pub fn useless_in(&self, layer: Layer) -> Option<String> {
        let useless = |says: &&LayerSays| {
            says.layer == layer && matches!(says.says, Says::Ignored(..) | Says::Outranked(_) | Says::Unread(_))
        };
        let says = self.layers.iter().find(useless)?;
        Some(format!("{} does not count: {}", self.key.written(), says.says))
    }
}

/// A line of the listing of all settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// The key.
    pub key: KeyPath,
    /// The value that applies, as JSON, or in words what the default depends on.
    pub value: String,
    /// Where the value comes from: a file or a variable; `None` when it is the default.
    pub source: Option<String>,
    /// What a project may not do to it, or that tau does not use it.
    pub remark: Option<&'static str>,
}

impl fmt::Display for Overview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}  ({})", self.key.written(), self.value, self.source.as_deref().unwrap_or("default"))?;
        self.remark.map_or(Ok(()), |remark| write!(f, "  [{remark}]"))
    }
}

impl Settings {
    /// Every setting: the rows of the table, those that extensions `declared`, and what else the files have. Keys that only
    /// pi uses are listed too. What is set comes first, each part in the order of the manual.
    pub fn overview(&self, declared: &[Declared]) -> Vec<Overview> {
        let mut all: Vec<Overview> = Vec::new();
        for row in table::SETTINGS.iter().filter(|row| !matches!(row.used_by, UsedBy::Renamed(_))) {
            // What is inside of an object is listed key by key.
            let value = self.get(row);
            let is_listed_inside = if row.key == keys::OF_EXTENSIONS.name() {
                value.is_none_or(Value::is_object)
            } else {
                strange::is_section(row.key) && value.is_some_and(Value::is_object)
            };
            if !is_listed_inside {
                let remark = row.guard.map(|guard| guard.reason).filter(|_| row.used_by == UsedBy::Tau);
                let remark = if row.used_by == UsedBy::Pi { Some(ONLY_PI) } else { remark };
                let line = self.line(row.into());
                all.push(Overview { remark: line.remark.or(remark), ..line });
            }
        }
        let is_told =
            |key: &KeyPath, all: &[Overview]| all.iter().any(|line| key.names().starts_with(line.key.names()));
        for declared in declared {
            let value = self.declared(declared);
            let source = match value.source {
                SettingSource::Default => None,
                SettingSource::User(path) | SettingSource::Project(path) => Some(path.display().to_string()),
            };
            let key = declared.key();
            all.push(Overview { key, value: value.value.to_string(), source, remark: declared.remark() });
        }
        for listed in self.listing() {
            if !is_told(&listed.key, &all) {
                all.push(self.line(listed.key));
            }
        }
        // Stable: each part keeps its order.
        all.sort_by_key(|line| line.source.is_none());
        all
    }

    fn line(&self, key: KeyPath) -> Overview {
        let explained = self.explain(&key);
        let above = explained.above.iter().find(|above| above.value.is_some()).map(|above| above.place.clone());
        let origin = || explained.value.as_ref().and_then(|_| self.why(&key));
        let file = || origin().map(|origin| origin.path.display().to_string());
        Overview { value: explained.effective(), source: above.or_else(file), remark: explained.unusable(), key }
    }

    /// Every value that counts and does not come from tau itself, in the order of the files.
    pub fn listing(&self) -> Vec<Listed> {
        let mut leaves = Vec::new();
        collect(self.merged(), &mut Vec::new(), &mut leaves);
        let listed = |(names, value): (Vec<String>, &Value)| {
            let key = KeyPath::of(names);
            Listed { origin: self.why(&key), key, value: value.clone() }
        };
        leaves.into_iter().map(listed).collect()
    }
}

fn collect<'a>(value: &'a Value, names: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, &'a Value)>) {
    match value {
        Value::Object(map) if !map.is_empty() || names.is_empty() => {
            for (name, value) in map {
                names.push(name.clone());
                collect(value, names, leaves);
                names.pop();
            }
        }
        value => leaves.push((names.clone(), value)),
    }
}

impl Explanation {
    /// What counts, in words.
    pub(crate) fn effective(&self) -> String {
        let above = self.above.iter().find_map(|above| above.value.clone());
        let value = above.or_else(|| self.value.as_ref().map(|value| without_passwords(value).to_string()));
        value.unwrap_or_else(|| self.default.as_deref().unwrap_or("not set").to_owned())
    }

    /// What is said when a file has a value that the key does not take, and no other place has one.
    fn unusable(&self) -> Option<&'static str> {
        let is_ignored = |says: &LayerSays| matches!(says.says, Says::Ignored(..));
        (self.value.is_none() && self.layers.iter().any(is_ignored)).then_some("what a file says is ignored")
    }

    /// Every place that may say something, with what it says; what counts most comes first.
    pub fn places(&self) -> Vec<(String, String)> {
        let place = |says: &LayerSays| (format!("{} {}", says.layer, says.path.display()), says.says.to_string());
        let is_section = strange::is_section(&self.key.to_string());
        let none = if is_section { "each of its keys has its own" } else { "none" };
        let default = ("default".to_owned(), self.default.as_deref().unwrap_or(none).to_owned());
        let above =
            |above: &Above| (above.place.clone(), above.value.clone().unwrap_or_else(|| above.absent.to_owned()));
        self.above.iter().map(above).chain(self.layers.iter().map(place)).chain([default]).collect()
    }

    /// A line with what counts, and one for each place.
    pub fn text(&self) -> String {
        let mut text = format!("{} = {}", self.key.written(), self.effective());
        if row_of(&self.key).is_some_and(|row| row.used_by == UsedBy::Pi) {
            text.push_str(&format!("\n  {ONLY_PI}"));
        }
        for (place, says) in self.places() {
            text.push_str(&format!("\n  {place}: {says}"));
        }
        if let Some(guard) = row_of(&self.key).and_then(|row| row.guard) {
            text.push_str(&format!("\n  guard: {}", guard.reason));
        }
        text
    }
}
