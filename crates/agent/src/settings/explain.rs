//! Where the value of a setting comes from, layer by layer.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use serde_json::Value;

use super::above::{Above, without_passwords};
use super::key::KeyPath;
use super::layers::Settings;
use super::place::Layer;
use super::table::{self, GUARDS, Guard, Rule};
use super::wrong::{JOINED, usable};

/// What every layer says about one key, what counts most first.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The key.
    pub key: KeyPath,
    /// What outranks the files: flags, if the caller knows some, then the variable.
    pub above: Vec<Above>,
    /// The files: the project's, then the user's.
    pub layers: Vec<LayerSays>,
    /// The value that counts of those in files; `None` when the default does, as it does where a file has no value that
    /// the key takes.
    pub value: Option<Value>,
    /// What holds when no file says anything.
    pub default: Option<Cow<'static, str>>,
}

/// What one file says.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerSays {
    /// Which file.
    pub layer: Layer,
    /// Where it is.
    pub path: PathBuf,
    /// What is in it.
    pub says: Says,
}

/// What a file says about a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    /// A value, and it counts: wholly, or as a part of an object or a list that several files make.
    Counts(Value),
    /// A value that another file outranks.
    Outranked(Value),
    /// A value that may not count.
    Ignored(Value, &'static str),
    /// Nothing.
    Nothing,
    /// The file was not used as a whole.
    Unread(String),
}

impl Settings {
    /// What every file says about a key, and why which one counts.
    pub fn explain(&self, key: impl Into<KeyPath>) -> Explanation {
        let key = key.into();
        let row = table::setting(&key.to_string()).filter(|row| KeyPath::from(*row) == key);
        let merged = self.get(&key);
        let value = merged.and_then(|value| row.map_or_else(|| Some(value.clone()), |row| usable(row.kind, value)));
        let layers = [Layer::Project, Layer::Global].map(|layer| LayerSays {
            layer,
            path: self.paths().file(layer),
            says: self.says(layer, &key, merged),
        });
        let text = key.to_string();
        let default = table::setting(&text).and_then(table::Setting::default_text);
        let above = self.environment_says(&text).into_iter().collect();
        Explanation { key, above, layers: layers.into(), value, default }
    }

    /// Why a file is not used as a whole.
    pub(super) fn unread(&self, layer: Layer) -> Option<String> {
        let path = self.paths().file(layer);
        if layer == Layer::Project && !self.is_trusted() {
            return Some("the project is not trusted".to_owned());
        }
        let error = self.errors().iter().find(|error| error.path() == path && error.is_of_whole_file());
        error.map(ToString::to_string)
    }

    fn says(&self, layer: Layer, key: &KeyPath, effective: Option<&Value>) -> Says {
        if let Some(why) = self.unread(layer) {
            return Says::Unread(why);
        }
        let Some(value) = self.get_in(layer, key) else { return Says::Nothing };
        if layer == Layer::Project
            && effective != Some(value)
            && let Some(guard) = guard_of(key).filter(|guard| self.ignored().iter().any(|known| known.key == guard.key))
        {
            return Says::Ignored(value.clone(), guard.reason);
        }
        let known = table::setting(&key.to_string()).filter(|row| KeyPath::from(*row) == *key);
        if self.leaves_out(layer, key) || known.is_some_and(|row| usable(row.kind, value).is_none()) {
            return Says::Ignored(value.clone(), "it is no value that this key takes");
        }
        let joined = || {
            let name = key.to_string();
            JOINED.contains(&name.as_str()) || guard_of(key).is_some_and(|guard| guard.rule == Rule::AddOnly)
        };
        let contributes = match (value, effective) {
            (Value::Object(_), Some(Value::Object(_))) => true,
            (Value::Array(part), Some(Value::Array(all))) => joined() && part.iter().all(|entry| all.contains(entry)),
            _ => false,
        };
        if effective == Some(value) || contributes || self.why(key).is_some_and(|origin| origin.layer == layer) {
            Says::Counts(value.clone())
        } else {
            Says::Outranked(value.clone())
        }
    }
}

fn guard_of(key: &KeyPath) -> Option<&'static Guard> {
    GUARDS.iter().find(|guard| key.names().starts_with(KeyPath::dotted(guard.key).names()))
}

impl fmt::Display for Says {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counts(value) => write!(f, "{}", without_passwords(value)),
            Self::Outranked(value) => write!(f, "{} (outranked)", without_passwords(value)),
            Self::Ignored(value, reason) => write!(f, "{} (ignored: {reason})", without_passwords(value)),
            Self::Nothing => f.write_str("not set"),
            Self::Unread(why) => write!(f, "not read: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Environment, KeyPath, Settings};

    #[test]
    fn every_layer_says_something() {
        let env = Environment::new("/home/ada", "/project");
        let user = json!({"theme": "dark", "retry": {"maxRetries": 1}, "httpProxy": "http://a"});
        let project = json!({"theme": "light", "retry": {"enabled": false}, "httpProxy": "http://b"});
        let settings = Settings::in_memory(&env, user, project);
        let says = |key: &str| {
            settings
                .explain(KeyPath::dotted(key))
                .layers
                .into_iter()
                .map(|one| one.says.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(says("theme"), ["\"light\"", "\"dark\" (outranked)"]);
        assert_eq!(says("retry"), ["{\"enabled\":false}", "{\"maxRetries\":1}"]);
        assert_eq!(says("retry.maxRetries"), ["not set", "1"]);
        assert_eq!(
            says("httpProxy"),
            ["\"http://b\" (ignored: a project may not redirect requests that carry credentials)", "\"http://a\""]
        );
        assert_eq!(says("steeringMode"), ["not set", "not set"]);
        assert_eq!(settings.explain(KeyPath::dotted("steeringMode")).default.as_deref(), Some("\"one-at-a-time\""));
    }
}
