//! Extensions that are part of the program and that the user can switch: which of them a session has, and how they get
//! there.
//!
//! They work behind all others. One whose tool or command another extension brings makes room for that.

use std::sync::Arc;

use serde_json::Value;
use tau_hooks::dialect::PI;
use tau_hooks::{Extension, Hooks, LoadError, Owner, Report};

use super::DiscoveryOptions;
use super::package::PackageEntry;
use crate::settings::{BuiltinPackage, Layer, Settings, builtin_package_of, keys};

/// An extension that is part of the program and that the user can switch.
pub struct BuiltinExtension {
    /// Its name, as `builtin:NAME`.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Whether child sessions have it.
    pub in_children: bool,
    /// The extension. All sessions of the program have this value.
    pub extension: Box<dyn Extension>,
}

/// Whether a session has the extension of the program with this name. The command line decides, then the settings. Without
/// any of them a session has an extension that belongs to no package, and none that belongs to one.
///
/// A project has the last word about an extension of no package. One of a package it can only add: what the user switched
/// on may be a gate.
pub fn is_builtin_on(name: &str, options: &DiscoveryOptions, settings: &Settings) -> bool {
    let package = builtin_package_of(name);
    let is_named =
        |names: &[String]| names.iter().any(|one| one == name || package.is_some_and(|package| *one == package.name));
    if is_named(&options.without) {
        return false;
    }
    if is_named(&options.builtins) {
        return true;
    }
    if options.no_extensions {
        return false;
    }
    let switched = |layer: Layer| settings.builtin_switch(layer, name);
    match package {
        None => switched(Layer::Project).or_else(|| switched(Layer::Global)).unwrap_or(true),
        Some(package) => {
            let said = |layer: Layer| switched(layer).or_else(|| chosen(settings, layer, package, name));
            said(Layer::Global) == Some(true) || said(Layer::Project) == Some(true)
        }
    }
}

/// Whether the `packages` of one file use an extension of a package; nothing when they do not name the package.
fn chosen(settings: &Settings, layer: Layer, package: &BuiltinPackage, name: &str) -> Option<bool> {
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

/// The extensions of the program that a session has loaded.
#[derive(Default)]
pub(super) struct LoadedBuiltins(Vec<(&'static str, Arc<Owner>)>);

impl LoadedBuiltins {
    /// Loads those that are wanted and not there, and removes the others. Gives what failed.
    pub(super) fn bring(
        &mut self,
        hooks: &Arc<Hooks>,
        all: &[BuiltinExtension],
        options: &DiscoveryOptions,
        settings: &Settings,
    ) -> Vec<LoadError> {
        let mut failures = Vec::new();
        let off = all.iter().filter(|one| !is_builtin_on(one.name, options, settings));
        hooks.withhold(off.map(|one| one.name.to_owned()));
        let is_child = settings.is_of_child();
        for BuiltinExtension { name, extension, in_children, .. } in all {
            let wanted = is_builtin_on(name, options, settings) && (*in_children || !is_child);
            match self.0.iter().position(|(loaded, _)| loaded == name) {
                Some(place) if !wanted => hooks.unload(&self.0.remove(place).1),
                None if wanted => {
                    let owner = Owner::new(*name, extension.name(), &PI);
                    match hooks.load_with(owner, |registrar| extension.register(registrar)) {
                        Ok(owner) => self.0.push((name, owner)),
                        Err(error) => failures.push(error),
                    }
                }
                _ => {}
            }
        }
        self.make_room(hooks);
        failures
    }

    /// Removes those of which another extension has a tool or a command.
    fn make_room(&mut self, hooks: &Arc<Hooks>) {
        let of_program = |owner: &Arc<Owner>| self.0.iter().any(|(_, builtin)| Arc::ptr_eq(builtin, owner));
        let mut replaced: Vec<(Arc<Owner>, Arc<Owner>, String)> = Vec::new();
        for (_, builtin) in &self.0 {
            let names = hooks.names_of(builtin);
            let others = hooks.extensions().into_iter().filter(|other| !of_program(other));
            let clash = others.into_iter().find_map(|other| {
                let taken = hooks.names_of(&other).into_iter().find(|name| names.contains(name))?;
                Some((other, taken))
            });
            if let Some((other, name)) = clash {
                replaced.push((Arc::clone(builtin), other, name));
            }
        }
        for (builtin, other, name) in replaced {
            let text = format!("{name} of {} takes the place of {}, which is left out", other.path, builtin.path);
            hooks.dispatcher.reports.send(&Report::diagnostic(Arc::clone(&other.path), "load", text));
            hooks.unload(&builtin);
            self.0.retain(|(_, loaded)| !Arc::ptr_eq(loaded, &builtin));
        }
    }
}
