//! A gate written in TypeScript that does not say yes or no in so many words.

use std::sync::Arc;

use serde_json::{Value, json};
use tau_hooks::events::ToolCall;
use tau_hooks::payload::ToolCallEvent;
use tau_hooks::{Host, Scope};
use tau_script::LoadOutcome;
use tau_testkit::{Fired, StaticHost};

use crate::common::World;
use crate::support::Scripts;
use crate::tour::{self, tour_in};

async fn ran(answer: &str) -> bool {
    let world = tour::world();
    let scripts = Scripts::new(&world);
    let gate = format!("export default (pi) => {{\n  pi.on('tool_call', () => ({answer}));\n}};\n");
    for outcome in scripts.load(&world, &[("gate.ts", &gate)]).await {
        outcome.result.expect("an extension that loads");
    }
    !tour_in(world).await.worked.is_empty()
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_allow() {
    for answer in ["undefined", "null", "{}", "{ block: false }", "{ block: undefined }"] {
        assert!(ran(answer).await, "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_no_decision_block() {
    for answer in
        ["() => true", "Symbol()", "{ block: () => false }", "{ block: Symbol() }", "{ block: 0 }", "{ block: NaN }"]
    {
        assert!(!ran(answer).await, "{answer}");
    }
}

/// What a proxy throws when it is asked for its prototype is an error of the call, as anywhere else.
#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_throws_is_an_error_and_no_crash() {
    const THROWS: &str = "new Proxy({}, { getPrototypeOf() { throw 1; } })";
    // The script gets what the proxy threw, and its engine lives on.
    let caught = format!(
        "(() => {{ try {{ pi.appendEntry('x', {THROWS}); }} catch (error) {{ return {{ block: error !== 1 }}; }} return {{ block: true }}; }})()"
    );
    assert!(ran(&caught).await);
    for answer in [
        format!("pi.appendEntry('x', {THROWS})"),
        format!("(async () => {{ pi.appendEntry('x', {THROWS}); }})()"),
        format!("({{ block: {THROWS} }})"),
    ] {
        assert!(!ran(&answer).await, "{answer}");
    }
}

/// Extensions whose gates are asked about calls.
struct Gates {
    scripts: Scripts,
    world: World,
    scope: Scope,
}

impl Gates {
    async fn load(files: &[(&str, &str)]) -> Self {
        let (gates, outcomes) = Self::try_load(files).await;
        for outcome in outcomes {
            outcome.result.expect("an extension that loads");
        }
        gates
    }

    async fn try_load(files: &[(&str, &str)]) -> (Self, Vec<LoadOutcome>) {
        Self::try_load_within(json!({}), files).await
    }

    async fn try_load_within(limits: Value, files: &[(&str, &str)]) -> (Self, Vec<LoadOutcome>) {
        let world = World::new(json!([]));
        let host: Arc<dyn Host> = Arc::new(StaticHost::in_dir(&world.home.cwd()));
        world.hooks.bind(&host);
        let scripts = Scripts::new(&world).tau(json!({"limits": limits}));
        let outcomes = scripts.load(&world, files).await;
        (Self { scripts, world, scope: Scope::new(host) }, outcomes)
    }

    async fn ask(&self, input: Value) -> Fired<ToolCall> {
        let call =
            ToolCallEvent { tool_name: "work".into(), tool_call_id: "c1".into(), parent_tool_call_id: None, input };
        self.world.hooks.dispatcher.dispatch::<ToolCall>(&self.scope, || call).await.into()
    }
}

fn is_open(done: &Fired<ToolCall>) -> bool {
    done.shut.is_none() && done.stopped_by.is_none()
}

/// Whether the gates of these extensions let a call through, and what the user was told of `gate.ts`.
async fn behind(files: &[(&str, &str)]) -> (bool, Vec<String>) {
    let gates = Gates::load(files).await;
    let open = is_open(&gates.ask(json!({"text": "x"})).await);
    (open, gates.scripts.told_of("gate.ts").into_iter().map(|(_, _, message, _)| message).collect())
}

fn gate(body: &str) -> String {
    format!("export default (pi) => {{\n  pi.on('tool_call', {body});\n}};\n")
}

/// A field of an answer counts wherever the language finds it.
#[tokio::test(flavor = "multi_thread")]
async fn answers_are_read_as_the_language_reads_them() {
    for answer in [
        "Object.create({ block: true })",
        "Object.defineProperty({}, 'block', { value: true })",
        "Object.defineProperty({}, 'block', { get: () => true })",
        "{ get block() { return true; } }",
        "new (class { get block() { return true; } })()",
        "new (class Answer { #shut = true; get block() { return this.#shut; } })()",
        "new Proxy({}, { get: (_, key) => key === 'block' ? true : undefined })",
        "{ block: true, toJSON: () => ({}) }",
        "Object.assign(Object.create({ toJSON: () => ({ block: false }) }), { block: true })",
        "Promise.resolve(Object.create({ block: true }))",
        "{ then(done) { done(Object.create({ block: true })); } }",
    ] {
        assert!(!ran(answer).await, "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_calls_give_back_is_no_answer() {
    for answer in ["new Map().set(1, 2)", "new Set().add(1)", "new WeakSet().add({})", "new (class Own {})()", "{}"] {
        assert!(ran(answer).await, "{answer}");
    }
}

/// Its author may have meant an answer, so the user hears of it, once.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_an_object_of_a_class_is_named_once() {
    let said = |what: &str| {
        format!(
            "answered with {what}, which has no field of `tool_call`, so it blocked nothing; a handler that decides nothing \
             returns nothing"
        )
    };
    for (answer, what) in [
        ("new Map([['block', true]])", Some("an object of the class `Map`")),
        ("new Set(['block'])", Some("an object of the class `Set`")),
        ("new URLSearchParams('block=true')", Some("an object of the class `URLSearchParams`")),
        ("Promise.resolve(new Map())", Some("an object of the class `Map`")),
        ("new (class Own {})()", Some("an object of the class `Own`")),
        ("new (class { static name = 5; })()", Some("an object of a class")),
        ("Object.create({ constructor: { get name() { throw 1; } } })", Some("an object of a class")),
        ("{}", None),
        ("Object.create(null)", None),
        ("new Proxy({}, { getPrototypeOf() { throw 1; } })", None),
    ] {
        let gates = Gates::load(&[("gate.ts", &gate(&format!("() => ({answer})")))]).await;
        for _ in 0..2 {
            assert!(is_open(&gates.ask(json!({"text": "x"})).await), "{answer}");
        }
        let told: Vec<_> =
            gates.scripts.told_of("gate.ts").into_iter().map(|(_, event, message, _)| (event, message)).collect();
        let expected: Vec<_> = what.map(|what| ("tool_call".to_owned(), said(what))).into_iter().collect();
        assert_eq!(told, expected, "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_read_once() {
    let body = "() => { let looks = 0; return { get block() { return looks++ === 0; } }; }";
    let (open, _) = behind(&[("gate.ts", &gate(body))]).await;
    assert!(!open);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_no_data_block_and_say_so() {
    const SPECIAL: &str = "an object with fields is needed, not one of a built-in class";
    for (answer, why) in [
        ("{ block: NaN }", "`block` is NaN"),
        ("{ reason: -Infinity }", "`reason` is -Infinity"),
        ("{ reason: () => 'text' }", "`reason` is a function"),
        ("{ reason: Symbol('text') }", "`reason` is a symbol"),
        ("{ reason: { text: [1n] } }", "`reason` has a field `text` that is a BigInt"),
        ("{ terminate: class {} }", "`terminate` is a function"),
        ("() => true", "an object is needed, not a function"),
        ("NaN", "an object is needed, not NaN"),
        ("-1 / 0", "an object is needed, not -Infinity"),
        ("Promise.resolve(0 / 0)", "an object is needed, not NaN"),
        ("(async function* () { yield { block: true }; })()", SPECIAL),
        ("(function* () { yield { block: true }; })()", SPECIAL),
        ("new Error('denied')", SPECIAL),
        ("new Boolean(true)", SPECIAL),
        ("new Date(0)", SPECIAL),
    ] {
        let (open, told) = behind(&[("gate.ts", &gate(&format!("() => ({answer})")))]).await;
        assert!(!open, "{answer}");
        assert_eq!(told, [format!("returned a malformed result: {why}")], "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_throws_when_it_is_read_blocks() {
    for answer in [
        "{ get block() { throw new Error('no'); } }",
        "new Proxy({}, { get() { throw new Error('no'); } })",
        "{ get then() { throw new Error('no'); } }",
    ] {
        let (open, told) = behind(&[("gate.ts", &gate(&format!("() => ({answer})")))]).await;
        assert!(!open, "{answer}");
        assert_eq!(told, ["no"], "{answer}");
    }
}

/// A gate that ends its own handler has not answered, however it does it and whatever swallows it.
#[tokio::test(flavor = "multi_thread")]
async fn a_gate_that_ends_its_own_handler_blocks() {
    for end in [
        "process.kill(process.pid)",
        "process.kill(process.pid, 'SIGKILL')",
        "process.kill(process.pid, 'SIGWINCH')",
        "process.kill(0)",
        "process.exit(0)",
        "process.abort()",
        "process.reallyExit(0)",
    ] {
        for body in [
            format!("() => {{ {end}; }}"),
            format!("() => {{ {end}; return {{ block: false }}; }}"),
            format!("() => {{ try {{ {end}; }} catch {{}} finally {{ return {{}}; }} }}"),
            format!("() => {{ new Promise(() => {end}); }}"),
            format!("() => {{ new Promise(() => {end}).catch(() => {{}}); return {{ block: false }}; }}"),
            format!("() => ({{ get block() {{ new Promise(() => {end}); return false; }} }})"),
            format!("async () => {{ await null; {end}; }}"),
            format!("async () => {{ await null; try {{ {end}; }} finally {{ return {{}}; }} }}"),
            format!("async () => {{ await new Promise((done) => setTimeout(done, 1)); new Promise(() => {end}); }}"),
            format!("() => ({{ then(done) {{ done({{}}); {end}; }} }})"),
            format!("() => new Promise(() => setTimeout(() => {{ {end}; }}, 1))"),
        ] {
            let (open, told) = behind(&[("gate.ts", &gate(&body))]).await;
            assert!(!open, "{body}");
            assert!(told.iter().any(|told| told.starts_with("called process.exit(")), "{body}: {told:?}");
        }
    }
}

/// Asking whether there is a process ends nothing, and an exit is forgotten when it has been noted.
#[tokio::test(flavor = "multi_thread")]
async fn an_exit_is_the_handlers_own() {
    let (open, told) = behind(&[("gate.ts", &gate("() => { process.kill(process.pid, 0); }"))]).await;
    assert!(open);
    assert_eq!(told, Vec::<String>::new());
    let body = "(event) => { if (event.input.leave) new Promise(() => process.exit(0)); }";
    let gates = Gates::load(&[("leaver.ts", &gate(body)), ("gate.ts", &gate("() => undefined"))]).await;
    assert!(!is_open(&gates.ask(json!({"leave": true})).await));
    assert!(is_open(&gates.ask(json!({})).await));
    assert_eq!(gates.scripts.told_of("gate.ts"), []);
    assert_eq!(gates.scripts.told_of("leaver.ts").len(), 1);
}

/// What another extension may do to what all of them share.
const TAMPERING: &[&str] = &[
    "Promise.resolve = () => new Promise((done) => done(undefined));",
    "Promise.prototype.then = function (done) { done(undefined); return new Native((done) => done(undefined)); };",
    "globalThis.Promise = class { static resolve() { return new this(); } then(done) { done(undefined); } };",
    "Object.defineProperty = (object) => object; Object.defineProperties = (object) => object;",
    "Object.defineProperty(Promise, Symbol.species, { get: () => function (run) { run(() => {}, () => {}); } });",
    "Promise.prototype.constructor = class extends Native { then(done) { done(undefined); return this; } };",
    "Array.prototype[Symbol.iterator] = function* () {};",
    "Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true });",
    "for (const name of ['call', 'apply', 'bind']) Function.prototype[name] = () => undefined;",
    "for (const name of Object.keys(Object.getOwnPropertyDescriptors(Reflect))) Reflect[name] = () => undefined;",
    "Map.prototype.get = Map.prototype.set = Map.prototype.has = () => undefined;",
    "Object.prototype.block = false;",
    "Object.defineProperty(Object.prototype, 'block', { get: () => false, set() {} });",
    "Object.prototype.toJSON = () => ({});",
    "Object.defineProperty(Object.prototype, 'then', { value: (done) => done(undefined), configurable: true });",
    "Object.defineProperty(Object.prototype, 'then', { configurable: true, get() { delete Object.prototype.then; return (done) => done(undefined); } });",
    "Array.prototype.then = Function.prototype.then = (done) => done(undefined);",
    "globalThis.Proxy = class { constructor() { return {}; } };",
];

#[tokio::test(flavor = "multi_thread")]
async fn no_extension_disarms_the_gate_of_another() {
    for tampering in TAMPERING {
        // At once, and while the gate waits.
        let at_once = format!("const Native = Promise;\nexport default () => {{ {tampering} }};\n");
        let later = format!(
            "const Native = Promise;\nexport default (pi) => {{\n  pi.on('tool_call', () => void setTimeout(() => {{ {tampering} }}, 1));\n}};\n"
        );
        for other in [&at_once, &later] {
            let own = "const { Promise: Own, setTimeout: later } = globalThis;\n";
            let gate = own.to_owned() + &gate(&format!("(event) => [{}][event.input.which]()", ASYNC.join(", ")));
            for files in [[("gate.ts", &*gate), ("other.ts", other)], [("other.ts", other), ("gate.ts", &gate)]] {
                let (gates, outcomes) = Gates::try_load(&files).await;
                // Where modules cannot even be loaded any more, the user is told.
                if outcomes.iter().any(|outcome| outcome.result.is_err()) {
                    assert_eq!(files[0].0, "other.ts", "{other}");
                    continue;
                }
                // One that comes after the other and uses what that one left of `Promise` does so of its own will.
                let spoilt = files[0].0 == "other.ts" && *other == at_once;
                for (which, body) in ASYNC.iter().enumerate().filter(|(_, body)| !(spoilt && body.contains("Own"))) {
                    let done = gates.ask(json!({"which": which})).await;
                    assert!(!is_open(&done), "{other}: {body}");
                }
            }
        }
    }
}

/// Ways to say no.
const ASYNC: [&str; 6] = [
    "() => ({ block: true })",
    "async () => ({ block: true })",
    "async () => { await null; return { block: true }; }",
    "() => new Own((done) => later(() => done({ block: true }), 20))",
    "async () => { await new Own((done) => later(done, 20)); return { block: true }; }",
    "async () => { await null; throw new Error('no'); }",
];

/// What is added to a built-in prototype is in the answer of every gate, and is the answer of none.
#[tokio::test(flavor = "multi_thread")]
async fn what_all_objects_have_answers_for_no_gate() {
    let no = [
        "{ block: true }",
        "Object.assign(new (class Answer {})(), { block: true })",
        "new (class { block = true })()",
    ];
    for tampering in [
        "Object.prototype.block = false;",
        "Object.defineProperty(Object.prototype, 'block', { get: () => false });",
        "Object.defineProperty(Object.prototype, 'block', { value: false });",
        "Object.defineProperty(Object.prototype, 'block', { get: () => false, set() {} });",
        "Error.prototype.block = false; Date.prototype.block = false;",
        "Object.setPrototypeOf(Error.prototype, { block: false });",
        "Map.prototype.block = false;",
    ] {
        let other = format!("export default () => {{ {tampering} }};");
        for answer in no.iter().copied().chain(["new Error('no')", "new Date(0)", "new Proxy({ block: true }, {})"]) {
            // The values of an author's own class are there before it is tampered with, or the assignment fails.
            let gates = Gates::load(&[("other.ts", &other), ("gate.ts", &gate(&format!("() => ({answer})")))]).await;
            assert!(!is_open(&gates.ask(json!({})).await), "{tampering} {answer}");
        }
        let set = gate("() => { const answer = {}; answer.block = true; return answer; }");
        let gates = Gates::load(&[("other.ts", &other), ("gate.ts", &set)]).await;
        assert!(!is_open(&gates.ask(json!({})).await), "{tampering} by assignment");
    }
    // And nobody's answer is made a no.
    let other = "export default () => { Object.prototype.block = true; };";
    let gates = Gates::load(&[("other.ts", other), ("gate.ts", &gate("() => ({})"))]).await;
    assert!(is_open(&gates.ask(json!({})).await));
}

/// What was stopped has not answered, also where the engine makes a rejected promise of the stop and the gate goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_gate_that_was_stopped_has_not_answered() {
    let other = "export default () => { globalThis.hang = () => { for (;;); }; };";
    for answer in [
        "() => new Promise(() => { for (;;); }).catch(() => undefined)",
        "() => { new Promise(() => { for (;;); }); }",
        "() => Promise.try(() => { for (;;); }).catch(() => undefined)",
        "async () => { await Promise.allSettled([Promise.try(() => hang())]); }",
        "async () => { await null; await Promise.allSettled([Promise.try(() => hang())]); }",
        "() => Promise.any([1]).then(() => Promise.any([{ get then() { for (;;); } }])).catch(() => undefined)",
        "() => Promise.resolve({ get then() { for (;;); } }).catch(() => undefined)",
        "() => (async function* () { for (;;); })().next().catch(() => undefined)",
        "() => new Promise(() => { /^(a+)+$/.test('a'.repeat(60) + 'b'); }).catch(() => undefined)",
        "() => new Promise(() => { const all = []; for (;;) all.push(new Uint8Array(1 << 20)); }).catch(() => undefined)",
        "async () => { await null; await new Promise(() => { const all = []; for (;;) all.push(new Uint8Array(1 << 20)); }).catch(() => undefined); }",
    ] {
        let gates = Gates::load(&[("other.ts", other), ("gate.ts", &gate(answer))]).await;
        let done = gates.ask(json!({})).await;
        assert!(!is_open(&done), "{answer}");
    }
}

/// What is stopped in the middle of a gate's own work is not whole, also where something goes on behind it: an event on the
/// bus, an op, or another extension.
#[tokio::test(flavor = "multi_thread")]
async fn a_gate_of_which_a_part_was_stopped_has_not_answered() {
    let head = "import { DatabaseSync } from 'node:sqlite';
const endless = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c';
const query = () => new DatabaseSync(':memory:').exec(endless);\n";
    let listeners = "  pi.events.on('own', () => { for (;;); });
  pi.events.on('full', () => { const all = []; for (;;) all.push(new Uint8Array(1 << 20)); });
  pi.events.on('leave', () => process.exit(0));\n";
    let other = "export default (pi) => {
  pi.events.on('call', (back) => back());
  pi.events.on('pass', () => pi.events.emit('own'));
  pi.events.on('theirs', () => { for (;;); });
};";
    for answer in [
        "() => { pi.events.emit('own'); }",
        "() => { pi.events.emit('full'); }",
        "() => { pi.events.emit('leave'); }",
        "() => { pi.events.emit('pass'); }",
        "() => { pi.events.emit('call', () => { for (;;); }); }",
        "() => { pi.events.emit('abroad', { toJSON() { for (;;); } }); }",
        "async () => { pi.events.emit('own'); await null; }",
        "async () => { await null; pi.events.emit('own'); return {}; }",
        "async () => { await new Promise((done) => setTimeout(done, 1)); pi.events.emit('pass'); }",
        "() => new Promise((done) => setTimeout(() => { pi.events.emit('own'); done(); }, 1))",
        "() => { const own = new AbortController(); own.signal.addEventListener('abort', () => { for (;;); }); own.abort(); }",
        "() => new Promise(query).catch(() => undefined)",
        "async () => { await null; await new Promise(query).catch(() => undefined); }",
    ] {
        let gate = format!("{head}export default (pi) => {{\n{listeners}  pi.on('tool_call', {answer});\n}};\n");
        let limits = json!({"stretchMs": 100, "memoryMb": 48});
        let (gates, outcomes) = Gates::try_load_within(limits, &[("gate.ts", &gate), ("other.ts", other)]).await;
        assert!(outcomes.iter().all(|outcome| outcome.result.is_ok()), "{outcomes:?}");
        let _abroad = crate::bus::hear(&gates.world, "abroad");
        let done = gates.ask(json!({})).await;
        assert!(!is_open(&done), "{answer}");
    }
    // Others are not the gate's own.
    let gate = gate("() => { pi.events.emit('theirs'); }");
    let limits = json!({"stretchMs": 100});
    let (gates, _) = Gates::try_load_within(limits, &[("gate.ts", &gate), ("other.ts", other)]).await;
    assert!(is_open(&gates.ask(json!({})).await));
}

/// A stop while a gate's answer is read shuts the gate at once, also when another extension made the loop.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_whose_reading_is_stopped_blocks() {
    let other = "export default () => { globalThis.spoil = { get block() { for (;;); } }; };";
    for answer in ["() => spoil", "async () => { await null; return spoil; }"] {
        let gates = Gates::load(&[("other.ts", other), ("gate.ts", &gate(answer))]).await;
        let done = gates.ask(json!({})).await;
        // And not by the limit of the handler, which is much longer.
        let why = done.shut.map(|shut| shut.reason()).unwrap_or_default();
        assert!(why.contains("without a pause"), "{answer}: {why}");
    }
}

/// What a gate is shown is what the tool gets.
#[tokio::test(flavor = "multi_thread")]
async fn a_gate_shows_later_ones_what_the_tool_gets() {
    for trick in [
        "Object.defineProperty(event.input, 'toJSON', { value: () => ({ text: 'other' }) });",
        "let looks = 0; Object.defineProperty(event.input, 'text', { enumerable: true, get: () => (looks++ < 2 ? 'x' : 'other') });",
        "event.input = new Proxy(event.input, { get: (own, key) => (key === 'text' ? 'other' : own[key]) });",
        "Object.setPrototypeOf(event.input, { toJSON: () => ({ text: 'other' }) });",
        "const { input } = event; setTimeout(() => { input.text = 'other'; }, 1);",
        "const { input } = event; Promise.resolve().then(() => {}).then(() => {}).then(() => { input.text = 'other'; });",
        "Object.defineProperty(event, 'toolName', { value: 'harmless' });",
        "Object.defineProperty(event, 'input', { get: () => ({ text: 'other' }) });",
        "Object.prototype.toJSON = function () { return this.text ? { text: 'other' } : this; }; event.input.text;",
        "Object.defineProperty(Object.prototype, 'text', { configurable: true, get: () => 'x', set() {} });",
    ] {
        let first = gate(&format!("(event) => {{ {trick} }}"));
        // Without `JSON`, which asks a `toJSON` of all objects.
        let seen = "const seen = () => `${event.toolName} {\"text\":\"${event.input.text}\"}`; const before = seen();";
        let wait = "await new Promise((done) => setTimeout(done, 20));";
        let say = "return { reason: [before, seen()].join() };";
        let second = gate(&format!("async (event) => {{ {seen} {wait} {say} }}"));
        let gates = Gates::load(&[("a.ts", &first), ("b.ts", &second)]).await;
        let done = gates.ask(json!({"text": "x"})).await;
        let got = format!("work {}", done.payload.expect("a payload").input);
        let seen = done.output.and_then(|output| output.reason);
        assert_eq!(seen, Some(format!("{got},{got}")), "{trick}");
    }
}

/// Never comes to an end, and leaves an engine no moment to end it.
const HOG: &str = "const more = () => { queueMicrotask(more); queueMicrotask(more); };\n";

/// An extension that takes the engine along while it is loaded takes nobody else: the next ones get a fresh engine.
#[tokio::test(flavor = "multi_thread")]
async fn a_gate_behind_one_that_takes_the_engine_along_is_loaded() {
    let limits = json!({"limits": {"loadMs": 500, "stretchMs": 300}});
    let hog = format!("{HOG}export default async () => {{ more(); await new Promise(() => {{}}); }};");
    let gate = "export default (pi) => { pi.on('tool_call', () => ({ block: true, reason: 'no' })); };";
    let (_gates, outcomes) = Gates::try_load_within(limits, &[("a.ts", &hog), ("b.ts", gate)]).await;
    let failed: Vec<bool> = outcomes.iter().map(|outcome| outcome.result.is_err()).collect();
    assert_eq!(failed, [true, false], "{outcomes:?}");
}

/// The same where the engine is lost to what was loaded before.
#[tokio::test(flavor = "multi_thread")]
async fn a_gate_that_comes_later_than_one_that_takes_the_engine_along_is_loaded() {
    let limits = json!({"limits": {"loadMs": 500, "stretchMs": 300}});
    let hog =
        format!("{HOG}export default (pi) => pi.on('tool_call', () => {{ pi.events.emit('begins', 1); more(); }});");
    let (gates, outcomes) = Gates::try_load_within(limits, &[("a.ts", &hog)]).await;
    assert!(outcomes[0].result.is_ok(), "{outcomes:?}");
    let begins = crate::bus::hear(&gates.world, "begins");
    let gate = "export default (pi) => { pi.on('tool_call', () => ({ block: true, reason: 'no' })); };";
    let load = async {
        crate::bus::heard(&begins, 1).await;
        gates.scripts.load(&gates.world, &[("b.ts", gate)]).await
    };
    let (_, outcomes) = tokio::join!(gates.ask(json!({"text": "x"})), load);
    assert!(outcomes[0].result.is_ok(), "{outcomes:?}");
}
