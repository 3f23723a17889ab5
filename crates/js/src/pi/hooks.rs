//! Where hooks are.

use std::path::PathBuf;

use tau_agent::hook_folders::{HookChoice, HookRegistry, ProviderPlace};
use tau_agent::settings::{Environment, Settings};

use crate::ops::List;
use crate::ops::table::{Host, ops};

ops! {
    /// Where hooks are.
    pub(crate) static OPS: watched;

    /// The files that the registry has for a directory, in the order in which they count. The caller has decided that the project's are wanted.
    fn piHooks(cwd, home) = pi_hooks, Recorded;
}

fn pi_hooks(Host(host): Host, cwd: String, home: String) -> List<String> {
    let mut env = Environment::new(PathBuf::from(home), host.resolve(&cwd));
    env.vars.clone_from(&host.env());
    let choice = HookChoice::of(&Settings::load(&env, false));
    let place = ProviderPlace { env: &env, project: true };
    let items = HookRegistry::standard().load(place, &choice).items;
    List(items.into_iter().map(|item| item.path.to_string_lossy().into_owned()).collect())
}
