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
    let mut events: Vec<&str> = tour::EXPECTED.to_vec();
    events.sort_unstable();
    events.dedup();
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
