//! What scripts are loaded into, as the settings and directories of a session have it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tau_hooks::Hooks;
use tau_script::{HookFinder, LoadContext, ScriptLimits, Surroundings};
use tau_tools::Leftovers;

use crate::hook_folders::{HookChoice, HookRegistry, ProviderPlace};
use crate::settings::{Environment, Settings};

/// What runs scripts may know of directories and variables.
pub fn surroundings(env: &Environment) -> Surroundings {
    Surroundings { cwd: env.cwd.clone(), vars: env.vars.clone() }
}

/// What the scripts of a session are loaded into.
pub fn load_context(hooks: &Arc<Hooks>, env: &Environment, settings: &Settings, leftovers: Leftovers) -> LoadContext {
    let limits = settings.tau().limits;
    LoadContext {
        hooks: Arc::clone(hooks),
        surroundings: Surroundings { cwd: env.cwd.clone(), vars: settings.variables() },
        limits: ScriptLimits {
            stretch: limits.stretch,
            memory: limits.memory,
            isolated_memory: limits.isolated_memory,
            load: limits.load,
        },
        leftovers,
        finder: Arc::new(Registry),
    }
}

/// Finds hooks by the registry, with the settings of the user in the place that is asked about.
struct Registry;

impl HookFinder for Registry {
    fn find(&self, home: &Path, place: &Surroundings) -> Vec<PathBuf> {
        let env = Environment { home: home.to_owned(), cwd: place.cwd.clone(), vars: place.vars.clone() };
        let choice = HookChoice::of(&Settings::load(&env, false));
        let place = ProviderPlace { env: &env, project: true };
        HookRegistry::standard().load(place, &choice).items.into_iter().map(|item| item.path).collect()
    }
}
