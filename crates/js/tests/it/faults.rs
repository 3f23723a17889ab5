//! Every event with everything that can go wrong in a handler: the session goes on, other extensions are not
//! touched, gates stay shut, and the user is told who, at what, and where.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;
use tau_hooks::events::TABLE;
use tau_hooks::table::{Deadline, Failure};

use crate::support::Scripts;
use crate::tour::{self, Toured, tour_in};

/// A way to fail: what the handler does, and what the user reads; nothing where nobody has to be told.
struct Fault {
    name: &'static str,
    body: &'static str,
    told: Option<&'static str>,
    /// Only events with a result can be answered wrongly.
    needs_result: bool,
    /// Told as something outside any call.
    uncaught: bool,
    /// Ends with the handler's hard limit.
    hangs: bool,
    /// Ends the program in order where that is allowed, which nobody has to be told.
    exits: bool,
}

const fn fault(name: &'static str, body: &'static str, told: &'static str) -> Fault {
    Fault { name, body, told: Some(told), needs_result: false, uncaught: false, hangs: false, exits: false }
}

const FAULTS: &[Fault] = &[
    fault("throws", "throw new Error('broken');", "broken"),
    fault("rejects", "return Promise.reject(new Error('broken later'));", "broken later"),
    // What a program throws is what is told, also when it is nothing.
    fault("throws null", "throw null;", "null"),
    fault("rejects with nothing", "return Promise.reject();", "undefined"),
    Fault { hangs: true, ..fault("never resolves", "return new Promise(() => {});", "did not answer within") },
    fault("infinite loop", "for (;;) {}", "without a pause"),
    fault(
        "infinite loop after an await",
        "return (async () => { await new Promise((r) => setTimeout(r, 1)); for (;;) {} })();",
        "without a pause",
    ),
    fault(
        "infinite microtasks",
        "const again = () => Promise.resolve().then(again); return again();",
        "without a pause",
    ),
    fault("catastrophic regex", "/^(a+)+$/.test('a'.repeat(40) + 'b');", "without a pause"),
    fault("memory bomb", "const all = []; for (;;) all.push('x'.repeat(1 << 20));", "out of memory"),
    fault("stack overflow", "const deep = () => deep() + 1; return deep();", "call stack"),
    Fault { needs_result: true, ..fault("malformed result", "return 42;", "malformed") },
    Fault { exits: true, ..fault("process.exit", "process.exit(3);", "process.exit(3)") },
    Fault {
        uncaught: true,
        ..fault("throws in a timer", "setTimeout(() => { throw new Error('late'); }, 0);", "late")
    },
];

/// Events that take any value, or ignore what is returned.
const ANY_RESULT: &[&str] = &["before_provider_headers", "before_provider_request"];

/// The line of the handler in [`faulty`].
const LINE: u32 = 3;

fn faulty(event: &str, body: &str) -> String {
    // Only the first time: events like `message_update` come often, and one failure shows what many would.
    format!(
        "let failed = false;\nexport default function (pi) {{\n  pi.on({event:?}, () => {{ if (failed) return; failed = true; {body} }});\n}}\n"
    )
}

fn other(event: &str, seen: &Path) -> String {
    format!(
        "import {{ appendFileSync }} from 'node:fs';\nexport default function (pi) {{\n  pi.on({event:?}, async () => {{ await null; appendFileSync({seen:?}, '.'); }});\n}}\n"
    )
}

