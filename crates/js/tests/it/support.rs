//! Sessions with TypeScript extensions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::extensions::{Extensions, load_context};
use tau_agent::settings::SettingsStore;
use tau_hooks::Owner;
use tau_hooks::Report;
use tau_hooks::dialect::PI;
use tau_js::JsHost;
use tau_script::{LoadOutcome, Script, ScriptHost};
use tau_tools::Leftovers;

use crate::common::{Log, World};

/// What a user was told: extension, event, message, place.
pub type Told = (String, String, String, Option<String>);

/// Extensions in a folder of their own.
pub struct Scripts {
    pub host: Arc<JsHost>,
    pub told: Log<Told>,
    settings: Value,
}

impl Scripts {
    /// Listens to what the user of this world is told.
    pub fn new(world: &World) -> Self {
        let told: Log<Told> = Log::default();
        let sink = told.clone();
        world.hooks.dispatcher.reports.listen(move |report: &Report| {
            let (extension, event) = (report.extension.to_string(), report.event.clone());
            sink.push((extension, event, report.message(), report.location.clone()));
        });
        Self { host: Arc::new(JsHost::new(None)), told, settings: json!({}) }
    }

    /// With settings under `tau`.
    pub fn tau(mut self, tau: Value) -> Self {
        self.settings = json!({"tau": tau});
        self
    }

    /// With compiled modules kept in a folder.
    pub fn cached(self, folder: &Path) -> Self {
        Self { host: Arc::new(JsHost::new(Some(folder.to_owned()))), ..self }
    }

    /// Writes extensions into the user's folder and loads them in this order.
    pub async fn load(&self, world: &World, files: &[(&str, &str)]) -> Vec<LoadOutcome> {
        let found = files.iter().map(|(name, source)| found(&write(world, name, source)));
        self.load_found(world, found.collect()).await
    }

    pub async fn load_found(&self, world: &World, files: Vec<Script>) -> Vec<LoadOutcome> {
        world.home.write_agent("settings.json", self.settings.to_string());
        let env = world.env();
        let settings = SettingsStore::open(&env, true);
        let with = load_context(&world.hooks, &env, &settings.snapshot(), Leftovers::default());
        self.host.load(files, &with).await
    }

    /// Loads what is in the user's folder of extensions, as a program does, by the settings of the world.
    pub async fn load_found_in(&self, world: &World) -> Arc<Extensions> {
        let host: Arc<dyn ScriptHost> = Arc::clone(&self.host) as _;
        world.load_found_by(Arc::new(move |_: &_| Arc::clone(&host))).await
    }

    /// What the user was told of an extension, by the name of its file.
    pub fn told_of(&self, file: &str) -> Vec<Told> {
        self.told.all().into_iter().filter(|(extension, ..)| extension.ends_with(file)).collect()
    }
}

/// Writes a file to a place where discovery does not look.
pub fn write(world: &World, name: &str, source: &str) -> PathBuf {
    world.home.write(&format!("scripts/{name}"), source)
}

/// A file as discovery finds it.
pub fn found(path: &Path) -> Script {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let owner = Owner::new(path.display().to_string(), name, &PI);
    Script { path: path.to_owned(), owner, open: false, isolated: false }
}
