//! Installing, updating, removing, listing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tau_packages::{Change, PackageError, Report, Source, Wish};

use super::entries::{Scope, list, source_of};
use crate::extensions::PackageInstaller;
use crate::extensions::source::place_of;
use crate::settings::{
    BUILTIN_PACKAGES, Environment, Layer, SettingsError, SettingsStore, builtin_package, keys, nearest_builtin,
};

/// The packages of both settings files.
pub struct Packages {
    env: Environment,
    settings: Arc<SettingsStore>,
    installer: PackageInstaller,
}

/// Why nothing was done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackagesError {
    /// The settings cannot be read or written.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The package cannot be had.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// Nothing is there.
    #[error("there is nothing at {}", path.display())]
    NoPath {
        /// The path.
        path: PathBuf,
    },
    /// A file that no extension is loaded from.
    #[error("{} is no extension; a package is named by its folder", path.display())]
    NoModule {
        /// The file.
        path: PathBuf,
    },
    /// The program has no such package.
    #[error("tau has no package {name}{}", hint)]
    NoBuiltin {
        /// As it was typed.
        name: String,
        /// What was probably meant, or what there is.
        hint: String,
    },
    /// No settings name the package.
    #[error("No matching package found for {source_text}{}", nearest.as_ref().map(|name| format!(". Did you mean {name}?")).unwrap_or_default())]
    NotNamed {
        /// As it was typed.
        source_text: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
}

/// What was done to one package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The source, as settings have it.
    pub source: String,
    /// Before and after; `None` for paths.
    pub change: Option<Change>,
    /// What the user should know besides.
    pub notes: Vec<String>,
}

/// What an update did to one package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    /// The source, as settings have it.
    pub source: String,
    /// The settings file.
    pub layer: Layer,
    /// What was done, or why not.
    pub result: Result<Report, PackageError>,
}

/// A package that settings name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The source, as settings have it; without passwords.
    pub source: String,
    /// The settings file.
    pub layer: Layer,
    /// Whether only a part of it is used.
    pub filtered: bool,
    /// Its folder, when it is there.
    pub folder: Option<PathBuf>,
    /// Its version.
    pub version: Option<String>,
}

fn no_builtin(name: &str) -> PackagesError {
    let hint = match nearest_builtin(name) {
        Some(known) if builtin_package(known).is_none() && known == name => {
            format!(": it is an extension; switch it on with `tau config enable {name}`")
        }
        Some(meant) => format!("; did you mean {meant}?"),
        None => {
            let known: Vec<&str> = BUILTIN_PACKAGES.iter().map(|package| package.name).collect();
            format!("; there is {}", known.join(", "))
        }
    };
    PackagesError::NoBuiltin { name: name.to_owned(), hint }
}

/// Whether a file can be an extension.
fn is_module(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| matches!(extension, "ts" | "mts" | "cts" | "tsx" | "js" | "mjs" | "cjs" | "jsx"))
}

impl Packages {
    /// Settings of a project count when they were loaded as trusted.
    pub fn new(env: Environment, settings: Arc<SettingsStore>, installer: PackageInstaller) -> Self {
        Self { env, settings, installer }
    }

    /// Installs a package and names it in a settings file.
    ///
    /// # Errors
    /// When it cannot be had or the settings cannot be written; a damaged settings file is noticed before anything is
    /// installed.
    pub async fn install(&self, source: &str, layer: Layer) -> Result<Done, PackagesError> {
        self.check(layer)?;
        let parsed = Source::parse(source);
        let report = match &parsed {
            Source::Builtin(name) if builtin_package(name).is_none() => return Err(no_builtin(name)),
            Source::Local(path) => {
                let path = self.env.resolve(path, &self.env.cwd);
                if !path.exists() {
                    return Err(PackagesError::NoPath { path });
                }
                if path.is_file() && !is_module(&path) {
                    return Err(PackagesError::NoModule { path });
                }
                Report::default()
            }
            _ => self.store(layer).install(&parsed, Wish::Newest).await?,
        };
        let snapshot = self.settings.snapshot();
        let scope = Scope { env: &self.env, base: snapshot.paths().base(layer) };
        let add = |entries: Option<Value>| Some(Value::Array(scope.add(list(entries), source)));
        self.settings.update(layer, keys::PACKAGES, add)?;
        Ok(Done { source: scope.written(source), change: report.change, notes: report.notes })
    }

    /// Removes a package from a settings file, and its files.
    ///
    /// # Errors
    /// When the file does not name it, or something cannot be written.
    pub async fn remove(&self, source: &str, layer: Layer) -> Result<Done, PackagesError> {
        self.check(layer)?;
        let snapshot = self.settings.snapshot();
        let scope = Scope { env: &self.env, base: snapshot.paths().base(layer) };
        let entries = list(snapshot.get_in(layer, keys::PACKAGES).cloned());
        let Some(named) = scope.position(&entries, source).and_then(|at| source_of(&entries[at])).map(str::to_owned)
        else {
            return Err(self.not_named(source));
        };
        let report = self.store(layer).remove(&Source::parse(&named)).await?;
        let take = |entries: Option<Value>| {
            let mut entries = list(entries);
            while let Some(at) = scope.position(&entries, source) {
                entries.remove(at);
            }
            Some(Value::Array(entries))
        };
        self.settings.update(layer, keys::PACKAGES, take)?;
        Ok(Done { source: named, change: report.change, notes: report.notes })
    }