async fn run(event: &str, fault: &Fault) -> (Toured, Scripts, usize) {
    // Short only for the fault that runs into it: on a busy machine everything else may take a moment, the handler of the
    // other extension too.
    let hard = if fault.hangs { 3_000 } else { 30_000 };
    let limits = json!({"limits": {
        "stretchMs": 100, "memoryMb": 48, "observeMs": hard, "handlerMs": hard, "shutdownMs": hard,
    }});
    let world = tour::world().settings(json!({"tau": limits}));
    let scripts = Scripts::new(&world).tau(limits);
    let folder = tempfile::tempdir().expect("a folder");
    let seen = folder.path().join("seen");
    let files = [("faulty.ts", &*faulty(event, fault.body)), ("other.ts", &*other(event, &seen))];
    let outcomes = scripts.load(&world, &files).await;
    for outcome in outcomes {
        outcome.result.unwrap_or_else(|error| panic!("{}: {error}", outcome.path.display()));
    }
    let toured = tour_in(world).await;
    // A throw in a timer may come after the tour.
    for _ in 0..50 {
        if !fault.uncaught || !scripts.told_of("faulty.ts").is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let seen = std::fs::read(seen).map_or(0, |seen| seen.len());
    (toured, scripts, seen)
}

fn check(event: &str, fault: &Fault, toured: &Toured, scripts: &Scripts, seen: usize) -> Result<(), String> {
    let row = TABLE.iter().find(|row| row.name == event).ok_or("no such event")?;
    let gate = row.failure == Failure::Block;
    let fails = !fault.needs_result || (row.has_output() && !ANY_RESULT.contains(&event));
    let told = scripts.told_of("faulty.ts");
    let leaves = fault.exits && row.deadline == Deadline::Shutdown;
    if let Some(text) = fault.told.filter(|_| fails && !leaves) {
        let fits = |(_, at, message, place): &(String, String, String, Option<String>)| {
            (at == event || fault.uncaught)
                && message.contains(text)
                && place.as_ref().is_some_and(|place| place.contains(&format!("faulty.ts:{LINE}")))
        };
        if !told.iter().any(fits) {
            return Err(format!("nobody was told `{text}` at line {LINE}: {told:?}"));
        }
    } else if !told.is_empty() {
        return Err(format!("the user was told something: {told:?}"));
    }
    // Handlers of the end share their time: who comes after one that hangs has none left.
    let starved = fault.hangs && row.deadline == Deadline::Shutdown;
    if let Some((_, at, message, _)) = scripts.told_of("other.ts").first().filter(|_| !starved) {
        return Err(format!("the other extension was blamed at {at}: {message}"));
    }
    // A gate that fails ends its round, so the others are not asked; everywhere else they are.
    let shut = gate && fails && !fault.uncaught;
    if !shut && !starved && seen == 0 {
        return Err("the other extension was not called".to_owned());
    }
    if event == "tool_call" && toured.worked.is_empty() != shut {
        return Err(format!("the tool ran with {:?}", toured.worked));
    }
    if event == "project_trust" && toured.trusted == shut {
        return Err(format!("trusted: {}", toured.trusted));
    }
    if !toured.came_to_its_end() {
        return Err(format!("the session did not come to its end: {:?}", toured.names()));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_fault_at_every_event() {
    let events = tour::events();
    let cases: Vec<(&str, &Fault)> =
        events.iter().flat_map(|event| FAULTS.iter().map(move |fault| (*event, fault))).collect();
    let count = cases.len();
    // Those that hang only wait, so more of them go at once.
    let (hanging, busy): (Vec<_>, Vec<_>) = cases.into_iter().partition(|(_, fault)| fault.hangs);
    let mut failures: Vec<String> = Vec::new();
    for (cases, at_once) in [(hanging, 16), (busy, 6)] {
        let checked = futures_util::stream::iter(cases)
            .map(|(event, fault)| async move {
                let (toured, scripts, seen) = run(event, fault).await;
                let checked = check(event, fault, &toured, &scripts, seen);
                checked.err().map(|error| format!("{event} × {}: {error}", fault.name))
            })
            .buffer_unordered(at_once);
        failures.extend(checked.filter_map(std::future::ready).collect::<Vec<_>>().await);
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}

/// Promises that never come to an end are stopped where the code of their extension is at work, whatever step of a round
/// the engine asks at: a stop between two jobs would be nobody's, and the rest would go on in the time of others.
#[tokio::test(flavor = "multi_thread")]
async fn promises_without_end_are_stopped_in_the_code_that_makes_them() {
    const ROUNDS: &[&str] = &[
        "const again = () => Promise.resolve().then(again); return again();",
        "const again = async () => { await null; return again(); }; return again();",
        "const first = { then: (done) => queueMicrotask(() => done(first)) }; return first;",
        "const again = (done) => Promise.all([1, 2]).then(() => again(done)); return new Promise(again);",
        "const again = () => new Promise((done) => done()).finally(again); return again();",
    ];
    const PHASES: usize = 12;
    for round in ROUNDS {
        let limits = json!({"limits": {"stretchMs": 20}});
        let world = tour::world().settings(json!({"tau": limits}));
        let scripts = Scripts::new(&world).tau(limits);
        let endless = format!(
            "let phase = 0; const step = () => 1;\nexport default (pi) => {{\n  pi.on('before_agent_start', () => {{ for (let i = phase++; i > 0; i--) step(); {round} }});\n}};\n"
        );
        let other = "export default (pi) => { pi.on('before_agent_start', async () => { await null; }); };";
        for outcome in scripts.load(&world, &[("endless.ts", &*endless), ("other.ts", other)]).await {
            outcome.result.unwrap_or_else(|error| panic!("{}: {error}", outcome.path.display()));
        }
        let running = world.start().await;
        for phase in 0..PHASES {
            running.say("Hi").await;
            let told = scripts.told_of("endless.ts");
            assert_eq!(told.len(), phase + 1, "{round}, phase {phase}: {told:?}");
            let (_, at, message, place) = &told[phase];
            assert!(
                at == "before_agent_start" && message.contains("without a pause"),
                "{round}, phase {phase}: {at}: {message}"
            );
            assert!(
                place.as_ref().is_some_and(|place| place.contains("endless.ts:3")),
                "{round}, phase {phase}: {place:?}"
            );
        }
        assert_eq!(scripts.told_of("other.ts"), [], "{round}");
    }
}

/// What a stopped extension leaves in the queue of jobs is cleared, also where the engine catches each stop or where jobs make
/// more jobs than can be stopped one by one. The others go on, and nobody else is blamed.
#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_a_stopped_extension_end_with_it() {
    const ROUNDS: &[&str] = &[
        "const again = () => Promise.any([Promise.reject(1)]).then(again, again); return again();",
        "const again = () => new Promise(() => { for (;;); }).catch(again); return again();",
        "const again = () => { for (;;); }; for (let i = 0; i < 300; i++) queueMicrotask(again);",
        "const again = async () => { try { for (;;); } finally { again(); } }; for (let i = 0; i < 9; i++) again();",
        "const kept = new FinalizationRegistry(() => { for (;;); }); globalThis.kept = kept; for (let i = 0; i < 50; i++) kept.register({}, i);",
        "for (let i = 0; i < 50; i++) setImmediate(() => { for (;;); });",
        "for (let i = 0; i < 5; i++) setInterval(() => { for (;;); }, 0);",
        "setInterval(() => { new Promise(() => { for (;;); }).catch(() => 1); }, 0); setInterval(() => 1, 20);",
        "const again = () => readFile(import.meta.filename, () => { again(); for (;;); }); again();",
        "for (let i = 0; i < 50; i++) pi.events.emit('loop', i);",
    ];
    for round in ROUNDS {
        let limits = json!({"limits": {"stretchMs": 64, "softMs": 600_000}});
        let world = tour::world().settings(json!({"tau": limits}));
        let scripts = Scripts::new(&world).tau(limits);
        let endless = format!(
            "import {{ readFile }} from 'node:fs';\nexport default (pi) => {{\n  pi.events.on('loop', () => {{ for (;;); }});\n  pi.on('before_agent_start', () => {{\n    {round}\n  }});\n}};\n"
        );
        let other = "export default (pi) => { pi.on('context', async () => { await null; }); };";
        scripts.load(&world, &[("endless.ts", &*endless), ("other.ts", other)]).await;
        let running = world.start().await;
        for _ in 0..3 {
            running.say("Hi").await;
        }
        // What begins anew by itself is not only stopped, it ends.
        let begins_anew = ["setInterval", "readFile"].iter().any(|way| round.contains(way));
        let is_over = |told: &[(String, String, String, Option<String>)]| {
            told.iter().any(|(_, _, message, _)| message.contains("its timers and callbacks end"))
        };
        while begins_anew && !is_over(&scripts.told.all()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let told = scripts.told.all();
        assert!(!told.is_empty(), "{round}");
        for (who, at, message, place) in told {
            assert!(who.ends_with("endless.ts"), "{round}: {who} {at} {message}");
            assert!(at != "engine", "{round}: {message}");
            let is_its = ["without a pause", "its timers and callbacks end", "was stopped"];
            assert!(is_its.iter().any(|its| message.contains(its)), "{round}: {at} {message} {place:?}");
        }
    }
}

/// Who only waits because somebody else keeps the engine busy is not named as slow.
#[tokio::test(flavor = "multi_thread")]
async fn who_keeps_others_waiting_is_named_and_not_they() {
    let limits = json!({"limits": {"stretchMs": 4_000, "softMs": 1_000}});
    let world = tour::world().settings(json!({"tau": limits}));
    let scripts = Scripts::new(&world).tau(limits);
    let guilty =
        "export default (pi) => { pi.on('before_agent_start', () => { setTimeout(() => { for (;;); }, 0); }); };";
    let other = "export default (pi) => { pi.on('context', async () => { await null; }); };";
    scripts.load(&world, &[("guilty.ts", guilty), ("other.ts", other)]).await;
    let running = world.start().await;
    running.say("Hi").await;
    let told = scripts.told.all();
    assert_eq!(scripts.told_of("other.ts"), [], "{told:?}");
    let holds = |(_, at, message, _): &(String, String, String, Option<String>)| {
        at == "context" && message.contains("keeps its script engine busy: the `context` handler of ")
    };
    assert!(scripts.told_of("guilty.ts").iter().any(holds), "{told:?}");
}

/// A rejection without a place may be anybody's, so it is put on nobody who only happens to be at work.
#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_without_a_place_is_put_on_nobody() {
    for thrown in [
        "Promise.resolve().then(() => Promise.resolve()).then(() => { throw 'plain'; });",
        "setTimeout(() => { throw 'plain'; }, 0);",
    ] {
        let world = tour::world();
        let scripts = Scripts::new(&world);
        let guilty = format!("export default (pi) => {{ pi.on('before_agent_start', () => {{ {thrown} }}); }};");
        let other = "export default (pi) => { for (const at of ['before_agent_start', 'context']) pi.on(at, async () => { await null; }); };";
        scripts.load(&world, &[("guilty.ts", &*guilty), ("other.ts", other)]).await;
        let running = world.start().await;
        while scripts.told.all().is_empty() {
            running.say("Hi").await;
        }
        let (who, at, message, _) = scripts.told.all().remove(0);
        assert_eq!(at, "uncaught");
        if who.ends_with("guilty.ts") {
            assert_eq!(message, "plain")
        } else {
            assert_eq!(message, "plain (in a promise of one of these: guilty, other)")
        }
        assert!(!who.ends_with("other.ts"));
    }
}

/// Where there is no end to what must be cleared, the engine is given up in the name of the one whose jobs they are.
#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_cannot_be_cleared_cost_the_engine_in_the_name_of_theirs() {
    let limits = json!({"limits": {"stretchMs": 300, "softMs": 600_000}});
    let world = tour::world().settings(json!({"tau": limits}));
    let scripts = Scripts::new(&world).tau(limits);
    let endless = "export default (pi) => {\n  pi.on('before_agent_start', () => {\n    const again = () => { Promise.resolve().then(again); Promise.resolve().then(again); }; again();\n  });\n};\n";
    let other = "export default (pi) => { pi.on('context', async () => { await null; }); };";
    scripts.load(&world, &[("endless.ts", endless), ("other.ts", other)]).await;
    let running = world.start().await;
    running.say("Hi").await;
    let lost = |told: &[(String, String, String, Option<String>)]| told.iter().any(|(_, at, ..)| at == "engine");
    while !lost(&scripts.told.all()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    running.say("Hi").await;
    let told = scripts.told.all();
    assert!(told.iter().any(|(who, _, message, _)| who.ends_with("endless.ts") && message.contains("without a pause")));
    for (who, at, message, _) in told {
        let follows = message.contains("does not answer any more");
        assert!(who.ends_with("endless.ts") || follows, "{who} {at} {message}");
    }
}

/// An interrupt behind a real `await` must not take another extension's call with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_extension_does_not_disturb_one_in_flight() {
    let world = tour::world();
    let scripts = Scripts::new(&world).tau(serde_json::json!({"limits": {"stretchMs": 100}}));
    let slow = "export default (pi) => {\n  pi.registerTool({ name: 'slow', label: 'Slow', description: 'waits', parameters: { type: 'object', properties: {} },\n    async execute() { await new Promise((r) => setTimeout(r, 400)); return { content: [{ type: 'text', text: 'whole' }], details: {} }; } });\n};\n";
    let looping = "export default (pi) => {\n  pi.registerTool({ name: 'loop', label: 'Loop', description: 'hangs', parameters: { type: 'object', properties: {} },\n    async execute() { await new Promise((r) => setTimeout(r, 50)); for (;;) {} } });\n};\n";
    for outcome in scripts.load(&world, &[("slow.ts", slow), ("loop.ts", looping)]).await {
        outcome.result.expect("an extension that loads");
    }
    let running = world.start().await;
    let tools = world.hooks.tools();
    let call = |name: &'static str| {
        let tool = tools.iter().find(|(_, tool)| tool.spec().name == name).map(|(_, tool)| Arc::clone(tool));
        let tool = tool.expect("a tool");
        async move {
            let invocation = tau_tools::Invocation {
                id: name.to_owned(),
                args: serde_json::json!({}),
                cancel: tokio_util::sync::CancellationToken::new(),
                progress: tau_tools::Progress::ignore(),
                nested: tau_tools::NestedCalls::default(),
            };
            tool.execute(invocation).await.map(|output| output.content.len()).map_err(|failure| failure.message)
        }
    };
    let (slow, looped) = tokio::join!(call("slow"), call("loop"));
    assert_eq!(slow, Ok(1));
    let message = looped.expect_err("a call that was stopped");
    assert!(message.contains("without a pause"), "{message}");
    drop(running);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_returned_as_it_came_is_no_fault() {
    let world = tour::world();
    let scripts = Scripts::new(&world);
    let same = "export default (pi) => { pi.on('context', (event) => ({ messages: event.messages })); };";
    let more = "export default (pi) => { pi.on('context', (event) => {
  event.messages.push({ role: 'user', content: 'One more.', timestamp: 1 });
  return { messages: event.messages };
}); };";
    scripts.load(&world, &[("same.ts", same), ("more.ts", more)]).await;
    let running = world.start().await;
    running.say("Hi").await;
    assert_eq!(scripts.told.all(), []);
    assert!(running.asked()[0].contains(&("user".to_owned(), "One more.".to_owned())), "{:?}", running.asked());
}
