//! Extensions with an engine of their own.

use std::path::Path;

use serde_json::{Value, json};
use tau_hooks::payload::SessionShutdownReason;

use crate::bus::{hear, heard};
use crate::common::World;
use crate::support::Scripts;
use crate::tour::{self, tour_in};

const ALONE: &str = "import { appendFileSync } from 'node:fs';
export default (pi) => {
  (globalThis as any).mark = 'alone';
  pi.registerCommand('ask', { handler: async () => {
    const answered = new Promise((done) => pi.events.on('told', done));
    const data: any = { when: new Date(0), list: [1], double: (x) => x * 2 };
    pi.events.emit('ask', data);
    data.list.push(2);
    await answered;
  } });
  pi.on('session_shutdown', (event) => appendFileSync(LOG, `alone ${event.reason}\\n`));
};";

const SHARED: &str = "import { appendFileSync } from 'node:fs';
export default (pi) => {
  pi.events.on('ask', async ({ when, list, double }) => {
    const twice = double(21);
    const mark = (globalThis as any).mark ?? 'none';
    const promised = twice instanceof Promise;
    pi.events.emit('answer', { mark, when, list, promised, twice: await twice });
    pi.events.emit('told');
  });
  pi.on('session_shutdown', (event) => appendFileSync(LOG, `shared ${event.reason}\\n`));
};";

fn write(world: &World, log: &Path, name: &str, source: &str) {
    let source = source.replace("LOG", &Value::from(log.display().to_string()).to_string());
    world.home.write_agent(&format!("extensions/{name}"), source);
}

fn answer() -> Value {
    json!({"mark": "none", "when": "1970-01-01T00:00:00.000Z", "list": [1], "promised": true, "twice": 42})
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bus_connects_two_engines_that_share_nothing_also_after_a_reload() {
    let world = tour::world().settings(json!({"tau": {"isolate": ["alone"]}}));
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    write(&world, &log, "alone.ts", ALONE);
    write(&world, &log, "shared.ts", SHARED);
    let scripts = Scripts::new(&world);
    let extensions = scripts.load_found_in(&world).await;
    let isolated: Vec<(String, bool)> =
        extensions.loads().into_iter().map(|load| (load.extension.name, load.extension.isolated)).collect();
    assert_eq!(isolated, [("alone".to_owned(), true), ("shared".to_owned(), false)]);

    let answers = hear(&world, "answer");
    let running = world.start().await;
    running.say("/ask").await;
    assert_eq!(heard(&answers, 1).await, [answer()]);

    running.session.reload().await.expect("a reload");
    running.say("/ask").await;
    assert_eq!(heard(&answers, 1).await, [answer()]);

    running.session.shut_down(SessionShutdownReason::Quit).await;
    let ends = std::fs::read_to_string(log).expect("a log");
    assert_eq!(ends, "alone reload\nshared reload\nalone quit\nshared quit\n");
    assert_eq!(scripts.told.all(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_bomb_takes_nobody_along_and_its_gate_stays_shut() {
    let limits = json!({"isolatedMemoryMb": 32, "memoryMb": 64});
    let world = tour::world().settings(json!({"tau": {"isolate": ["alone"], "limits": limits}}));
    let bomb = "export default (pi) => {
  pi.on('tool_call', () => { const all: any[] = []; for (;;) all.push('x'.repeat(1 << 20)); });
};";
    let other = "import { appendFileSync } from 'node:fs';
const all = Array.from({ length: 40 }, () => new Uint8Array(1 << 20));
export default (pi) => {
  pi.on('tool_execution_end', (event) => appendFileSync(LOG, `${all.length} MB, failed: ${event.isError}\\n`));
};";
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    write(&world, &log, "alone.ts", bomb);
    write(&world, &log, "other.ts", other);
    let scripts = Scripts::new(&world);
    scripts.load_found_in(&world).await;
    let toured = tour_in(world).await;
    assert_eq!(toured.worked, [] as [Value; 0]);
    assert_eq!(std::fs::read_to_string(log).expect("a log"), "40 MB, failed: true\n");
    // Asking for trust looks for extensions too, without anything to run them.
    let told: Vec<(String, String)> = scripts
        .told
        .all()
        .into_iter()
        .filter(|(_, event, ..)| event != "load")
        .map(|(extension, event, message, _)| {
            (format!("{event} of {}", extension.rsplit('/').next().unwrap_or_default()), message)
        })
        .collect();
    let told_of_memory = "out of memory: scripts may take 32 MB (tau.limits.isolatedMemoryMb)";
    assert_eq!(told, [("tool_call of alone.ts".to_owned(), told_of_memory.to_owned())]);
}
