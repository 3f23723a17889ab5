//! Which dialect a module is loaded under, and what says so.

use std::sync::Arc;

use tau_agent::extensions::load_context;
use tau_agent::settings::{Environment, Settings, SettingsStore};
use tau_js::JsHost;
use tau_script::{DialectEvidence, LoadContext, ScriptHost};

use super::{Hooked, omp, original, pi};
use crate::common::World;
use crate::support::{Scripts, found, write};

fn context(env: &Environment, settings: &Arc<Settings>) -> LoadContext {
    load_context(&tau_hooks::Hooks::new(), env, settings, tau_tools::Leftovers::default())
}

#[tokio::test(flavor = "multi_thread")]
async fn modules_are_loaded_under_the_rules_they_were_written_for() {
    let plain = "export default (pi) => {};".to_owned();
    let unset = "import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';\nexport default (pi: HookAPI) => { pi.on('branch', () => {}); };".to_owned();
    let hooked = Hooked::new(World::new(serde_json::json!([])), &[pi(""), omp(""), original(""), unset, plain]).await;
    let told = hooked.outcomes.iter().map(|outcome| {
        let script = outcome.result.as_ref().expect("a script");
        (script.owner.dialect.id, script.dialect_by.to_string())
    });
    let expected = [
        ("pi", "imports `ExtensionAPI` from `@earendil-works/pi-coding-agent`"),
        ("omp", "imports `HookAPI` from `@oh-my-pi/pi-coding-agent/hooks`"),
        ("original", "its pragma"),
        ("original", "imports `HookAPI` from `@mariozechner/pi-coding-agent/hooks` and uses `on branch`"),
        ("pi", "where it was found"),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected.map(|(id, by)| (id, by.to_owned())));
}

/// The second start takes everything from the cache, and knows the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_warm_start_knows_the_dialect() {
    let world = World::new(serde_json::json!([]));
    let path = write(&world, "hook.ts", &omp("pi.on('tool_call', () => {});"));
    let cache = world.home.root().join("cache");
    let env = world.env();
    let settings = SettingsStore::open(&env, true).snapshot();
    for _ in 0..2 {
        let host = JsHost::new(Some(cache.clone()));
        let with = context(&env, &settings);
        let outcome = host.load(vec![found(&path)], &with).await.remove(0);
        let script = outcome.result.expect("a script");
        assert_eq!(
            (script.owner.dialect.id, script.dialect_by),
            ("omp", DialectEvidence::Source("imports `HookAPI` from `@oh-my-pi/pi-coding-agent/hooks`".to_owned()))
        );
        host.shut_down().await;
    }
    assert_ne!(std::fs::read_dir(&cache).expect("a cache").count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_hook_is_told_in_the_words_of_the_dialect() {
    let world = World::new(serde_json::json!([]));
    let scripts = Scripts::new(&world);
    let head = "import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';\n";
    let cases = [
        ("named.ts", format!("{head}export function hook() {{}}"), "Hook must export a default function"),
        ("value.ts", format!("{head}export default 1;"), "Hook must export a default function"),
        (
            "whole.cts",
            "// @hook-dialect omp\nmodule.exports = { default: {} };".to_owned(),
            "Hook must export a default function",
        ),
        ("throws.ts", format!("{head}throw new Error('at once');"), "Failed to load hook: at once"),
        (
            "factory.ts",
            format!("{head}export default () => {{ throw new Error('in the factory'); }};"),
            "Failed to load hook: in the factory",
        ),
        (
            "later.ts",
            format!("{head}export default async () => {{ await 1; throw new Error('later'); }};"),
            "Failed to load hook: later",
        ),
        (
            "pragma.ts",
            "// @hook-dialect fish\nexport default () => {};".to_owned(),
            "`@hook-dialect fish`: use pi, omp or original",
        ),
        ("plain.ts", "export const x = 1;".to_owned(), "Extension does not export a valid factory function: "),
    ];
    for (name, source, expected) in cases {
        let outcome = scripts.load(&world, &[(name, &source)]).await.remove(0);
        let error = outcome.result.expect_err(name).to_string();
        let path = if name == "plain.ts" { outcome.path.display().to_string() } else { String::new() };
        assert_eq!(error, format!("{expected}{path}"), "{name}");
    }
}

/// A reload finds it out before anything is given up.
#[tokio::test(flavor = "multi_thread")]
async fn a_dialect_that_there_is_not_is_found_without_running_anything() {
    let world = World::new(serde_json::json!([]));
    let path = write(&world, "pragma.ts", "// @hook-dialect fish\nexport default () => {};");
    let env = world.env();
    let settings = SettingsStore::open(&env, true).snapshot();
    let with = context(&env, &settings);
    let [failure] = JsHost::new(None).check(&[found(&path)], &with).await.try_into().expect("one failure");
    let error = (failure.path, failure.error.to_string());
    assert_eq!(error, (path, "`@hook-dialect fish`: use pi, omp or original".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_factory_is_waited_for() {
    let body =
        "await new Promise((done) => setTimeout(done, 20)); pi.registerCommand('late', { handler: async () => {} });";
    let source = omp(body).replace("export default function", "export default async function");
    let hooked = Hooked::new(World::new(serde_json::json!([])), &[source]).await;
    assert_eq!(hooked.world.hooks.commands().iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["late"]);
}

/// What says nothing of itself is what its place says.
#[tokio::test(flavor = "multi_thread")]
async fn folders_of_hooks_say_what_is_in_them() {
    let world = World::new(serde_json::json!(["one"]));
    let plain = "export default (pi) => { pi.on('agent_start', (event, ctx) => ctx.ui.select('t', []).then((it) => pi.events.emit('log', it === null ? 'null' : typeof it))); };";
    world.home.write_agent("hooks/user.ts", plain);
    world.home.write(".pi/hooks/project.ts", plain);
    world.home.write(".omp/hooks/pre/bash.ts", plain);
    world.home.write(".pi/extensions/current.ts", plain);
    world.home.write(".pi/hooks/other.ts", omp("pi.on('agent_start', () => pi.events.emit('log', 'omp'));"));
    let scripts = Scripts::new(&world);
    let extensions = scripts.load_found_in(&world).await;
    let loads = extensions
        .loads()
        .into_iter()
        .map(|load| (load.extension.name, load.loaded_as.unwrap_or_default(), load.error));
    let mut loads: Vec<_> = loads.collect();
    loads.sort();
    let expected =
        [("bash", "omp"), ("current", "pi"), ("other", "omp"), ("project", "original"), ("user", "original")];
    assert_eq!(loads, expected.map(|(name, dialect)| (name.to_owned(), dialect, None)));
    let log = crate::bus::hear(&world, "log");
    world.start().await.say("hi").await;
    let mut told = crate::bus::heard(&log, 5).await;
    told.sort_by_key(ToString::to_string);
    assert_eq!(told, ["null", "null", "omp", "undefined", "undefined"].map(serde_json::Value::from));
}
