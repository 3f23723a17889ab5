//! Ten handlers in one visit: who is blamed, in which order they run, and what is noted of each.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tau_hooks::events::{ToolCall, TurnStart};
use tau_hooks::payload::{ToolCallEvent, TurnStartEvent};
use tau_hooks::{Hooks, Host, Scope, TraceOutcome, TraceRecord};
use tau_testkit::{Fired, StaticHost};

use crate::common::World;
use crate::support::Scripts;

/// Ten extensions with a handler each, `h0.ts` to `h9.ts`.
struct Ten {
    world: World,
    scripts: Scripts,
    scope: Scope,
}

/// The line of the handler in each file.
const LINE: u32 = 2;

impl Ten {
    /// `body` gives what a handler does; all others do nothing.
    async fn load(event: &str, body: impl Fn(usize) -> Option<&'static str>) -> Self {
        let world = World::new(json!([]));
        let scripts = Scripts::new(&world).tau(json!({"limits": {"stretchMs": 150}}));
        let host: Arc<dyn Host> = Arc::new(StaticHost::in_dir(&world.home.cwd()));
        world.hooks.bind(&host);
        let source = |number| {
            let body = body(number).unwrap_or_default();
            format!("export default function (pi) {{\n  pi.on({event:?}, (event) => {{ {body} }});\n}}\n")
        };
        let files: Vec<(String, String)> = (0..10).map(|number| (format!("h{number}.ts"), source(number))).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, source)| (name.as_str(), source.as_str())).collect();
        for outcome in scripts.load(&world, &files).await {
            outcome.result.expect("an extension that loads");
        }
        Self { world, scripts, scope: Scope::new(host) }
    }

    fn hooks(&self) -> &Hooks {
        &self.world.hooks
    }

    async fn gate(&self, input: Value) -> Fired<ToolCall> {
        let call =
            ToolCallEvent { tool_name: "bash".into(), tool_call_id: "c1".into(), parent_tool_call_id: None, input };
        self.hooks().dispatcher.dispatch::<ToolCall>(&self.scope, || call).await.into()
    }

    async fn observe(&self) {
        let turn = TurnStartEvent { turn_index: 0, timestamp: 0 };
        self.hooks().dispatcher.dispatch::<TurnStart>(&self.scope, || turn).await;
    }

    fn records(&self) -> Vec<TraceRecord> {
        self.hooks().dispatcher.trace.records()
    }

    /// Who was called, in order, and how each call ended.
    fn outcomes(&self) -> Vec<(String, TraceOutcome)> {
        self.records().into_iter().map(|record| (name_of(&record.extension), record.outcome)).collect()
    }

    /// Who was reported, with what, and whether at the line of its handler.
    fn told(&self) -> Vec<(String, String, bool)> {
        let told = self.scripts.told.all().into_iter().map(|(extension, _, message, place)| {
            let name = extension.rsplit('/').next().unwrap_or_default().to_owned();
            let there = place.is_some_and(|place| place.contains(&format!("{name}:{LINE}")));
            (name, message, there)
        });
        told.collect()
    }
}

fn outcomes(of: impl IntoIterator<Item = (usize, TraceOutcome)>) -> Vec<(String, TraceOutcome)> {
    of.into_iter().map(|(number, outcome)| (format!("h{number}"), outcome)).collect()
}

