//! A session with modules of the suite, as the program loads them.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent::services::ExtensionServices;
use tau_agent::settings::SettingsStore;
use tau_agent_testkit::World;
use tau_hooks::dialect::PI;
use tau_hooks::{Mode, Owner};
use tau_orchestrator::MODULES;

/// A session with these modules, in which the model gives these replies.
pub fn with(modules: &[&str], mode: Mode, replies: Value) -> World {
    let mut world = World::new(replies);
    world.mode = mode;
    load(&world, modules);
    world
}

/// Loads these modules.
pub fn load(world: &World, modules: &[&str]) {
    for module in MODULES.iter().filter(|module| modules.contains(&&module.name["builtin:".len()..])) {
        let extension = (module.make)();
        let owner = Owner::new(module.name, extension.name(), &PI);
        world.hooks.load_with(owner, |registrar| extension.register(registrar)).expect("an extension that loads");
    }
}

/// Lets extensions find settings and variables while they register, as in the program.
pub fn provide(world: &World) {
    world.hooks.serve(ExtensionServices::new(Arc::new(SettingsStore::open(&world.env(), true))));
}

/// A reply that calls a tool.
pub fn call(tool: &str, args: Value) -> Value {
    json!([{"tool_call": {"name": tool, "arguments": args}}])
}
