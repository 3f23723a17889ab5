//! Settings that extensions declare: `tau.extensions.NAME.KEY` in both files.
//!
//! Which there are is known when extensions are loaded, so these keys are looked at then: what the files say is checked by
//! the declaration, and what a project may not do is left out.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tau_hooks::{Hooks, SettingGuard, SettingScope, SettingSource, SettingSpec, SettingValue};

use super::builtin::is_builtin_extension;
use super::explain::{Explanation, LayerSays, Says};
use super::key::KeyPath;
use super::layers::Settings;
use super::place::Layer;
use super::strange::distance;

/// The section of extensions.
pub(super) const EXTENSIONS: [&str; 2] = ["tau", "extensions"];

/// A setting that an extension declared.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// The short name of the extension.
    pub extension: String,
    /// The setting.
    pub spec: SettingSpec,
}

/// The key of a setting of an extension in the files.
pub(crate) fn key_of(extension: &str, key: &str) -> KeyPath {
    KeyPath::of(EXTENSIONS.into_iter().chain(std::iter::once(extension)).chain(key.split('.')))
}

/// What the files make of a setting.
struct Resolved {
    value: Option<Value>,
    source: SettingSource,
    /// What each file says, the project's first.
    says: [Says; 2],
    /// What is wrong, in words.
    problems: Vec<String>,
}

impl Declared {
    /// The settings of the extensions that are loaded.
    pub fn all(hooks: &Hooks) -> Vec<Self> {
        let all = hooks.setting_specs().into_iter();
        all.map(|(owner, spec)| Self { extension: owner.name.to_string(), spec }).collect()
    }

    /// The key in the files.
    pub fn key(&self) -> KeyPath {
        key_of(&self.extension, &self.spec.key)
    }

    /// What a project may not do to it, in words.
    pub fn remark(&self) -> Option<&'static str> {
        if self.spec.scope == SettingScope::User {
            return Some("only your own file may set it");
        }
        match self.spec.guard {
            SettingGuard::None => None,
            SettingGuard::AddOnly => Some("a project may only add to it"),
            SettingGuard::UserFirst => Some("a project may not replace what you set"),
            SettingGuard::OnlyOn => Some("a project may not turn it off"),
            SettingGuard::OnlyOff => Some("a project may not turn it on"),
            SettingGuard::OnlyLower => Some("a project may only make it smaller"),
        }
    }

    fn default(&self) -> Option<&Value> {
        Some(&self.spec.default).filter(|default| !default.is_null())
    }
}

/// The list of before with the entries of the project's that are not in it.
pub(super) fn joined(before: &Value, of_project: &Value) -> Value {
    let mut all = before.as_array().cloned().unwrap_or_default();
    for entry in of_project.as_array().into_iter().flatten() {
        if !all.contains(entry) {
            all.push(entry.clone());
        }
    }
    Value::Array(all)
}

impl Settings {
    /// What counts of a setting that an extension declared, and where it comes from.
    pub fn declared(&self, declared: &Declared) -> SettingValue {
        let Resolved { value, source, .. } = self.resolve(declared);
        SettingValue { value: value.unwrap_or_else(|| declared.spec.default.clone()), source }
    }

    /// As [`Settings::explain`], for a setting that an extension declared.
    pub fn explain_declared(&self, declared: &Declared) -> Explanation {
        let Resolved { value, says: [project, user], .. } = self.resolve(declared);
        let layer = |layer, says| LayerSays { layer, path: self.paths().file(layer), says };
        Explanation {
            key: declared.key(),
            above: Vec::new(),
            layers: vec![layer(Layer::Project, project), layer(Layer::Global, user)],
            value,
            default: declared.default().map(|default| Cow::Owned(default.to_string())),
        }
    }

    /// As [`Settings::explain`], also for settings of the extensions that are loaded.
    pub(crate) fn explain_known(&self, key: &KeyPath, hooks: &Hooks) -> Explanation {
        let is_of_extension = key.names().starts_with(&EXTENSIONS.map(str::to_owned));
        let declared =
            is_of_extension.then(|| Declared::all(hooks).into_iter().find(|one| one.key() == *key)).flatten();
        declared.map_or_else(|| self.explain(key), |declared| self.explain_declared(&declared))
    }

    fn resolve(&self, declared: &Declared) -> Resolved {
        let (key, spec) = (declared.key(), &declared.spec);
        let mut problems = Vec::new();
        // A value that fits; the other ones leave what holds without them.
        let mut usable = |layer: Layer| -> (Option<Value>, Says) {
            match self.file_says(layer, &key) {
                Says::Counts(value) => match spec.complaints(&value) {
                    wrong if wrong.is_empty() => (Some(value.clone()), Says::Counts(value)),
                    wrong => {
                        let (path, name, wrong) = (self.paths().file(layer), key.written(), wrong.join("; "));
                        problems.push(format!("{}: {name} is not used: {wrong}", path.display()));
                        (None, Says::Ignored(value, "it is no value that this key takes"))
                    }
                },
                says => (None, says),
            }
        };
        let (of_user, mut user_says) = usable(Layer::Global);
        let (of_project, mut project_says) = usable(Layer::Project);
        let source = |layer| match layer {
            Layer::Global => SettingSource::User(self.paths().file(layer)),
            Layer::Project => SettingSource::Project(self.paths().file(layer)),
        };
        let refusal = of_project.as_ref().and_then(|value| spec.refusal(of_user.as_ref(), value));
        let (value, source) = match (of_project, refusal) {
            (Some(value), Some(why)) => {
                problems.push(format!("project setting `{}` ignored: {why}", key.written()));
                project_says = Says::Ignored(value, why);
                (of_user, SettingSource::Default)
            }
            (Some(value), None) if spec.guard == SettingGuard::AddOnly => {
                (Some(joined(of_user.as_ref().unwrap_or(&spec.default), &value)), source(Layer::Project))
            }
            (Some(value), None) => {
                if let Some(outranked) = of_user {
                    user_says = Says::Outranked(outranked);
                }
                (Some(value), source(Layer::Project))
            }
            (None, _) => (of_user, SettingSource::Default),
        };
        let source = match (&value, source) {
            (Some(_), SettingSource::Default) => SettingSource::User(self.paths().file(Layer::Global)),
            (_, source) => source,
        };
        let (value, source) = match self.inherited() {
            Some(above) => above.declared(declared, value, source),
            None => (value, source),
        };
        Resolved { value, source, says: [project_says, user_says], problems }
    }

