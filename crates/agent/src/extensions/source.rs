//! Where installed packages are, in the layout that pi uses too.

use std::path::{Path, PathBuf};

use tau_packages::{LOCK_FILE, Place, Source};

use crate::settings::{Environment, Layer, SettingsPaths};

/// Folder below the agent folder for packages that are tried on the command line.
const TRIED: &str = "tmp/extensions";
/// Where pi puts those of npm.
const TRIED_NPM: &str = "npm/f35b2129";

/// Where the packages of a settings file are.
pub(crate) fn place_of(paths: &SettingsPaths, layer: Layer) -> Place {
    place_in(paths.base(layer), layer == Layer::Project)
}

/// Where packages are that were named on the command line and are not installed for the user.
pub(crate) fn place_tried(env: &Environment) -> Place {
    let base = env.agent_dir().join(TRIED);
    let (npm, git) = (base.join(TRIED_NPM), base.join("git"));
    Place { npm, git, lock: base.join(LOCK_FILE), shared_lock: false }
}

fn place_in(base: &Path, shared_lock: bool) -> Place {
    Place { npm: base.join("npm"), git: base.join("git"), lock: base.join(LOCK_FILE), shared_lock }
}

/// What tells two sources of the same package apart from two packages.
pub(crate) fn identity(source: &Source, env: &Environment, base: &Path) -> String {
    match source {
        Source::Local(path) => format!("local:{}", env.resolve(path, base).display()),
        _ => source.identity(),
    }
}

/// Where a package can be, the likeliest place first. `base` is the folder of the settings file, or where the command
/// line's paths start. Empty for names that lead out of the folders for packages.
pub(super) fn places(source: &Source, env: &Environment, base: &Path) -> Vec<PathBuf> {
    match source {
        Source::Builtin(_) => Vec::new(),
        Source::Local(path) => vec![env.resolve(path, base)],
        _ => [place_in(base, false), place_tried(env)].iter().filter_map(|place| place.folder_of(source)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Component;

    use super::*;

    proptest::proptest! {
        /// Whatever is written, an installed package lies below a folder for packages.
        #[test]
        fn installed_packages_stay_where_packages_are(rest in "[a-z@:./%\\\\~-]{0,24}", kind in 0..3_usize) {
            let source = format!("{}{rest}", ["npm:", "git:", "https://"][kind]);
            let env = Environment::new("/home/ada", "/work");
            let parsed = Source::parse(&source);
            if !parsed.is_here() {
                for place in places(&parsed, &env, Path::new("/base")) {
                    let inside = ["/base/npm/node_modules", "/base/git", "/home/ada/.pi/agent/tmp"];
                    proptest::prop_assert!(inside.iter().any(|folder| place.starts_with(folder)), "{source}: {place:?}");
                    let climbs = place.components().any(|part| part == Component::ParentDir);
                    proptest::prop_assert!(!climbs, "{source}: {place:?}");
                }
            }
        }
    }

    #[test]
    fn no_source_leads_out_of_the_folder_of_packages() {
        let env = Environment::new("/home/ada", "/work");
        for source in ["npm:../../x", "npm:/etc", "npm:a/../../x", "npm:", "git:../x/y", "git:example.org/../../etc"] {
            assert_eq!(places(&Source::parse(source), &env, Path::new("/base")), Vec::<PathBuf>::new(), "{source}");
        }
        let found = places(&Source::parse("npm:@me/tool"), &env, Path::new("/base"));
        assert_eq!(found[0], Path::new("/base/npm/node_modules/@me/tool"));
    }
}
