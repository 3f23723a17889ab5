//! What tau keeps for extensions beside a session.

mod state;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tau_ai::HttpSettings;
use tau_hooks::{
    Folders, Owner, Services, SettingInFile, SettingLayer, SettingSpec, SettingValue, StateScope, StateStore,
};
use tau_sys::within::leads_out;

use crate::settings::{Declared, Layer, SettingsStore, key_of as key_of_setting};
use crate::state::{StateDir, key_of};

/// Serves extensions by the settings of a session, which know its folders.
pub struct ExtensionServices {
    settings: Arc<SettingsStore>,
}

impl ExtensionServices {
    /// Serves the extensions of the session with these settings.
    pub fn new(settings: Arc<SettingsStore>) -> Arc<Self> {
        Arc::new(Self { settings })
    }
}

impl Services for ExtensionServices {
    fn state(&self, extension: &Owner, scope: StateScope) -> Arc<dyn StateStore> {
        let settings = self.settings.snapshot();
        let env = settings.env();
        let dir = match scope {
            StateScope::User => StateDir::of_user(&env.agent_dir()),
            StateScope::Project => StateDir::of_project(&env.agent_dir(), &env.cwd),
        };
        Arc::new(state::ExtensionState(dir.of_extension(&key_of_extension(extension))))
    }

    fn setting(&self, extension: &Owner, spec: &SettingSpec) -> SettingValue {
        let declared = Declared { extension: extension.name.to_string(), spec: spec.clone() };
        self.settings.snapshot().declared(&declared)
    }

    fn setting_in(&self, extension: &str, key: &str, layer: SettingLayer) -> SettingInFile {
        let (settings, layer) = (self.settings.snapshot(), layer_of(layer));
        SettingInFile { path: settings.paths().file(layer), says: settings.setting_in(layer, extension, key) }
    }

    fn set_setting(
        &self,
        extension: &str,
        key: &str,
        layer: SettingLayer,
        value: Option<Value>,
    ) -> Result<PathBuf, String> {
        let layer = layer_of(layer);
        let settings = self.settings.snapshot();
        let path = settings.paths().file(layer);
        // An extension acts by itself, and a repository can have links.
        if layer == Layer::Project && leads_out(&path, &settings.env().cwd) {
            return Err(format!("{}: a link leads out of the project, so tau does not write there", path.display()));
        }
        let written = self.settings.set(layer, key_of_setting(extension, key), value);
        written.map(|()| self.settings.snapshot().paths().file(layer)).map_err(|error| error.to_string())
    }

    fn read_settings_again(&self) -> Vec<String> {
        let settings = self.settings.reload(self.settings.snapshot().is_trusted());
        settings.errors().iter().filter(|error| error.is_of_whole_file()).map(ToString::to_string).collect()
    }

    fn folders(&self) -> Folders {
        let settings = self.settings.snapshot();
        let env = settings.env();
        Folders {
            agent_dir: env.agent_dir(),
            project_dir: env.project_dir(),
            cwd: env.cwd.clone(),
            home: env.home.clone(),
        }
    }

    fn variables(&self) -> BTreeMap<String, String> {
        self.settings.snapshot().env().vars.clone()
    }

    fn http(&self) -> HttpSettings {
        self.settings.snapshot().http()
    }
}

fn layer_of(layer: SettingLayer) -> Layer {
    match layer {
        SettingLayer::User => Layer::Global,
        SettingLayer::Project => Layer::Project,
    }
}

/// The name of an extension's folder. One that is part of the program is known by its name; a file by its name and its
/// path, because two files may have one name.
fn key_of_extension(extension: &Owner) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name = extension.path.strip_prefix("<native:").and_then(|name| name.strip_suffix('>'));
    match name {
        Some(name) if !name.is_empty() && name.chars().all(is_plain) => name.to_owned(),
        _ => key_of(Path::new(&*extension.path)),
    }
}

#[cfg(test)]
mod tests {
    use tau_hooks::dialect::PI;

    use super::*;

    #[test]
    fn extensions_have_folders_of_their_own() {
        let key = |path: &str| key_of_extension(&Owner::new(path, "x", &PI));
        assert_eq!(key("<native:notes>"), "notes");
        let keys = ["<native:notes>", "<native:no/tes>", "<native:no_tes>", "/a/notes.ts", "/b/notes.ts", "<native:>"]
            .map(key);
        for (at, one) in keys.iter().enumerate() {
            assert!(!one.contains('/') && !keys[at + 1..].contains(one), "{keys:?}");
        }
    }
}
