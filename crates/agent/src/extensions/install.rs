//! Installing what settings and the command line name and nobody has installed yet.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tau_packages::{Access, PackageError, Place, Source, Store, Wish};

use super::discover::configured;
use super::options::DiscoveryOptions;
use super::source::{place_of, place_tried};
use crate::settings::{Environment, Layer, Settings};

/// How missing packages are got.
#[derive(Clone)]
pub struct PackageInstaller {
    /// Whether the network may not be used.
    pub offline: bool,
    /// Is told what is done, in a few words each time.
    pub progress: Arc<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for PackageInstaller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackageInstaller").field("offline", &self.offline).finish_non_exhaustive()
    }
}

impl PackageInstaller {
    /// The store at a place. Settings for npm that are part of a project count only for its packages.
    pub(crate) fn store(&self, env: &Environment, settings: &Settings, place: Place, layer: Option<Layer>) -> Store {
        let npmrc = match layer {
            Some(Layer::Project) => vec![env.cwd.join(".npmrc")],
            _ => Vec::new(),
        };
        let access = Access {
            home: env.home.clone(),
            vars: settings.variables(),
            npmrc,
            offline: self.offline,
            progress: Arc::clone(&self.progress),
        };
        Store::new(place, access)
    }
}

/// What could not be installed, by the source as it was written.
pub(super) type Failures = BTreeMap<String, PackageError>;

/// Puts back what a kill left in the middle of a change: what lies there must be neither loaded nor missed.
pub(super) async fn mend(
    installer: &PackageInstaller,
    env: &Environment,
    settings: &Settings,
    options: &DiscoveryOptions,
) {
    let users = Some((place_of(settings.paths(), Layer::Global), Some(Layer::Global)));
    let projects = settings.is_trusted().then(|| (place_of(settings.paths(), Layer::Project), Some(Layer::Project)));
    let tried = (!options.paths.is_empty()).then(|| (place_tried(env), None));
    for (place, layer) in [users, projects, tried].into_iter().flatten() {
        if let Err(error) = installer.store(env, settings, place, layer).recover().await {
            (installer.progress)(&error.to_string());
        }
    }
}

/// Installs what is missing, or is there in a version that its source does not allow. What only the command line names is
/// brought to the newest version each time; where that fails, the one that is there is used. Gives whether anything was
/// done, and what failed.
pub(super) async fn install_missing(
    installer: &PackageInstaller,
    env: &Environment,
    settings: &Settings,
    options: &DiscoveryOptions,
) -> (bool, Failures) {
    let mut done = false;
    let mut failures = Failures::new();
    for (source, place) in tried(env, settings, options).into_iter().filter(|_| !installer.offline) {
        let store = installer.store(env, settings, place, None);
        let newer = async {
            if store.has_newer(&source).await? {
                store.install(&source, Wish::Newest).await.map(Some)
            } else {
                Ok(None)
            }
        };
        match newer.await {
            Ok(report) => {
                done |= report.is_some();
                report.iter().flat_map(|report| &report.notes).for_each(|note| (installer.progress)(note));
            }
            Err(error) => (installer.progress)(&format!("could not check for a newer version of {source}: {error}")),
        }
    }
    for (written, source, place, layer) in missing(env, settings, options) {
        (installer.progress)(&format!("Installing {source}"));
        match installer.store(env, settings, place, layer).install(&source, Wish::Pinned).await {
            Ok(report) => {
                done = true;
                report.notes.iter().for_each(|note| (installer.progress)(note));
            }
            Err(error) => drop(failures.insert(written, error)),
        }
    }
    (done, failures)
}

/// What the command line names and an earlier run has fetched, unless it is an exact version.
fn tried(env: &Environment, settings: &Settings, options: &DiscoveryOptions) -> Vec<(Source, Place)> {
    let (users, tried) = (place_of(settings.paths(), Layer::Global), place_tried(env));
    let sources = options.paths.iter().map(|written| Source::parse(written));
    let is_tried = |source: &Source| {
        !source.is_exact() && source.check().is_ok() && users.installed(source).is_none() && tried.has(source)
    };
    sources.filter(is_tried).map(|source| (source, tried.clone())).collect()
}

type Missing = (String, Source, Place, Option<Layer>);

fn missing(env: &Environment, settings: &Settings, options: &DiscoveryOptions) -> Vec<Missing> {
    let mut missing = Vec::new();
    for package in configured(env, settings, &mut Vec::new()) {
        // An entry that changes another one stands for what that one names, in that one's place.
        let layer = if package.base == settings.paths().agent_dir { Layer::Global } else { Layer::Project };
        let place = place_of(settings.paths(), layer);
        let is_here = package.source.is_here() || place.has(&package.source);
        if !is_here
            && package.source.check().is_ok()
            && !missing.iter().any(|(_, source, known, _)| *source == package.source && *known == place)
        {
            missing.push((package.entry.source.clone(), package.source, place, Some(layer)));
        }
    }
    for written in &options.paths {
        let source = Source::parse(written);
        let (users, tried) = (place_of(settings.paths(), Layer::Global), place_tried(env));
        let is_here = source.is_here() || users.installed(&source).is_some() || tried.has(&source);
        if !is_here && source.check().is_ok() {
            missing.push((written.clone(), source, tried, None));
        }
    }
    missing
}
