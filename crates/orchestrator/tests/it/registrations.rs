//! What each module registers: `tests/golden/registrations.jsonl`, a line a module and mode.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_agent_testkit::World;
use tau_hooks::events::TABLE;
use tau_hooks::{Mode, Owner};
use tau_orchestrator::MODULES;
use tau_testkit::GoldenTrace;

use crate::world::{load, provide};

/// What one extension has registered; what is empty is left out.
fn registered(world: &World, owner: &Arc<Owner>) -> Value {
    let hooks = &world.hooks;
    let is_own = |other: &Arc<Owner>| Arc::ptr_eq(other, owner);
    let handlers = TABLE.iter().filter_map(|row| {
        let all = hooks.dispatcher.handlers(row.id);
        let own = all.iter().filter(|handler| is_own(&handler.owner)).count();
        (own > 0).then(|| if own == 1 { row.id.name().to_owned() } else { format!("{} ×{own}", row.id.name()) })
    });
    fn of<T>(all: Vec<(Arc<Owner>, T)>, owner: &Arc<Owner>, name: impl Fn(T) -> String) -> Vec<String> {
        all.into_iter().filter(|(other, _)| Arc::ptr_eq(other, owner)).map(|(_, one)| name(one)).collect()
    }
    let commands = hooks.commands().into_iter().filter(|entry| is_own(&entry.owner)).map(|entry| entry.name);
    let all = [
        ("tools", of(hooks.tools(), owner, |tool| tool.spec().name.clone())),
        ("commands", commands.collect()),
        ("templates", of(hooks.templates(), owner, |template| template.name)),
        ("handlers", handlers.collect()),
        ("promptSegments", of(hooks.prompt_segments(), owner, |segment| segment.name.to_string())),
        ("settings", of(hooks.setting_specs(), owner, |setting| setting.key)),
        ("flags", of(hooks.flag_specs(), owner, |flag| flag.name)),
        ("shortcuts", of(hooks.shortcuts(), owner, |shortcut| shortcut.key.to_string())),
        ("checks", of(hooks.checks(), owner, |check| check.name.to_string())),
        ("providers", of(hooks.providers(), owner, |provider| provider.name)),
    ];
    all.into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| (what.to_owned(), json!(names)))
        .collect()
}

/// A session whose extensions find their environment while they register, as in the program.
fn inside_neovim(mode: Mode) -> World {
    let mut world = World::new(json!([])).with_var("NVIM", "/nowhere");
    world.mode = mode;
    provide(&world);
    world
}

#[tokio::test]
async fn each_module_registers_what_the_list_says() {
    let mut golden = GoldenTrace::new();
    for mode in [Mode::Tui, Mode::Print] {
        for module in MODULES {
            let world = inside_neovim(mode);
            load(&world, &[&module.name["builtin:".len()..]]);
            // Some is registered when the session begins.
            let running = world.start().await;
            let owner = world.hooks.extensions().into_iter().find(|owner| &*owner.path == module.name);
            let registered = registered(&world, &owner.expect("the module"));
            golden.add(&json!({"module": module.name, "mode": mode, "registers": registered}));
            drop(running);
        }
    }
    golden.check("tests/golden/registrations.jsonl");
}

/// Names that two modules register would be a conflict in each session with both.
#[tokio::test]
async fn together_they_register_the_same_and_no_name_twice() {
    let names: Vec<&str> = MODULES.iter().map(|module| &module.name["builtin:".len()..]).collect();
    let world = inside_neovim(Mode::Tui);
    load(&world, &names);
    let running = world.start().await;
    let together: Vec<(String, Value)> = world
        .hooks
        .extensions()
        .into_iter()
        .filter(|owner| owner.path.starts_with("builtin:"))
        .map(|owner| (owner.path.to_string(), registered(&world, &owner)))
        .collect();
    let order: Vec<&str> = together.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(order, MODULES.iter().map(|module| module.name).collect::<Vec<_>>());
    let mut taken: Vec<String> = Vec::new();
    for (_, registered) in &together {
        for kind in ["tools", "commands", "templates", "flags"] {
            taken.extend(registered[kind].as_array().into_iter().flatten().map(|name| format!("{kind} {name}")));
        }
    }
    let all = taken.len();
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), all, "{taken:?}");
    drop(running);
}
