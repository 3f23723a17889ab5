//! Extensions that are part of the program and that the user can switch: which of them a session has, and how they get
//! there.
//!
//! They work behind all others. One whose tool or command another extension brings makes room for that.

use std::sync::Arc;

use tau_hooks::dialect::PI;
use tau_hooks::{Extension, HandlerError, Hooks, LoadError, Owner, Report};

use super::options::DiscoveryOptions;
use crate::found::Replaced;
use crate::package_entry::{is_builtin_chosen, is_wanted_in};
use crate::settings::{Layer, Settings, builtin_package_of};

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
    is_builtin_chosen(name, settings)
}

/// What decides about the extensions of the program in a session.
pub(super) struct Around<'a> {
    pub options: &'a DiscoveryOptions,
    pub settings: &'a Settings,
    /// Packages that an extension of a file takes the place of.
    pub replaced: &'a [Replaced],
    /// The session is a child in this program.
    pub of_child: bool,
    /// The extensions that the project brings.
    pub of_project: &'a [Arc<Owner>],
}

/// The extensions of the program that a session has loaded.
#[derive(Default)]
pub(super) struct LoadedBuiltins(Vec<(&'static str, Arc<Owner>)>);

impl LoadedBuiltins {
    /// Loads those that are wanted and not there, and removes the others. Gives what failed.
    pub(super) fn bring(&mut self, hooks: &Arc<Hooks>, all: &[BuiltinExtension], around: Around<'_>) -> Vec<LoadError> {
        let Around { options, settings, replaced, of_child, of_project } = around;
        let is_of_project = |owner: &Arc<Owner>| of_project.iter().any(|one| Arc::ptr_eq(one, owner));
        let mut failures = Vec::new();
        let is_replaced = |name: &str| {
            builtin_package_of(name).is_some_and(|of| replaced.iter().any(|replaced| replaced.package == of.name))
        };
        // What the command line names alone works beside whatever there is.
        let is_named = |name: &str| options.builtins.iter().any(|one| one == name);
        let is_on = |name: &str| is_builtin_on(name, options, settings) && (!is_replaced(name) || is_named(name));
        hooks.withhold(all.iter().filter(|one| !is_on(one.name)).map(|one| one.name.to_owned()));
        let is_child = settings.is_of_child();
        hooks.set_of_child(is_child);
        // A child in this program has no servers and no scripts of its own; it has the suite, whose modules guard it.
        let is_here = |name: &str| !of_child || builtin_package_of(name).is_some();
        for BuiltinExtension { name, extension, in_children, .. } in all.iter().filter(|one| is_here(one.name)) {
            let wanted = is_on(name) && (*in_children || !is_child);
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
        let is_users = |name: &str| {
            let package = builtin_package_of(name);
            let is_named = |one: &String| one == name || package.is_some_and(|package| *one == package.name);
            options.builtins.iter().any(is_named)
                || package.is_some_and(|package| is_wanted_in(Layer::Global, name, package, settings))
        };
        failures.extend(self.make_room(hooks, is_users, is_of_project));
        failures
    }

    /// Removes those of which another extension has a tool or a command. A project takes nothing away from the user: of its
    /// extension and a module that `is_users`, the extension goes. Gives what is not loaded for that reason.
    fn make_room(
        &mut self,
        hooks: &Arc<Hooks>,
        is_users: impl Fn(&str) -> bool,
        is_of_project: impl Fn(&Arc<Owner>) -> bool,
    ) -> Vec<LoadError> {
        let of_program = |owner: &Arc<Owner>| self.0.iter().any(|(_, builtin)| Arc::ptr_eq(builtin, owner));
        let mut clashes: Vec<(Arc<Owner>, Arc<Owner>, String)> = Vec::new();
        for (_, builtin) in &self.0 {
            let names = hooks.names_of(builtin);
            let others = hooks.extensions().into_iter().filter(|other| !of_program(other));
            clashes.extend(others.filter_map(|other| {
                let taken = hooks.names_of(&other).into_iter().find(|name| names.contains(name))?;
                Some((Arc::clone(builtin), other, taken))
            }));
        }
        let (refused, replaced): (Vec<_>, Vec<_>) =
            clashes.into_iter().partition(|(builtin, other, _)| is_users(&builtin.path) && is_of_project(other));
        let mut failures: Vec<LoadError> = Vec::new();
        for (builtin, other, name) in refused {
            if failures.iter().any(|failure| failure.path == *other.path) {
                continue;
            }
            let why = format!("{name} belongs to {}, which you switched on; a project cannot replace it", builtin.path);
            failures.push(hooks.failed_to_load(&other.path, &HandlerError::msg(why)));
            hooks.unload(&other);
        }
        for (builtin, other, name) in replaced {
            if failures.iter().any(|failure| failure.path == *other.path) || !self.has(&builtin) {
                continue;
            }
            let text = format!("{name} of {} takes the place of {}, which is left out", other.path, builtin.path);
            hooks.dispatcher.reports.send(&Report::diagnostic(Arc::clone(&other.path), "load", text));
            hooks.unload(&builtin);
            self.0.retain(|(_, loaded)| !Arc::ptr_eq(loaded, &builtin));
        }
        failures
    }

    fn has(&self, builtin: &Arc<Owner>) -> bool {
        self.0.iter().any(|(_, loaded)| Arc::ptr_eq(loaded, builtin))
    }
}
