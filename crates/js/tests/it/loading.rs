//! Factories that do not come to an end.

use std::sync::Arc;

use serde_json::json;
use tau_hooks::bus::EngineId;

use crate::common::tools::spec;
use crate::support::Scripts;
use crate::tour::{self, tour_in};

const STUCK: &str = "import { setTimeout } from 'node:timers';
export default async function (pi) {
  pi.registerTool({ name: 'stuck', description: 's', parameters: { type: 'object', properties: {} }, execute() {} });
  pi.on('tool_call', () => ({ block: true }));
  pi.events.on('anybody', () => pi.events.emit('here', 'stuck'));
  await new Promise(() => {});
}
";

const FINE: &str = "export default async (pi) => {
  pi.events.on('anybody', () => pi.events.emit('here', 'fine'));
};";

#[tokio::test(flavor = "multi_thread")]
async fn a_factory_that_never_settles_is_given_up_whole() {
    for isolate in [json!([]), json!(["stuck"])] {
        let world = tour::world().settings(json!({"tau": {"limits": {"loadMs": 200}, "isolate": isolate}}));
        let stuck = world.home.write_agent("extensions/stuck.ts", STUCK);
        let waits =
            world.home.write_agent("extensions/waits.ts", "await new Promise(() => {});\nexport default () => {};\n");
        world.home.write_agent("extensions/zfine.ts", FINE);
        let scripts = Scripts::new(&world);
        let extensions = scripts.load_found_in(&world).await;
        let (stuck, waits) = (stuck.display(), waits.display());
        let why = "it was not done with loading after 200ms (tau.limits.loadMs)";
        let failures: Vec<String> = extensions.failures().iter().map(ToString::to_string).collect();
        assert_eq!(
            failures,
            [
                format!("Failed to load extension \"{stuck}\": {why} ({stuck}:2:16)"),
                format!("Failed to load extension \"{waits}\": {why} ({waits})"),
            ]
        );
        assert!(world.hooks.tools().is_empty());

        let here = crate::bus::hear(&world, "here");
        let sleeper = Arc::clone(&world.hooks);
        sleeper.bus.emit("anybody", json!(1).into(), EngineId::NATIVE, &"<native:x>".into());
        assert_eq!(crate::bus::heard(&here, 1).await, [json!("fine")]);
        assert_eq!(tour_in(world).await.worked.len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gates_of_a_required_extension_that_never_settles_are_shut() {
    let settings = json!({"tau": {"limits": {"loadMs": 200}, "required": ["stuck"]}});
    let world = tour::world().settings(settings);
    world.home.write_agent("extensions/stuck.ts", STUCK);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    world.extend("worker", |registrar| {
        registrar.tool(spec("work"), |_, _| async { panic!("the gate is open") });
    });
    let running = world.start().await;
    running.say("Do the work.").await;
    let conversation = running.conversation();
    let text = conversation.iter().find(|(role, _)| role == "toolResult").map(|(_, text)| text.as_str());
    assert!(text.is_some_and(|text| text.contains("it was not done with loading after 200ms")), "{conversation:?}");
}

/// Each pause begins a stretch of its own: whichever runs when the time is up, it ends before it can be stopped.
#[tokio::test(flavor = "multi_thread")]
async fn a_factory_that_pauses_again_and_again_is_given_up() {
    let world = tour::world().settings(json!({"tau": {"limits": {"loadMs": 200}}}));
    let script = "const large = Array.from({ length: 20_000 }, () => 'text');
export default async (pi) => {
  // Without a limit the factory ends well at some time.
  const until = Date.now() + 30_000;
  while (Date.now() < until) {
    for (let i = 0; i < 5; i++) JSON.stringify(large);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
};
";
    let path = world.home.write_agent("extensions/busy.ts", script);
    let extensions = Scripts::new(&world).load_found_in(&world).await;
    let failures: Vec<String> = extensions.failures().iter().map(ToString::to_string).collect();
    let path = path.display();
    let why = format!(
        "Failed to load extension \"{path}\": it was not done with loading after 200ms (tau.limits.loadMs) ({path}:2:16)"
    );
    assert_eq!(failures, [why]);
}

/// A factory waits for its children at its own expense.
#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_child_ends_with_the_time_for_loading() {
    let world = tour::world().settings(json!({"tau": {"limits": {"loadMs": 300}}}));
    let script = "import { execSync } from 'node:child_process';
export default (pi) => { execSync('sleep 1000'); };";
    world.home.write_agent("extensions/slow.ts", script);
    let extensions = Scripts::new(&world).load_found_in(&world).await;
    let failures: Vec<String> = extensions.failures().iter().map(ToString::to_string).collect();
    let wanted = "it was not done with loading after 300ms (tau.limits.loadMs): it waited for the command `sleep 1000`";
    assert!(failures.len() == 1 && failures[0].contains(wanted), "{failures:?}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_linked_extension_finds_what_lies_beside_the_file() {
    let world = tour::world();
    world.home.write("work/node_modules/dep/package.json", r#"{"name": "dep", "main": "index.js"}"#);
    world.home.write("work/node_modules/dep/index.js", "module.exports = { name: 'dep' };");
    world.home.write("work/helper.ts", "export const helper: string = 'helper';");
    let source = "import dep from 'dep';
import { helper } from './helper';
export default (pi) => {
  pi.registerCommand(`${dep.name}-${helper}`, { handler: async () => {} });
  pi.registerCommand(__filename.split('/').pop(), { handler: async () => {} });
};";
    let file = world.home.write("work/mine.ts", source);
    let folder = file.with_file_name("packed");
    world.home.write("work/packed/index.ts", source.replace("./helper", "../helper").replace("`$", "`in-$"));
    let extensions = world.home.agent_dir().join("extensions");
    std::fs::create_dir_all(&extensions).expect("a folder");
    std::os::unix::fs::symlink(&file, extensions.join("linked.ts")).expect("a link to a file");
    std::os::unix::fs::symlink(&folder, extensions.join("folder")).expect("a link to a folder");
    let loaded = Scripts::new(&world).load_found_in(&world).await;
    assert!(loaded.failures().is_empty(), "{:?}", loaded.failures());
    let commands: Vec<String> = world.hooks.commands().into_iter().map(|entry| entry.name).collect();
    assert!(
        ["dep-helper", "in-dep-helper", "linked.ts"].iter().all(|name| commands.iter().any(|known| known == name)),
        "{commands:?}"
    );
}

/// What each file is refused for.
async fn refused(files: &[(&str, &str)]) -> Vec<String> {
    let world = tour::world().settings(json!({"tau": {"limits": {"stretchMs": 100}}}));
    for (name, source) in files {
        world.home.write_agent(&format!("extensions/{name}"), source);
    }
    let folder = world.home.agent_dir().join("extensions");
    let extensions = Scripts::new(&world).load_found_in(&world).await;
    let failures = extensions.failures();
    failures.iter().map(|failure| failure.to_string().replace(&folder.display().to_string(), "~")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_stops_a_file_from_loading_is_told_with_its_line() {
    let files = [
        (
            "a.ts",
            "// Nothing yet.\nimport type { T } from './t';\nimport { x } from \"./none\";\nexport default () => x;\n",
        ),
        ("b.ts", "export default function deep() {\n  (function again() { again(); })();\n}\n"),
        ("c.ts", "for (;;) {}\nexport default function () {}\n"),
        (
            "d.ts",
            "interface T { x: string }\nexport default async () => {\n  await null;\n  (null as unknown as T).x;\n};\n",
        ),
        ("e.ts", "export default () => {\n  const = 1;\n};\n"),
    ];
    let expected = [
        "Failed to load extension \"~/a.ts\": Cannot find module './none' imported from ~/a.ts:3:19: no such file or package",
        "Failed to load extension \"~/b.ts\": Maximum call stack size exceeded (~/b.ts:1:16)",
        "Failed to load extension \"~/c.ts\": ran for more than 100ms without a pause (~/c.ts:1:1)",
        "Failed to load extension \"~/d.ts\": Cannot read properties of null (reading 'x') (~/d.ts:4:4)",
        "Failed to load extension \"~/e.ts\": ~/e.ts:2:9: Unexpected token",
    ];
    assert_eq!(refused(&files).await, expected);
}

/// Packages look for their add-ons in many ways, and say many things when they find none.
#[tokio::test(flavor = "multi_thread")]
async fn a_package_with_a_native_add_on_is_named_with_what_to_do() {
    let world = tour::world();
    let package = |path: &str, source: &str| {
        let file = world.home.write(&format!("scripts/node_modules/{path}"), source);
        let name = path.rsplit_once('/').map_or(path, |(folder, _)| folder);
        world.home.write(&format!("scripts/node_modules/{name}/package.json"), "{}");
        file
    };
    package("direct/index.js", "module.exports = require('./build/x.node');");
    world.home.write("scripts/node_modules/direct/build/x.node", "");
    package(
        "searching/index.js",
        "let last; for (const dir of ['a', 'b']) { try { module.exports = require(`./${dir}/x.node`); } catch (error) { last = error; } }
if (last) throw new Error(`Failed to load x: ${last.message}`);",
    );
    package(
        "bindings/index.js",
        "module.exports = (name) => { throw new Error(`Could not locate the bindings file. Tried: ${name}`); };",
    );
    package("@scope/bound/index.js", "exports.open = () => require('bindings')('x');");
    package("opened/index.js", "const m = { exports: {} }; process.dlopen(m, '/x.node'); module.exports = m.exports;");
    let sources = [
        ("direct.ts", "import x from 'direct';\nexport default () => { x(); };", "direct"),
        ("searching.ts", "import x from 'searching';\nexport default () => { x(); };", "searching"),
        ("bound.ts", "import { open } from '@scope/bound';\nexport default async () => { open(); };", "@scope/bound"),
        ("opened.ts", "import x from 'opened';\nexport default () => { x(); };", "opened"),
    ];
    let files: Vec<(&str, &str)> = sources.iter().map(|(name, source, _)| (*name, *source)).collect();
    let outcomes = Scripts::new(&world).load(&world, &files).await;
    for ((name, _, package), outcome) in sources.iter().zip(outcomes) {
        let error = outcome.result.err().map(|error| error.to_string()).unwrap_or_default();
        let expected = format!(
            "The package \"{package}\" needs a native add-on, which tau cannot load; use an extension that does without it, \
             or have this one run a program instead (pi.exec)"
        );
        assert_eq!(error, expected, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_command_is_told_with_its_line() {
    let world = tour::world();
    let source = "export default (pi) => {\n  pi.registerCommand('bad', { handler: async () => {\n    await null;\n    null.x;\n  } });\n};\n";
    let path = world.home.write_agent("extensions/bad.ts", source);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    world.start().await.say("/bad").await;
    let (message, place) =
        ("Cannot read properties of null (reading 'x')".to_owned(), format!("{}:4:5", path.display()));
    assert_eq!(scripts.told.all(), [("command:bad".to_owned(), "command".to_owned(), message, Some(place))]);
}
