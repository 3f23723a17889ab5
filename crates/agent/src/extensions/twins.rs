//! A package of the program and an extension of the same name in TypeScript: a session has one of them.
//!
//! Both would ask, block and append the same things twice. What the command line names is wanted. Otherwise the user decides,
//! and a project never takes anything away from the user.

use super::options::DiscoveryOptions;
use crate::found::{Found, FoundExtension, Replaced};
use crate::package_entry::is_chosen_in;
use crate::resources::Diagnostic;
use crate::settings::{BUILTIN_PACKAGES, BuiltinPackage, Layer, Settings, keys};

/// Who wants something. The later ones have more to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wish {
    Project,
    User,
    CommandLine,
}

/// Decides which of the two a session has: extensions that are not used are taken off the list, and packages that are not
/// used are noted on it. Each decision is a notice.
pub(super) fn settle(found: &mut Found, options: &DiscoveryOptions, settings: &Settings) {
    for package in BUILTIN_PACKAGES {
        let is_twin = |one: &FoundExtension| one.form.is_module() && one.name == package.twin;
        let Some(other) = found.extensions.iter().filter(|one| is_twin(one)).map(wish_of).max() else { continue };
        let whole = wish_for(package, options, settings);
        if whole.is_some_and(|native| is_native_used(native, other, settings.of(keys::PREFER_BUILTIN))) {
            let (twins, rest) = std::mem::take(&mut found.extensions).into_iter().partition(is_twin);
            found.extensions = rest;
            let twins: Vec<FoundExtension> = twins;
            for twin in twins {
                let text = format!("skipped: {} is on and has the same modules", package.name);
                found.diagnostics.push(Diagnostic::warning(&twin.path, text));
            }
        } else if let Some(twin) = found.extensions.iter().filter(|one| is_twin(one)).max_by_key(|one| wish_of(one))
            && (whole.is_some() || has_single_modules(package, options, settings))
        {
            let then = match (whole, other) {
                (Some(_), Wish::CommandLine) => ", and the command line names it",
                (Some(_), _) => "; set tau.preferBuiltin to true in your settings to use the built-in one",
                // A single module takes no suite away.
                (None, _) => "; single modules take its place only as a whole, or work beside it with -e",
            };
            let text = format!("{} is off: this extension is the same suite{then}", package.name);
            found.diagnostics.push(Diagnostic::warning(&twin.path, text));
            found.replaced.push(Replaced { package: package.name, by: twin.path.clone() });
        }
    }
}

/// Whether the package is used, and not the extension.
fn is_native_used(native: Wish, other: Wish, is_preferred: bool) -> bool {
    match (native, other) {
        (Wish::CommandLine, Wish::CommandLine) => is_preferred,
        (Wish::CommandLine, _) => true,
        (_, Wish::CommandLine) => false,
        (Wish::User, Wish::Project) => true,
        _ => is_preferred,
    }
}

/// Who wants the package. Single modules of it are another matter: they take no suite away.
fn wish_for(package: &BuiltinPackage, options: &DiscoveryOptions, settings: &Settings) -> Option<Wish> {
    if options.builtins.iter().any(|name| name == package.name) {
        return Some(Wish::CommandLine);
    }
    if options.no_extensions {
        return None;
    }
    let is_wanted = |layer: Layer| package.modules.iter().any(|name| is_chosen_in(layer, name, package, settings));
    let of_user = is_wanted(Layer::Global).then_some(Wish::User);
    of_user.or_else(|| is_wanted(Layer::Project).then_some(Wish::Project))
}

/// Whether settings switch on modules of a package that they do not name.
fn has_single_modules(package: &BuiltinPackage, options: &DiscoveryOptions, settings: &Settings) -> bool {
    let is_wanted =
        |layer: Layer| package.modules.iter().any(|name| settings.builtin_switch(layer, name) == Some(true));
    !options.no_extensions && [Layer::Global, Layer::Project].into_iter().any(is_wanted)
}

fn wish_of(found: &FoundExtension) -> Wish {
    match found.origin.layer() {
        _ if found.named => Wish::CommandLine,
        None => Wish::CommandLine,
        Some(Layer::Global) => Wish::User,
        Some(Layer::Project) => Wish::Project,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wants_what_decides() {
        use Wish::{CommandLine, Project, User};
        for (native, other, used, when_preferred) in [
            (User, User, false, true),
            (User, Project, true, true),
            (Project, User, false, true),
            (Project, Project, false, true),
            (User, CommandLine, false, false),
            (CommandLine, User, true, true),
            (CommandLine, Project, true, true),
            (CommandLine, CommandLine, false, true),
        ] {
            assert_eq!(is_native_used(native, other, false), used, "{native:?} {other:?}");
            assert_eq!(is_native_used(native, other, true), when_preferred, "{native:?} {other:?}");
        }
    }
}
