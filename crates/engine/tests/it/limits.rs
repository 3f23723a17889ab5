//! Loops whose steps are few and long: native calls that the engine cannot interrupt.

use std::path::Path;
use std::time::Duration;

use tau_engine::{Engine, EngineOptions, script};

/// What is done over and over, with what it needs.
const BODIES: &[(&str, &str)] = &[
    ("/needle$/.test(text)", "a pattern"),
    ("'ab'.repeat(1 << 21).length", "a repetition"),
    ("JSON.parse(json).length", "reading JSON"),
    ("list.slice().sort().length", "a sort"),
    ("createHash('sha256').update(bytes).digest('hex')", "a digest"),
    ("Object.fromEntries(list.map((n) => [`k${n}`, n])).k1", "an object"),
];

const SETUP: &str = "
    import { createHash } from 'node:crypto';
    const text = 'ab'.repeat(1 << 19);
    const list = Array.from({ length: 1 << 16 }, (_, n) => (n * 7919) % 65521);
    const json = JSON.stringify(list);
    const bytes = Buffer.alloc(1 << 21, 7);
    globalThis.rounds = 0;
";

async fn run(engine: &Engine, folder: &Path, name: &str, source: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, source).expect("a file");
    script::run(engine, &file).await.map_or_else(|error| error, |report| report.to_string())
}

/// The engine looks at its clock every 10,000 steps of a program; these take milliseconds each.
#[tokio::test(flavor = "multi_thread")]
async fn long_steps_are_stopped_long_before_the_engine_counts_them() {
    let mut wrong = Vec::new();
    for caught in [false, true] {
        for (body, what) in BODIES {
            let folder = tempfile::tempdir().expect("a folder");
            let options = EngineOptions { stretch: Duration::from_millis(200), ..EngineOptions::new(folder.path()) };
            let engine = Engine::start(options).expect("an engine");
            let step = if caught { format!("try {{ {body}; }} catch {{}}") } else { format!("{body};") };
            let source = format!("{SETUP}; for (;;) {{ globalThis.rounds += 1; {step} }}");
            let stopped = run(&engine, folder.path(), "loop.ts", &source).await;
            if !stopped.contains("interrupted") && !stopped.contains("ran for more than 200ms") {
                wrong.push(format!("{what}, caught: {caught}: {stopped}"));
            }
            let after = run(&engine, folder.path(), "after.ts", "throw new Error(`rounds ${globalThis.rounds}`)").await;
            let rounds = after.split_once("rounds ").and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok());
            if rounds.is_none_or(|rounds: u32| rounds >= 5_000) {
                wrong.push(format!("{what}, caught: {caught}: {after}"));
            }
            engine.stop();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One call that the engine does not see into.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_without_end_is_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = EngineOptions { stretch: Duration::from_millis(200), ..EngineOptions::new(folder.path()) };
    let engine = Engine::start(options).expect("an engine");
    let endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    let source = format!(
        "import {{ DatabaseSync }} from 'node:sqlite';
         const database = new DatabaseSync(':memory:');
         for (;;) try {{ database.prepare('{endless}').get(); }} catch {{}}"
    );
    let stopped = run(&engine, folder.path(), "query.ts", &source).await;
    assert!(stopped.contains("interrupted") || stopped.contains("ran for more than 200ms"), "{stopped}");
    let large = "import { DatabaseSync } from 'node:sqlite';
         new DatabaseSync(':memory:', { timeout: 2 ** 53 }).prepare('SELECT zeroblob(1000000000) AS x').get()";
    let refused = run(&engine, folder.path(), "large.ts", large).await;
    assert!(refused.contains("string or blob too big"), "{refused}");
    engine.stop();
}
