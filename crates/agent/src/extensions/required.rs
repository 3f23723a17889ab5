//! Which extensions have to be there, and which of those that were found are good enough.

use std::path::Path;
use std::sync::Arc;

use tau_hooks::{Demand, Hooks, LoadError, Required};
use tau_packages::Source;

use super::builtins::BuiltinExtension;
use super::discover::unknown_builtin;
use crate::found::{Found, FoundExtension};
use crate::origin::ExtensionOrigin;
use crate::settings::{
    Environment, Layer, Settings, builtin_package, builtin_package_of, is_builtin_extension, is_builtin_name, keys,
};

/// What the setting `tau.required` and the command line want of the extensions that were found, and of those of the program.
pub(super) fn required(
    env: &Environment,
    settings: &Settings,
    found: &Found,
    hooks: &Hooks,
    builtins: &[BuiltinExtension],
) -> Vec<Required> {
    let users = settings.get_in(Layer::Global, keys::REQUIRED).and_then(|value| value.as_array());
    let is_users = |name: &str| users.is_some_and(|users| users.iter().any(|entry| entry == name));
    let mut all: Vec<Required> = Vec::new();
    // What a parent session requires is required there.
    for name in settings.tau().required.into_iter().filter(|name| !settings.is_required_above(name)) {
        if is_builtin_name(&name) {
            all.extend(of_program(&name, settings, found, builtins));
            continue;
        }
        let own = is_users(&name);
        let meant = |found: &&FoundExtension| is_meant(env, &name, own, found);
        let mut by: Vec<Arc<str>> = found.extensions.iter().filter(meant).map(path_of).collect();
        // What is part of the program nobody else can bring along.
        let natives = hooks.extensions().into_iter().filter(|owner| owner.path.starts_with("<native:"));
        by.extend(natives.filter(|owner| owner.answers_to(&name)).map(|owner| Arc::clone(&owner.path)));
        let other = found.extensions.iter().find(|found| found.answers_to(&name) && !meant(found)).map(path_of);
        all.push(Required { demand: Demand::Setting, by: Some(by), other, name });
    }
    let files = found.extensions.iter().filter(|found| found.named).map(|found| &found.path);
    let absent = found.absent.iter().filter(|absent| absent.origin == ExtensionOrigin::CommandLine);
    for path in files.chain(absent.map(|absent| &absent.path)) {
        let name = path.display().to_string();
        let by = Some(vec![Arc::from(name.as_str())]);
        all.push(Required { name, demand: Demand::CommandLine, by, other: None });
    }
    all.extend(settings.unknown().map(|error| Required {
        name: error.path().display().to_string(),
        demand: Demand::Unknown,
        by: Some(Vec::new()),
        other: None,
    }));
    all
}

/// What an entry means that names an extension of the program, or a package of such: each of them has to be there. Of a child
/// session only those are required that children have.
fn of_program(name: &str, settings: &Settings, found: &Found, builtins: &[BuiltinExtension]) -> Vec<Required> {
    let is_child = settings.is_of_child();
    let may_be_there = |name: &&str| !is_child || !builtins.iter().any(|one| one.name == *name && !one.in_children);
    let required = |by: &str| Required {
        name: by.to_owned(),
        demand: Demand::Setting,
        by: Some(vec![Arc::from(by)]),
        other: replaced_by(by, found),
    };
    match builtin_package(name) {
        Some(package) => package.modules.iter().copied().filter(may_be_there).map(required).collect(),
        None => Some(name).filter(may_be_there).map(required).into_iter().collect(),
    }
}

/// The extension that takes the place of one of the program.
fn replaced_by(name: &str, found: &Found) -> Option<Arc<str>> {
    let package = builtin_package_of(name)?;
    let replaced = found.replaced.iter().find(|replaced| replaced.package == package.name)?;
    Some(replaced.by.display().to_string().into())
}

/// What is wrong with the files that may require extensions, and with names in them, for the reason.
pub(super) fn unknown(settings: &Settings) -> impl Iterator<Item = LoadError> {
    let files = settings
        .unknown()
        .map(|error| LoadError { path: error.path().display().to_string(), error: error.to_string().into() });
    let is_misspelt = |name: &String| is_builtin_name(name) && !is_builtin_extension(name);
    let names = settings.tau().required.into_iter().filter(is_misspelt);
    files.chain(names.map(|name| LoadError { error: unknown_builtin(&name).into(), path: name }))
}

/// Whether an extension is one that the entry `wanted` of `tau.required` can mean. A name means nothing in the hands of a
/// project, which can call its files as it likes: so an entry of the user's means the user's own extensions, the one at an
/// absolute path, or that of a package. What the project requires it may bring along itself.
fn is_meant(env: &Environment, wanted: &str, users: bool, found: &FoundExtension) -> bool {
    if wanted.starts_with(['/', '~']) {
        let path = env.resolve(wanted, &env.cwd);
        return found.path == path
            || found.package_root.as_ref() == Some(&path)
            || std::fs::canonicalize(&path).is_ok_and(|path| found.real_path == path);
    }
    let source = Source::parse(wanted);
    if !source.is_here() {
        let package = found.package.as_deref().map(Source::parse);
        return package.is_some_and(|package| package.identity() == source.identity());
    }
    (!users || !is_of_project(env, found)) && found.answers_to(wanted)
}

/// Whether the project decides what is in an extension: it was found by the project's settings or folders, or by a
/// relative path that leads into the project.
pub(super) fn is_of_project(env: &Environment, found: &FoundExtension) -> bool {
    let inside = |folder: &Path| found.path.starts_with(folder);
    found.origin.layer() == Some(Layer::Project)
        || (found.origin == ExtensionOrigin::UserSettings
            && inside(&env.cwd)
            && !inside(&env.agent_dir())
            && !env.home.starts_with(&env.cwd))
}

fn path_of(found: &FoundExtension) -> Arc<str> {
    found.path.display().to_string().into()
}
