//! Packages as the setting `packages` names them, and what it chooses of those that are part of the program.

use std::path::Path;

use serde_json::{Map, Value};

use crate::path_filter::PathFilter;
use crate::settings::{
    BuiltinPackage, COMMAND_RULES, Layer, PROMPT_RULES, ResourceKind, Settings, builtin_package_of, keys,
};

/// A package as settings name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackageEntry {
    pub source: String,
    pub filter: Option<Filter>,
}

/// What of a package is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Without it only what the patterns choose is used.
    pub autoload: bool,
    pub(crate) lists: [Option<Vec<String>>; 4],
}

impl PackageEntry {
    /// An entry of the setting `packages`: a source, or an object with a source and lists of patterns.
    pub(crate) fn parse(value: &Value) -> Result<Self, String> {
        match value {
            Value::String(source) => Ok(Self { source: source.clone(), filter: None }),
            Value::Object(object) => {
                let source = object.get("source").and_then(Value::as_str);
                let source = source.ok_or("an entry of `packages` has no `source`")?;
                Ok(Self { source: source.to_owned(), filter: Some(Filter::parse(object)?) })
            }
            _ => Err("an entry of `packages` must be a text or an object".to_owned()),
        }
    }

    /// Whether the entry only changes what another one of the same package gives.
    pub(crate) fn is_change(&self) -> bool {
        self.filter.as_ref().is_some_and(|filter| !filter.autoload)
    }
}

impl Filter {
    /// The patterns about extensions.
    pub(crate) fn of_extensions(&self) -> &[String] {
        self.lists[ResourceKind::Extensions as usize].as_deref().unwrap_or_default()
    }

    /// The lists that are not about extensions.
    pub(crate) fn other_lists(&self) -> impl Iterator<Item = ResourceKind> {
        let is_given = |kind: &ResourceKind| *kind != ResourceKind::Extensions && self.lists[*kind as usize].is_some();
        ResourceKind::ALL.into_iter().filter(is_given)
    }

    /// Whether an extension with a name and no file is used; nothing when the filter only changes another one and says
    /// nothing about it.
    pub(crate) fn chooses(&self, name: &str) -> Option<bool> {
        let patterns = self.lists[ResourceKind::Extensions as usize].as_deref();
        let names = |pattern: &&String| {
            let glob = pattern.trim_start_matches(['!', '+', '-']);
            globset::Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(name))
        };
        match patterns {
            None => self.autoload.then_some(true),
            Some([]) => self.autoload.then_some(false),
            Some(patterns) => {
                let filter = PathFilter::of_patterns(patterns.iter().map(String::as_str));
                let is_said = self.autoload || patterns.iter().any(|pattern| names(&pattern));
                is_said.then(|| filter.chooses(Path::new(name), Path::new("")))
            }
        }
    }

    fn parse(object: &Map<String, Value>) -> Result<Self, String> {
        let mut filter =
            Self { autoload: object.get("autoload") != Some(&Value::Bool(false)), lists: Default::default() };
        for kind in ResourceKind::ALL {
            let Some(value) = object.get(kind.key()) else { continue };
            let list = texts(value);
            let list = list.ok_or_else(|| format!("`{}` of a package must be a list of texts", kind.key()))?;
            filter.lists[kind as usize] = Some(list);
        }
        Ok(filter)
    }
}

/// Whether the settings give a session the extension of the program with this name. Without any word on it a session has an
/// extension that belongs to no package, and none that belongs to one.
pub(crate) fn is_builtin_chosen(name: &str, settings: &Settings) -> bool {
    let switched = |layer: Layer| settings.builtin_switch(layer, name);
    match builtin_package_of(name) {
        None => switched(Layer::Project).or_else(|| switched(Layer::Global)).unwrap_or(true),
        Some(package) => {
            [Layer::Global, Layer::Project].into_iter().any(|layer| is_wanted_in(layer, name, package, settings))
        }
    }
}

/// Whether one file switches on an extension of a package.
pub(crate) fn is_wanted_in(layer: Layer, name: &str, package: &BuiltinPackage, settings: &Settings) -> bool {
    let said = settings.builtin_switch(layer, name).or_else(|| chosen(layer, name, package, settings));
    said == Some(true)
}

/// Whether one file uses an extension because it names its package.
pub(crate) fn is_chosen_in(layer: Layer, name: &str, package: &BuiltinPackage, settings: &Settings) -> bool {
    settings.builtin_switch(layer, name) != Some(false) && chosen(layer, name, package, settings) == Some(true)
}

/// Whether the settings give a session the extension that puts the rules of its user and its project into the system prompt.
/// The command line may do so too.
pub(crate) fn has_prompt_rules(settings: &Settings) -> bool {
    is_builtin_chosen(PROMPT_RULES, settings)
}

/// Whether the settings give a session the extension that judges commands by the rules of its user and its project. The
/// command line may do so too.
pub(crate) fn has_command_rules(settings: &Settings) -> bool {
    is_builtin_chosen(COMMAND_RULES, settings)
}

/// Whether the `packages` of one file use an extension of a package; nothing when they do not name the package.
fn chosen(layer: Layer, name: &str, package: &BuiltinPackage, settings: &Settings) -> Option<bool> {
    if layer == Layer::Project && !settings.is_trusted() {
        return None;
    }
    let entries = settings.get_in(layer, keys::PACKAGES).and_then(Value::as_array)?;
    // What is wrong with an entry is reported where packages are found.
    let mut entries = entries.iter().filter_map(|entry| PackageEntry::parse(entry).ok());
    let entry = entries.find(|entry| entry.source.trim() == package.name)?;
    let short = name.strip_prefix("builtin:").unwrap_or(name);
    entry.filter.map_or(Some(true), |filter| filter.chooses(short))
}

/// A list of nothing but texts.
pub(crate) fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|entry| entry.as_str().map(str::to_owned)).collect()
}