    /// Brings one package, or all, to the newest version that their sources allow. Paths and exact versions stay.
    ///
    /// # Errors
    /// When no settings name `source`.
    pub async fn update(&self, source: Option<&str>) -> Result<Vec<Updated>, PackagesError> {
        let mut done = Vec::new();
        for (written, layer) in self.named(source)? {
            let parsed = Source::parse(&written);
            let store = self.store(layer);
            let wish = if parsed.is_exact() && store.place().has(&parsed) { Wish::Pinned } else { Wish::Newest };
            if !parsed.is_here() {
                (self.installer.progress)(&format!("Updating {parsed}"));
            }
            let result = store.install(&parsed, wish).await;
            done.push(Updated { source: written, layer, result });
        }
        Ok(done)
    }

    /// Installs what settings name and is not there, as the lock files say.
    pub async fn install_missing(&self) -> Vec<Updated> {
        let mut done = Vec::new();
        for (written, layer) in self.named(None).unwrap_or_default() {
            let parsed = Source::parse(&written);
            let store = self.store(layer);
            if !parsed.is_here() && !store.place().has(&parsed) {
                (self.installer.progress)(&format!("Installing {parsed}"));
                let result = store.install(&parsed, Wish::Pinned).await;
                done.push(Updated { source: written, layer, result });
            }
        }
        done
    }

    /// The packages of both files, the user's first.
    pub fn list(&self) -> Vec<Listed> {
        let snapshot = self.settings.snapshot();
        let mut all = Vec::new();
        for layer in [Layer::Global, Layer::Project] {
            let place = place_of(snapshot.paths(), layer);
            for entry in list(snapshot.get_in(layer, keys::PACKAGES).cloned()) {
                let Some(written) = source_of(&entry) else { continue };
                let source = Source::parse(written);
                let (folder, version) = match &source {
                    Source::Builtin(_) => (None, None),
                    Source::Local(path) => {
                        let path = self.env.resolve(path, snapshot.paths().base(layer));
                        (path.exists().then_some(path), None)
                    }
                    _ => place.installed(&source).map_or((None, None), |found| (Some(found.folder), found.version)),
                };
                let source = if written.contains('@') && matches!(source, Source::Git(_)) {
                    source.to_string()
                } else {
                    written.to_owned()
                };
                all.push(Listed { source, layer, filtered: entry.is_object(), folder, version });
            }
        }
        all
    }

    /// A file that cannot be changed is known before anything is fetched.
    fn check(&self, layer: Layer) -> Result<(), PackagesError> {
        let snapshot = self.settings.snapshot();
        let path = snapshot.paths().file(layer);
        if layer == Layer::Project && !snapshot.is_trusted() {
            return Err(SettingsError::Untrusted { path }.into());
        }
        match snapshot.errors().iter().find(|error| error.path() == path && error.is_of_whole_file()) {
            Some(error) => Err(error.clone().into()),
            None => Ok(()),
        }
    }

    fn store(&self, layer: Layer) -> tau_packages::Store {
        let settings = self.settings.snapshot();
        let place = place_of(settings.paths(), layer);
        self.installer.store(&self.env, &settings, place, Some(layer))
    }

    /// What settings name, or one package of it.
    fn named(&self, source: Option<&str>) -> Result<Vec<(String, Layer)>, PackagesError> {
        let snapshot = self.settings.snapshot();
        let mut named = Vec::new();
        for layer in [Layer::Global, Layer::Project] {
            let scope = Scope { env: &self.env, base: snapshot.paths().base(layer) };
            let entries = list(snapshot.get_in(layer, keys::PACKAGES).cloned());
            let only = source.map(|source| scope.position(&entries, source));
            let wanted = entries.iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == Some(*at)));
            named.extend(wanted.filter_map(|(_, entry)| Some((source_of(entry)?.to_owned(), layer))));
        }
        match source {
            Some(source) if named.is_empty() => Err(self.not_named(source)),
            _ => Ok(named),
        }
    }

    fn not_named(&self, typed: &str) -> PackagesError {
        let bare = typed.trim();
        let means = |listed: &Listed| match Source::parse(&listed.source) {
            Source::Npm(npm) => npm.name == bare || format!("{}@{}", npm.name, npm.version.unwrap_or_default()) == bare,
            Source::Git(git) => {
                let short = format!("{}/{}", git.host, git.path);
                short == bare || git.path == bare || git.reference.is_some_and(|name| format!("{short}@{name}") == bare)
            }
            Source::Builtin(name) => name.strip_prefix("builtin:") == Some(bare),
            Source::Local(_) => false,
        };
        let nearest = self.list().into_iter().find(means).map(|listed| listed.source);
        PackagesError::NotNamed { source_text: Source::parse(typed).to_string(), nearest }
    }
}