/// What the third does, when it fails.
fn third(body: &'static str) -> impl Fn(usize) -> Option<&'static str> {
    move |number| (number == 2).then_some(body)
}

const FAULTS: &[(&str, &str)] = &[
    ("for (;;) {}", "ran for more than 150ms without a pause"),
    ("throw new Error('broken');", "broken"),
    ("return Promise.reject(new Error('rejected'));", "rejected"),
    ("process.exit(3);", "called process.exit(3)"),
];

#[tokio::test(flavor = "multi_thread")]
async fn the_third_of_ten_that_fails_is_blamed_and_the_others_run() {
    for (body, message) in FAULTS {
        let ten = Ten::load("turn_start", third(body)).await;
        ten.observe().await;
        assert_eq!(ten.told(), [("h2.ts".to_owned(), (*message).to_owned(), true)], "{body}");
        let outcome = |number| if number == 2 { TraceOutcome::Failed("failed".into()) } else { TraceOutcome::Nothing };
        assert_eq!(ten.outcomes(), outcomes((0..10).map(|number| (number, outcome(number)))), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_third_of_ten_that_fails_shuts_the_gate_and_nobody_is_asked_after_it() {
    for (body, message) in FAULTS {
        let ten = Ten::load("tool_call", third(body)).await;
        let shut = ten.gate(json!({})).await.shut.unwrap_or_else(|| panic!("{body}: the gate is open"));
        assert!(shut.extension.ends_with("/h2.ts"), "{body}: {}", shut.extension);
        assert_eq!(shut.error.to_string(), *message);
        let (nothing, failed) = (TraceOutcome::Nothing, TraceOutcome::Failed("failed".into()));
        assert_eq!(ten.outcomes(), outcomes([(0, nothing.clone()), (1, nothing), (2, failed)]), "{body}");
    }
}

/// At the end of the program `process.exit` is a wish that is granted. It is no decision all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_gate_whose_handler_ends_the_program_stays_shut() {
    for body in ["process.exit(0);", "return (async () => { await null; process.exit(0); })();"] {
        let ten = Ten::load("tool_call", move |number| (number == 2).then_some(body)).await;
        ten.hooks().exit.set_ending(true);
        let shut = ten.gate(json!({})).await.shut.unwrap_or_else(|| panic!("{body}: the gate is open"));
        assert!(shut.extension.ends_with("/h2.ts"), "{body}: {}", shut.extension);
        assert_eq!(shut.error.to_string(), "is gone: it ended the program instead of deciding", "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_of_ten_has_its_own_time() {
    // Together they take six times of what one may.
    let busy = "const end = performance.now() + 90; while (performance.now() < end);";
    let ten = Ten::load("turn_start", |_| Some(busy)).await;
    ten.observe().await;
    assert_eq!(ten.told(), []);
    assert_eq!(ten.outcomes(), outcomes((0..10).map(|number| (number, TraceOutcome::Nothing))));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_in_place_is_the_third_ones() {
    let edits = [
        ("event.input.command = 'ls -l';", json!({"command": "ls -l", "deep": [{"a": 1}]})),
        ("event.input.deep[0].b = 2;", json!({"command": "ls", "deep": [{"a": 1, "b": 2}]})),
        ("event.input.deep.pop();", json!({"command": "ls", "deep": []})),
        ("delete event.input.deep;", json!({"command": "ls"})),
        ("event.input = { other: true };", json!({"other": true})),
        ("new Proxy(event, {}).input.deep = 1;", json!({"command": "ls", "deep": 1})),
        ("new Proxy(event, {}).input = { other: 1 };", json!({"other": 1})),
        ("Object.create(event).input.deep = 1;", json!({"command": "ls", "deep": 1})),
        ("event.input.deep = { toJSON: () => 'text' };", json!({"command": "ls", "deep": "text"})),
        (
            "return (async () => { await null; event.input.command = ''; })();",
            json!({"command": "", "deep": [{"a": 1}]}),
        ),
        (
            "Promise.resolve().then(() => { event.input.more = null; });",
            json!({"command": "ls", "deep": [{"a": 1}], "more": null}),
        ),
    ];
    for (body, input) in edits {
        let ten = Ten::load("tool_call", third(body)).await;
        let done = ten.gate(json!({"command": "ls", "deep": [{"a": 1}]})).await;
        assert_eq!(done.payload.map(|payload| payload.input), Some(input), "{body}");
        let changed: Vec<(String, Vec<_>)> =
            ten.records().into_iter().map(|record| (name_of(&record.extension), record.changes.fields)).collect();
        let expected =
            (0..10).map(|number| (format!("h{number}"), if number == 2 { vec!["input".into()] } else { vec![] }));
        assert_eq!(changed, expected.collect::<Vec<_>>(), "{body}");
    }
}

/// Behind the back of what notices who looks: it still counts, whoever is named.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_put_in_the_place_of_the_input_counts_however_it_is_done() {
    for (body, input) in [
        ("delete event.input;", json!(null)),
        ("Object.defineProperty(event, 'input', { value: { other: 1 } });", json!({"other": 1})),
        ("Object.assign(event, { input: { other: 1 } });", json!({"other": 1})),
    ] {
        let ten = Ten::load("tool_call", third(body)).await;
        let done = ten.gate(json!({"command": "ls"})).await;
        assert_eq!(done.payload.map(|payload| payload.input), Some(input), "{body}");
    }
}

/// It is made when somebody looks, which nobody must see.
#[tokio::test(flavor = "multi_thread")]
async fn the_input_is_like_any_other_property() {
    let body = "const { inspect } = require('node:util'); return { block: true, reason: \
                [JSON.stringify(event), Object.keys(event), JSON.stringify({ ...event }.input), inspect(event)].join('|') };";
    let ten = Ten::load("tool_call", |number| (number == 9).then_some(body)).await;
    let done = ten.gate(json!({"command": "ls"})).await;
    let reason = done.output.and_then(|output| output.reason).unwrap_or_default();
    let event = r#"{"type":"tool_call","toolName":"bash","toolCallId":"c1","input":{"command":"ls"}}"#;
    let shown = "{\n  type: 'tool_call',\n  toolName: 'bash',\n  toolCallId: 'c1',\n  input: { command: 'ls' }\n}";
    assert_eq!(reason, format!("{event}|type,toolName,toolCallId,input|{{\"command\":\"ls\"}}|{shown}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_equal_is_no_edit() {
    for body in [
        "event.input.command = ['l', 's'].join('');",
        "event.input = JSON.parse(JSON.stringify(event.input));",
        "const { deep } = event.input; delete event.input.deep; event.input.deep = deep;",
        "event.input.nothing = undefined;",
    ] {
        let ten = Ten::load("tool_call", third(body)).await;
        ten.gate(json!({"command": "ls", "deep": [{"a": 1.5, "b": null, "c": true, "d": "wörter"}]})).await;
        assert_eq!(ten.outcomes(), outcomes((0..10).map(|number| (number, TraceOutcome::Nothing))), "{body}");
    }
}

/// As if each was awaited, whether it answers with a promise or not.
#[tokio::test(flavor = "multi_thread")]
async fn handlers_run_one_after_another_with_what_they_leave_for_promises() {
    let body = |number| match number {
        0 => Some("globalThis.order = ['0']; Promise.resolve().then(() => order.push('0 then'));"),
        1 => Some(
            "order.push('1'); return (async () => { await null; order.push('1 awaited'); await null; order.push('1 again'); })();",
        ),
        2 => Some("order.push('2');"),
        3 => Some("return (async () => { order.push('3'); })();"),
        4 => {
            Some("order.push('4'); return { then(done) { setTimeout(() => { order.push('4 timer'); done(); }, 5); } };")
        }
        5 => Some("order.push('5'); queueMicrotask(() => order.push('5 microtask'));"),
        6 => Some(
            "order.push('6'); return new Promise((done) => setTimeout(done, 5)).then(() => order.push('6 timer') && undefined);",
        ),
        7 => Some("order.push('7'); setTimeout(() => order.push('never'), 60_000);"),
        8 => Some("order.push('8'); return { block: undefined };"),
        _ => Some("return { block: true, reason: order.join() };"),
    };
    let ten = Ten::load("tool_call", body).await;
    let done = ten.gate(json!({})).await;
    assert_eq!(
        done.output.and_then(|output| output.reason).as_deref(),
        Some("0,0 then,1,1 awaited,1 again,2,3,4,4 timer,5,5 microtask,6,6 timer,7,8"),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_call_is_noted_with_its_own_time() {
    let busy = "const end = performance.now() + 20; while (performance.now() < end);";
    let waits = "return new Promise((done) => setTimeout(done, 30));";
    let ten = Ten::load("turn_start", |number| match number {
        2 => Some(busy),
        5 => Some(waits),
        _ => None,
    })
    .await;
    let begun = Instant::now();
    ten.observe().await;
    let took = begun.elapsed();
    let records = ten.records();
    assert_eq!(ten.outcomes(), outcomes((0..10).map(|number| (number, TraceOutcome::Nothing))));
    assert!(records[2].duration >= Duration::from_millis(20), "{:?}", records[2]);
    assert!(records[5].duration >= Duration::from_millis(29), "{:?}", records[5]);
    // No time is noted twice.
    assert!(records.iter().map(|record| record.duration).sum::<Duration>() <= took);
    assert!(records.is_sorted_by_key(|record| (record.seq, record.timestamp)), "{records:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_was_taken_back_during_the_visit_is_not_called() {
    let ten = Ten::load("turn_start", |_| None).await;
    let source = "export default (pi) => {\n  let off;\n  pi.on('tool_call', () => off?.());\n  off = pi.on('tool_call', () => ({ block: true }));\n};\n";
    for outcome in ten.scripts.load(&ten.world, &[("fickle.ts", source)]).await {
        outcome.result.expect("an extension that loads");
    }
    let done = ten.gate(json!({})).await;
    assert!(done.shut.is_none() && done.stopped_by.is_none());
    assert_eq!(ten.told(), []);
}

/// The name of an extension by its file.
fn name_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.trim_end_matches(".ts").to_owned()
}
