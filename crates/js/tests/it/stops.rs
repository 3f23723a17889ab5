//! Code that has to be stopped where it is hard to tell whose it is, or to stop it at all.

use std::time::Duration;

use serde_json::json;

use crate::support::{Scripts, Told};
use crate::tour;

/// Whose handlers only wait for a moment.
const OTHER: &str = "export default (pi) => { pi.on('context', async () => { await null; }); };";

/// An extension that does something when a prompt comes; `head` stands before it.
fn doing(head: &str, body: &str) -> String {
    format!("{head}\nexport default (pi) => {{\n  pi.on('before_agent_start', () => {{\n    {body}\n  }});\n}};\n")
}

/// What the user is told when extensions get three prompts, and stretches so many milliseconds.
async fn told_of(stretch: u64, files: &[(&str, &str)], until: impl Fn(&[Told]) -> bool) -> Vec<Told> {
    let limits = json!({"limits": {"stretchMs": stretch, "softMs": 600_000}});
    let world = tour::world().settings(json!({"tau": limits}));
    let scripts = Scripts::new(&world).tau(limits);
    for outcome in scripts.load(&world, files).await {
        outcome.result.unwrap_or_else(|error| panic!("{}: {error}", outcome.path.display()));
    }
    let running = world.start().await;
    for _ in 0..3 {
        running.say("Hi").await;
    }
    while !until(&scripts.told.all()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    scripts.told.all()
}

fn is_stop((_, _, message, _): &Told) -> bool {
    message.contains("without a pause")
}

/// Whether the engine was given up.
fn is_lost(told: &[Told]) -> bool {
    told.iter().any(|(_, at, ..)| at == "engine")
}

/// Code that is made at run time belongs to whose code makes it: it is blamed, and what it leaves ends with it.
#[tokio::test(flavor = "multi_thread")]
async fn made_code_is_stopped_in_the_name_of_who_made_it() {
    const WAYS: &[&str] = &[
        "const loop = new Function('for (;;);'); for (let i = 0; i < 300; i++) queueMicrotask(loop);",
        "globalThis.again = Function('return Promise.any([Promise.reject(1)]).then(again, again)'); again();",
        "(0, eval)('globalThis.anew = () => new Promise(() => { for (;;); }).catch(anew)'); anew();",
        "const loop = eval('() => { for (;;); }'); for (let i = 0; i < 50; i++) setImmediate(loop);",
        "const Async = (async () => {}).constructor; globalThis.more = new Async('try { for (;;); } finally { more(); }'); for (let i = 0; i < 9; i++) more();",
        "Promise.resolve('for (;;);').then(Function).then((loop) => { for (let i = 0; i < 50; i++) Promise.resolve().then(loop); });",
        "const loop = new Function(`return new Function('for (;;);')`)(); for (let i = 0; i < 50; i++) queueMicrotask(loop);",
        "class Made extends Function {} const loop = new Made('for (;;);'); for (let i = 0; i < 50; i++) queueMicrotask(loop);",
        "setInterval(new Function('for (;;);'), 0);",
    ];
    for way in WAYS {
        let begins_anew = way.contains("setInterval");
        let is_over = |told: &[Told]| {
            !begins_anew || told.iter().any(|(_, _, message, _)| message.contains("its timers and callbacks end"))
        };
        let told = told_of(64, &[("maker.ts", &doing("", way)), ("other.ts", OTHER)], is_over).await;
        assert!(told.iter().any(is_stop), "{way}: {told:?}");
        for (who, at, message, place) in told {
            assert!(who.ends_with("maker.ts"), "{way}: {who} {at} {message} {place:?}");
            assert!(at != "engine", "{way}: {message}");
        }
    }
}

/// Made code is made as it always was.
#[tokio::test(flavor = "multi_thread")]
async fn made_code_is_what_the_language_makes() {
    let checks = "
    const is = (what, found) => { if (!found) throw new Error(what); };
    const local = 2;
    is('parameters', new Function('a', 'b = 2', 'return a + b')(1) === 3 && Function('a,b', 'return a * b')(2, 3) === 6);
    is('no body', new Function()() === undefined && Function.length === 1 && Function.name === 'Function');
    is('text', new Function('a', 'return a').toString() === 'function anonymous(a\\n) {\\nreturn a\\n}');
    is('prototypes', Object.getPrototypeOf(new Function()) === Function.prototype && new Function() instanceof Function);
    is('constructors', (() => {}).constructor === Function && Function.prototype.constructor === Function);
    const Async = (async () => {}).constructor;
    is('kinds', Object.getPrototypeOf(Async) === Function && new Async('return 1')() instanceof Promise);
    is('generators', [...(function* () {}).constructor('yield 1; yield 2')()].length === 2);
    class Made extends Function { more() { return this(); } }
    is('subclasses', new Made('return 7').more() === 7 && new Made() instanceof Made);
    is('direct', eval('local + 1') === 3);
    is('indirect', (0, eval)('typeof local') === 'undefined' && globalThis.eval === eval);
    let syntax; try { new Function('let let'); } catch (error) { syntax = error; }
    is('syntax', syntax instanceof SyntaxError);
    is('halves', new Function(`return '\\ud800'`)().charCodeAt(0) === 0xd800);
    const kept = eval; globalThis.eval = 1; is('replaced', globalThis.eval === 1); globalThis.eval = kept;";
    let told = told_of(5_000, &[("maker.ts", &doing("", checks))], |_| true).await;
    assert_eq!(told, []);
}

/// Somebody who puts code before what all promises call does not take the jobs of others along.
#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_others_survive_who_wraps_promises() {
    const WRAPPERS: &[&str] = &[
        "const { then } = Promise.prototype;
Promise.prototype.then = function (done, failed) {
  return then.call(this, done && ((value) => done(value)), failed && ((error) => failed(error)));
};",
        "const queue = queueMicrotask; globalThis.queueMicrotask = (job) => queue(() => job());",
    ];
    for wrapper in WRAPPERS {
        let folder = tempfile::tempdir().expect("a folder");
        let seen = folder.path().join("seen");
        let loops = "begin(); for (let i = 0; i < 20; i++) Promise.resolve().then(() => { for (;;); });";
        let guilty = doing(wrapper, loops);
        let others = format!(
            "import {{ appendFileSync }} from 'node:fs';
const add = (n, done) => (n < 30 ? queueMicrotask(() => add(n + 1, done)) : done(n));
let counted;
globalThis.begin = () => {{
  let chain = Promise.resolve(0);
  for (let i = 0; i < 30; i++) chain = chain.then((n) => n + 1);
  counted = chain.then((n) => new Promise((done) => add(0, (more) => done(n + more))));
}};
export default (pi) => {{
  pi.on('context', async () => {{ appendFileSync({seen:?}, `${{await counted}} `); }});
}};"
        );
        let files = [("guilty.ts", &*guilty), ("others.ts", &*others)];
        let told = told_of(200, &files, |_| true).await;
        let seen = std::fs::read_to_string(&seen).unwrap_or_default();
        assert!(
            seen.matches("60").count() >= 3 && seen.split_whitespace().all(|seen| seen == "60"),
            "{wrapper}: {seen}"
        );
        assert!(told.iter().any(is_stop), "{told:?}");
        for (who, at, message, _) in told {
            assert!(who.ends_with("guilty.ts") && at != "engine", "{wrapper}: {who} {at} {message}");
        }
    }
}