    /// What one file says about a key of an extension, asked neither for its schema nor for its guard. A file that got
    /// damaged says what it said before.
    pub(crate) fn setting_in(&self, layer: Layer, extension: &str, key: &str) -> Result<Option<Value>, String> {
        let value = self.get_in(layer, key_of(extension, key)).filter(|value| !value.is_null());
        match (value, self.unread(layer)) {
            (Some(value), _) => Ok(Some(value.clone())),
            (None, Some(why)) => Err(why),
            (None, None) => Ok(None),
        }
    }

    /// What one file says about a key, whether it may or not.
    fn file_says(&self, layer: Layer, key: &KeyPath) -> Says {
        match self.unread(layer) {
            Some(why) => Says::Unread(why),
            None => match self.get_in(layer, key).filter(|value| !value.is_null()) {
                Some(value) => Says::Counts(value.clone()),
                None => Says::Nothing,
            },
        }
    }

    /// What is wrong in the files with settings of extensions, in words: values that cannot be used, and keys that no
    /// extension declared. `all` says that every extension is loaded, so that a name which none has is a mistake.
    pub fn declared_problems(&self, declared: &[Declared], all: bool) -> Vec<String> {
        let mut problems = Vec::new();
        for layer in [Layer::Global, Layer::Project] {
            let section = self.get_in(layer, KeyPath::of(EXTENSIONS)).and_then(Value::as_object);
            for (name, fields) in section.into_iter().flatten() {
                let mut found =
                    Strange { file: self.paths().file(layer).display().to_string(), name, problems: &mut problems };
                found.extension(fields, declared, all);
            }
        }
        problems.extend(declared.iter().flat_map(|declared| self.resolve(declared).problems));
        problems
    }
}

/// Looks for keys that nobody declared.
struct Strange<'a> {
    file: String,
    name: &'a str,
    problems: &'a mut Vec<String>,
}

impl Strange<'_> {
    fn extension(&mut self, fields: &Value, declared: &[Declared], all: bool) {
        let own: Vec<&str> =
            declared.iter().filter(|one| one.extension == self.name).map(|one| one.spec.key.as_str()).collect();
        // One that is part of the program and switched off may have settings: they count when it is on again.
        if own.is_empty() && is_builtin_extension(&format!("builtin:{}", self.name)) {
            return;
        }
        if own.is_empty() {
            let near = nearest(self.name, declared.iter().map(|declared| declared.extension.as_str()));
            if let Some(near) = near {
                self.tell(&[], &format!("belongs to no loaded extension that declares settings; did you mean {near}?"));
            } else if all {
                self.tell(&[], "belongs to no loaded extension that declares settings");
            }
            return;
        }
        match fields.as_object() {
            Some(fields) => self.fields(&mut Vec::new(), fields, &own),
            None if fields.is_null() => {}
            None => self.tell(&[], "must be an object"),
        }
    }

    fn fields(&mut self, names: &mut Vec<String>, fields: &Map<String, Value>, own: &[&str]) {
        for (name, value) in fields {
            names.push(name.clone());
            let key = names.join(".");
            let is_section = own.iter().any(|own| own.strip_prefix(&*key).is_some_and(|rest| rest.starts_with('.')));
            match value {
                _ if own.contains(&&*key) && !name.contains('.') => {}
                Value::Object(inner) if is_section && !name.contains('.') => self.fields(names, inner, own),
                _ if is_section => self.tell(names, "must be an object"),
                _ => match nearest(&key, own.iter().copied()) {
                    Some(near) => {
                        self.tell(names, &format!("is not a setting and has no effect; did you mean {near}?"))
                    }
                    None => self.tell(names, "is not a setting and has no effect"),
                },
            }
            names.pop();
        }
    }

    fn tell(&mut self, names: &[String], what: &str) {
        let own = std::iter::once(self.name).chain(names.iter().map(String::as_str));
        let key = KeyPath::of(EXTENSIONS.into_iter().chain(own));
        self.problems.push(format!("{}: {} {what}", self.file, key.written()));
    }
}

/// The name that was probably meant: the nearest one, if it differs in a letter or few.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (far, known) = known.map(|known| (distance(known, name), known)).min_by_key(|(far, _)| *far)?;
    (far <= (known.len() / 4).max(1)).then_some(known)
}
