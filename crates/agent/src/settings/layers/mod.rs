//! The merged settings and where each value came from.

mod inherited;
mod tool_lists;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::environment::Environment;
use super::file::{self, Content, SettingsError, requirements};
use super::guard::{self, IgnoredKey};
use super::key::{Address, KeyPath};
use super::migrate::migrate;
use super::place::{Layer, Origin, SettingsPaths};
use super::strange;
use super::strange_key::StrangeKey;
use super::table::{GUARDS, Rule};
use super::useless;
use super::wrong::{self, Wrong, WrongType};
pub(super) use inherited::Inherited;

/// A snapshot of the settings. Values are looked up by key; typed accessors give defaults and never fail.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub(super) env: Environment,
    paths: SettingsPaths,
    trusted: bool,
    global: Value,
    project: Value,
    merged: Value,
    errors: Vec<SettingsError>,
    /// The layers whose values nobody knows because their files could not be read.
    unknown: Vec<Layer>,
    strange: Vec<StrangeKey>,
    ignored: Vec<IgnoredKey>,
    wrong_types: Vec<WrongType>,
    /// The wrong values that were left out of `merged`.
    left_out: Vec<(Layer, &'static str)>,
    /// What a child session takes over from the session that opened it.
    inherited: Option<Arc<Inherited>>,
}

/// What of files that were read has no effect, and what nobody can tell about guards there.
#[derive(Default)]
struct Checked {
    strange: Vec<StrangeKey>,
    errors: Vec<SettingsError>,
    unknown: Vec<Layer>,
}

impl Checked {
    /// Looks at the file of a layer.
    fn file(&mut self, paths: &SettingsPaths, layer: Layer, content: &Content) {
        let path = paths.file(layer);
        let (strange, guard) = strange::check(layer, &path, &content.settings, &content.twice);
        self.strange.extend(strange);
        let errors: Vec<_> = requirements(layer, &path, &content.settings).into_iter().chain(guard).collect();
        if !errors.is_empty() {
            self.unknown.push(layer);
        }
        self.errors.extend(errors);
    }
}

impl Settings {
    /// Reads both files; the project's only when `trusted`. Never fails: see [`Settings::errors`].
    pub fn load(env: &Environment, trusted: bool) -> Self {
        let paths = SettingsPaths::of(env);
        let (mut errors, mut unknown) = (Vec::new(), Vec::new());
        let mut read = |layer| {
            read_layer(&paths, layer, &mut errors).unwrap_or_else(|| {
                unknown.push(layer);
                Content::default()
            })
        };
        let global = read(Layer::Global);
        let project = if trusted { read(Layer::Project) } else { Content::default() };
        Self::checked(env.clone(), paths, trusted, [global, project], errors, unknown)
    }

    /// Settings from values in memory, as if they stood in the two files. For tests and embedding.
    pub fn in_memory(env: &Environment, global: Value, project: Value) -> Self {
        let [global, project] = [global, project].map(|value| match value {
            Value::Object(map) => map,
            _ => Map::new(),
        });
        Self::assemble(env.clone(), SettingsPaths::of(env), true, global, project, Vec::new())
    }

    /// Reads the files again. A layer whose file is now damaged keeps its values, and the error is listed.
    #[must_use]
    pub fn reloaded(&self, trusted: bool) -> Self {
        let (mut errors, mut unknown) = (Vec::new(), Vec::new());
        let mut read = |layer, was_read: bool| {
            read_layer(&self.paths, layer, &mut errors).unwrap_or_else(|| {
                if !was_read || self.unknown.contains(&layer) {
                    unknown.push(layer);
                }
                let settings = self.layer(layer).as_object().cloned().unwrap_or_default();
                Content { settings, twice: Vec::new() }
            })
        };
        let global = read(Layer::Global, true);
        let project = if trusted { read(Layer::Project, self.trusted) } else { Content::default() };
        let settings = Self::checked(self.env.clone(), self.paths.clone(), trusted, [global, project], errors, unknown);
        settings.inheriting(self.inherited.clone())
    }

    /// Settings from the content of the two files.
    fn checked(
        env: Environment,
        paths: SettingsPaths,
        trusted: bool,
        [global, project]: [Content; 2],
        mut errors: Vec<SettingsError>,
        mut unknown: Vec<Layer>,
    ) -> Self {
        let mut checked = Checked::default();
        checked.file(&paths, Layer::Global, &global);
        checked.file(&paths, Layer::Project, &project);
        errors.extend(checked.errors);
        unknown.extend(checked.unknown);
        let settings = Self::assemble(env, paths, trusted, global.settings, project.settings, errors);
        Self { unknown, strange: checked.strange, ..settings }
    }

    fn assemble(
        env: Environment,
        paths: SettingsPaths,
        trusted: bool,
        mut global: Map<String, Value>,
        mut project: Map<String, Value>,
        errors: Vec<SettingsError>,
    ) -> Self {
        migrate(&mut global);
        migrate(&mut project);
        let (global, project) = (Value::Object(global), Value::Object(project));
        let wrong = Wrong::new(&global, &project);
        let left_out = wrong.left_out();
        let of_user = wrong::without(Layer::Global, &global, &left_out);
        let of_project = wrong::without(Layer::Project, &project, &left_out);
        let mut merged = of_user.clone();
        merge(&mut merged, &of_project);
        tool_lists::merge_tool_lists(&mut merged, &of_user, &of_project);
        let ignored = guard::enforce(&mut merged, &global, &project);
        let wrong_types = wrong.report(&paths, &merged, &left_out, &ignored);
        Self {
            env,
            paths,
            trusted,
            global,
            project,
            merged,
            errors,
            unknown: Vec::new(),
            strange: Vec::new(),
            ignored,
            wrong_types,
            left_out,
            inherited: None,
        }
    }