/// Jobs of the engine's own between those of a stopped extension do not end the clearing.
#[tokio::test(flavor = "multi_thread")]
async fn jobs_of_the_engine_do_not_end_the_clearing() {
    let layers = "for (let i = 0; i < 2; i++) {
      queueMicrotask(() => { for (;;); });
      for (let pad = 0; pad < 70; pad++) Promise.resolve().then();
    }";
    let told = told_of(100, &[("padding.ts", &doing("", layers)), ("other.ts", OTHER)], |_| true).await;
    assert_eq!(told.iter().filter(|told| is_stop(told)).count(), 3, "one for each prompt: {told:?}");
    assert!(told.iter().all(|(who, ..)| who.ends_with("padding.ts")), "{told:?}");
}

/// A long chain of the engine's own jobs behind a stop costs nobody the engine.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_chain_behind_a_stop_costs_nobody_the_engine() {
    let chain = "queueMicrotask(() => { for (;;); }); let chain = Promise.resolve(); for (let i = 0; i < 30_000; i++) chain = chain.then();";
    let told = told_of(300, &[("chain.ts", &doing("", chain)), ("other.ts", OTHER)], |_| true).await;
    assert!(told.iter().any(is_stop) && !is_lost(&told), "{told:?}");
    assert!(told.iter().all(|(who, ..)| who.ends_with("chain.ts")), "{told:?}");
}

/// Where there is no end to what must be looked at, the engine is given up in the name of the one who was stopped.
#[tokio::test(flavor = "multi_thread")]
async fn clearing_without_end_costs_the_engine_in_the_name_of_who_was_stopped() {
    for (head, flood) in [(
        "const { then } = Promise.prototype; Promise.prototype.then = function (done) { return then.call(this, () => done()); };",
        "const again = () => { Promise.resolve().then(again); Promise.resolve().then(again); }; again();",
    )] {
        let told = told_of(300, &[("flood.ts", &doing(head, flood)), ("other.ts", OTHER)], is_lost).await;
        assert!(told.iter().any(|(who, at, ..)| who.ends_with("flood.ts") && at == "engine"), "{flood}: {told:?}");
        for (who, at, message, _) in told {
            let follows = message.contains("does not answer any more");
            assert!(who.ends_with("flood.ts") || follows, "{flood}: {who} {at} {message}");
        }
    }
}

/// What nobody's code shows a place for is put on the extension that asked for it, not on the one in whose time it began.
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_without_a_place_is_that_of_who_asked() {
    const ASKED: &[&str] = &[
        "readFile('/nowhere/at/all', (error) => { throw error; });",
        "promises.readFile('/nowhere/at/all');",
        "setTimeout(() => { throw 'plain'; }, 1);",
        "setImmediate(() => { throw 'plain'; });",
    ];
    for asked in ASKED {
        let guilty = format!(
            "import {{ promises, readFile }} from 'node:fs';
let go;
globalThis.ready = new Promise((done) => {{ go = done; }});
globalThis.begin = () => go();
export default () => {{ ready.then(() => {{ {asked} }}); }};"
        );
        let other = doing("", "begin();");
        let files = [("guilty.ts", &*guilty), ("other.ts", &*other)];
        let told = told_of(5_000, &files, |told| !told.is_empty()).await;
        let (who, at, message, _) = &told[0];
        assert!(who.ends_with("guilty.ts") && at == "uncaught", "{asked}: {told:?}");
        assert!(message.contains("ENOENT") || message == "plain", "{asked}: {message}");
        assert_eq!(told.len(), 1, "{asked}: {told:?}");
    }
}

/// Native work takes the time of the stretch that asks for it, and ends with that.
#[tokio::test(flavor = "multi_thread")]
async fn native_work_is_stopped_with_its_stretch() {
    const WORK: &[&str] = &[
        "gunzipSync(bomb)",
        "createHash('sha512').update(large).digest()",
        "createHmac('sha512', 'key').update(large).digest()",
        "createCipheriv('aes-256-cbc', Buffer.alloc(32), Buffer.alloc(16)).update(large)",
        "pbkdf2Sync('a', 'b', 500_000_000, 64, 'sha512')",
        "new DatabaseSync(':memory:').exec('WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c')",
    ];
    let head = "import { gunzipSync, gzipSync } from 'node:zlib';
import { createCipheriv, createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
const bomb = Buffer.concat(Array(200).fill(gzipSync(Buffer.alloc(1 << 20))));
const large = Buffer.alloc(120 << 20);";
    for work in WORK {
        let folder = tempfile::tempdir().expect("a folder");
        let seen = folder.path().join("seen");
        let body = format!("{work}; process.getBuiltinModule('node:fs').writeFileSync({seen:?}, 'done');");
        let told = told_of(100, &[("busy.ts", &doing(head, &body)), ("other.ts", OTHER)], |_| true).await;
        assert!(!seen.exists(), "{work}: it came to its end");
        for (who, at, message, _) in &told {
            assert!(who.ends_with("busy.ts") && at == "before_agent_start", "{work}: {who} {at} {message}");
            assert!(message.contains("without a pause"), "{work}: {message}");
        }
        assert_eq!(told.len(), 3, "{work}: {told:?}");
    }
}

/// Who waits for turns among many short ones of somebody else is not the one that is named.
#[tokio::test(flavor = "multi_thread")]
async fn who_takes_many_short_turns_is_named_and_not_who_waits_for_one() {
    let limits = json!({"limits": {"softMs": 500}});
    let world = tour::world().settings(json!({"tau": limits}));
    let scripts = Scripts::new(&world).tau(limits);
    let busy = doing("", "setInterval(() => { const end = Date.now() + 12; while (Date.now() < end); }, 0);");
    let waits = "export default (pi) => {
  pi.on('context', async () => { for (let i = 0; i < 120; i++) await new Promise((done) => setImmediate(done)); });
};";
    scripts.load(&world, &[("busy.ts", &*busy), ("waits.ts", waits)]).await;
    let running = world.start().await;
    running.say("Hi").await;
    let told = scripts.told.all();
    assert_eq!(scripts.told_of("waits.ts"), [], "{told:?}");
    let holds = |(_, at, message, _): &Told| at == "context" && message.contains("keeps its script engine busy");
    assert!(scripts.told_of("busy.ts").iter().any(holds), "{told:?}");
}

/// Code of `eval` has one name for all extensions. Where several do, nobody is blamed for what shows no more than that, and
/// there is an end to it all the same.
#[tokio::test(flavor = "multi_thread")]
async fn evaluated_code_that_may_be_anybodys_costs_the_engine_and_nobody_is_blamed() {
    let flood = "globalThis.loops = (0, eval)('() => { for (;;); }'); for (let i = 0; i < 50; i++) Promise.resolve().then(loops);";
    let other = doing("", "eval('1 + 1');");
    let told = told_of(64, &[("other.ts", &*other), ("flood.ts", &doing("", flood))], is_lost).await;
    for (who, at, message, _) in &told {
        let follows = message.contains("does not answer any more");
        assert!(who == "<runtime>" || who.ends_with("flood.ts") || follows, "{who} {at} {message}");
    }
}