    pub(crate) fn env(&self) -> &Environment {
        &self.env
    }

    /// The same below the settings of a parent session.
    pub(super) fn inheriting(mut self, inherited: Option<Arc<Inherited>>) -> Self {
        if let Some(inherited) = &inherited {
            inherited.apply(&mut self.merged);
        }
        Self { inherited, ..self }
    }

    pub(super) fn inherited(&self) -> Option<&Arc<Inherited>> {
        self.inherited.as_ref()
    }

    /// The effective value of a key.
    pub fn get(&self, key: impl Address) -> Option<&Value> {
        key.look_up(&self.merged)
    }

    /// The value of a key in one file alone, guards not applied.
    pub fn get_in(&self, layer: Layer, key: impl Address) -> Option<&Value> {
        key.look_up(self.layer(layer))
    }

    /// Everything, merged.
    pub fn merged(&self) -> &Value {
        &self.merged
    }

    /// Which file set the effective value; `None` when it is a default. Of an object that both files contribute to, the
    /// project's is named; ask for a key inside it to be exact.
    pub fn why(&self, key: impl Into<KeyPath>) -> Option<Origin> {
        let key = key.into();
        key.get(&self.merged)?;
        let says = |layer| key.get(self.layer(layer)).filter(|_| !self.leaves_out(layer, &key));
        let layer = match (says(Layer::Global), says(Layer::Project)) {
            (None, None) => return None,
            (Some(_), None) => Layer::Global,
            (None, Some(_)) => Layer::Project,
            (Some(_), Some(_)) if self.is_users(&key) => Layer::Global,
            (Some(_), Some(_)) => Layer::Project,
        };
        Some(Origin { layer, path: self.paths.file(layer) })
    }

    /// Whether the value of a key in one file cannot be used, so that the value without it applies.
    pub(super) fn leaves_out(&self, layer: Layer, key: &KeyPath) -> bool {
        let is_around = |outer: &str| key.names().starts_with(KeyPath::dotted(outer).names());
        self.left_out.iter().any(|(of, outer)| *of == layer && is_around(outer))
    }

    /// Whether the user's value of a key that both files set was kept against the project's.
    fn is_users(&self, key: &KeyPath) -> bool {
        GUARDS.iter().any(|guard| {
            let guarded = KeyPath::dotted(guard.key);
            key.names().starts_with(guarded.names())
                && match guard.rule {
                    Rule::UserOnly | Rule::UserFirst => true,
                    Rule::AddOnly => false,
                    Rule::OnlyOn => key.get(&self.project) != Some(&Value::Bool(true)),
                }
        })
    }

    /// Files that could not be read, with the place of the mistake.
    pub fn errors(&self) -> &[SettingsError] {
        &self.errors
    }

    /// What is wrong with the files of which nobody knows which guards they require: they could not be read, neither now
    /// nor before, or that part of them makes no sense. One error for each file.
    pub fn unknown(&self) -> impl Iterator<Item = &SettingsError> {
        let layers = [Layer::Global, Layer::Project].into_iter().filter(|layer| self.unknown.contains(layer));
        let files = layers.map(|layer| self.paths.file(layer));
        files.filter_map(|file| self.errors.iter().find(|error| error.path() == file))
    }

    /// Keys of the project that were not used because they are guarded.
    pub fn ignored(&self) -> &[IgnoredKey] {
        &self.ignored
    }

    /// Known keys whose value tau cannot use, each with what it uses in its place.
    #[cfg(test)]
    pub(crate) fn wrong_types(&self) -> &[WrongType] {
        &self.wrong_types
    }

    /// Keys of the files that have no effect where they stand.
    pub fn strange(&self) -> &[StrangeKey] {
        &self.strange
    }

    /// Everything that is wrong with the files and that the user should know, in words.
    pub fn problems(&self) -> Vec<String> {
        let errors = self.errors.iter().map(ToString::to_string);
        let ignored = self.ignored.iter().map(ToString::to_string);
        // What keeps the gates shut is reported once, and no default applies.
        let is_told =
            |wrong: &&WrongType| self.errors.iter().any(|error| error.is_about(wrong.key, &wrong.origin.path));
        let wrong = self.wrong_types.iter().filter(|wrong| !is_told(wrong)).map(ToString::to_string);
        let useless = [Layer::Global, Layer::Project].into_iter();
        let useless = useless.flat_map(|layer| useless::report(&self.paths.file(layer), self.layer(layer)));
        let strange = self.strange.iter().map(ToString::to_string);
        errors.chain(ignored).chain(wrong).chain(strange).chain(useless).collect()
    }

    /// Where the files are.
    pub fn paths(&self) -> &SettingsPaths {
        &self.paths
    }

    /// Whether the project's file counts.
    pub fn is_trusted(&self) -> bool {
        self.trusted
    }

    pub(super) fn layer(&self, layer: Layer) -> &Value {
        match layer {
            Layer::Global => &self.global,
            Layer::Project => &self.project,
        }
    }
}

fn read_layer(paths: &SettingsPaths, layer: Layer, errors: &mut Vec<SettingsError>) -> Option<Content> {
    file::read(&paths.file(layer)).map_err(|error| errors.push(error)).ok()
}

/// Objects merge key by key, anything else replaces.
fn merge(base: &mut Value, over: &Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                match base.get_mut(key) {
                    Some(existing) => merge(existing, value),
                    None => {
                        base.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (base, over) => *base = over.clone(),
    }
}
