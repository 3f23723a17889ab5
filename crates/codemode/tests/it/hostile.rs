//! Scripts that attack what runs them: nothing but the script is harmed.

use std::time::Duration;

use serde_json::json;
use tau_codemode::engine::{Ended, Failure, Pool};
use tokio_util::sync::CancellationToken;

use crate::engine::{done, run_in, surface};

/// Ends in any case, so that a test that fails does not hang.
fn limited(code: &str) -> String {
    format!("// @options: {{\"timeout_ms\": 20000}}\n{code}")
}

#[tokio::test]
async fn there_is_nothing_but_the_language() {
    let names = "require process fetch setTimeout setInterval setImmediate WebAssembly Worker std os scriptArgs print \
                 SharedArrayBuffer Atomics Deno Bun tau pi __tau module exports Buffer XMLHttpRequest WebSocket navigator \
                 op internal host native gc loadScript evalScript";
    let code = format!("return '{names}'.split(/\\s+/).filter((name) => typeof globalThis[name] !== 'undefined')");
    assert_eq!(done(&code).await.texts(), ["[]"]);
    for module in ["fs", "node:fs", "std", "os", "qjs:std", "./a.js", "/etc/passwd", "data:text/javascript,1"] {
        let code = format!("try {{ await import('{module}'); return 'loaded' }} catch (e) {{ return 'refused' }}");
        assert_eq!(done(&code).await.texts(), ["refused"], "{module}");
    }
    // What the globals are made of is not among them.
    let code = "return Object.getOwnPropertyNames(globalThis).filter((name) => {
        const value = globalThis[name];
        return (typeof value === 'object' || typeof value === 'function') && value !== null && ('ask' in Object(value) || 'settle' in Object(value));
    }).filter((name) => name !== 'tools' && name !== 'models')";
    assert_eq!(done(code).await.texts(), ["[]"]);
    // Another global scope is the same one.
    let code = "return new Function('return globalThis')() === globalThis && (0, eval)('tools') === tools && typeof tools.echo.constructor('return this')().process";
    assert_eq!(done(code).await.texts(), ["undefined"]);
}

#[tokio::test]
async fn changed_built_ins_harm_the_script_only() {
    let code = "
        const seen = [];
        for (const proto of [Object, Array, Function, Promise, Map, String, Error, RegExp].map((c) => c.prototype)) {
            for (const name of Reflect.ownKeys(proto)) {
                if (name === 'constructor' || name === Symbol.iterator) continue;
                try { proto[name] = function (...all) { seen.push(name); return this; } } catch {}
            }
        }
        for (const name of Reflect.ownKeys(JSON)) try { JSON[name] = () => 'changed' } catch {}
        for (const name of Reflect.ownKeys(Reflect)) try { Reflect[name] = () => 'changed' } catch {}
        Object.defineProperty(Object.prototype, 'resolve', { set(v) { seen.push(v) }, get() { return () => {} } });
        Object.defineProperty(Object.prototype, 'own', { value: {}, writable: true });
        globalThis.Promise = null; globalThis.JSON = null; globalThis.tools = null; globalThis.text = null;
        tools.echo({a: 1});
        tools.fail({b: 2});
        text('out');
        return 'end'";
    let done = done(&limited(code)).await;
    assert_eq!(done.texts(), ["out", "end"]);
    assert_eq!(done.asked, [("echo".to_owned(), json!({"a": 1})), ("fail".to_owned(), json!({"b": 2}))]);
}

#[tokio::test]
async fn members_cannot_be_put_in_place_of_tools() {
    let code = "
        try { tools.echo = () => 'fake' } catch {}
        try { Object.defineProperty(tools, 'echo', {value: () => 'fake'}) } catch {}
        try { Object.setPrototypeOf(tools, {other: () => 'fake'}) } catch {}
        try { delete tools.echo } catch {}
        try { tools.__proto__.x = 1 } catch {}
        return await tools.echo({a: 1})";
    let done = done(&limited(code)).await;
    assert_eq!(done.texts(), ["{\"a\":1}"]);
    assert_eq!(done.asked.len(), 1);
}

#[tokio::test]
async fn endless_scripts_end_with_their_time() {
    for code in [
        "while (true) {}",
        "for (;;) { try { while (true) {} } catch {} }",
        "try { while (true) {} } finally { while (true) {} }",
        "(function again() { Promise.resolve().then(again) })(); await tools.never({})",
        "await (async () => { for (;;) await null })()",
        "for (;;) await tools.echo({})",
        "await tools.echo({ toJSON() { while (true) {} } })",
        "text({ toJSON() { while (true) {} } })",
        "throw { get message() { while (true) {} }, toJSON() { while (true) {} } }",
        "throw Object.defineProperty(new Error('x'), 'message', { get() { while (true) {} } })",
        "return { toJSON() { while (true) {} } }",
        "/^(a+)+$/.test('a'.repeat(50) + 'b')",
        "[...Array(1000).keys()].sort(() => { while (true) {} })",
        "new Proxy({}, { get() { while (true) {} } }).x",
        "function* g() { while (true) yield 1 } for (const x of g()) {}",
    ] {
        let done = done(&format!("// @options: {{\"timeout_ms\": 100}}\n{code}")).await;
        assert_eq!(done.report.ended, Ended::Failed(Failure::TimedOut(100)), "{code}");
    }
}

#[tokio::test]
async fn memory_has_a_limit() {
    for (code, expected) in [
        ("const all = []; for (;;) all.push('x'.repeat(1000000) + all.length)", "out of memory"),
        ("const all = []; for (;;) all.push(new ArrayBuffer(10000000))", "out of memory"),
        ("const all = []; for (;;) all.push({a: [1, 2, 3], b: {}})", "out of memory"),
        ("let all = []; for (;;) all = [all, all.concat(all)]", ""),
        ("let s = 'x'; for (;;) s += s", ""),
        ("new Uint8Array(2 ** 33)", ""),
        ("'x'.repeat(2 ** 30)", ""),
        ("const m = new Map(); for (let i = 0; ; i++) m.set(i, 'v' + i)", "out of memory"),
        ("BigInt('1' + '0'.repeat(10000)) ** 1000000n", ""),
        ("throw new Error('x'.repeat(2 ** 28))", ""),
    ] {
        let done = done(&limited(code)).await;
        let Ended::Failed(Failure::Threw(text)) = &done.report.ended else { panic!("{code}: {:?}", done.report.ended) };
        assert!(text.contains(expected), "{code}: {text}");
    }
    // It can be caught, and the script continues.
    let code = "try { const all = []; for (;;) all.push(new ArrayBuffer(10000000)) } catch (e) { return String(e) }";
    assert_eq!(done(&limited(code)).await.texts(), ["InternalError: out of memory"]);
}

#[tokio::test]
async fn depth_has_a_limit() {
    for code in [
        "(function deep() { deep() })()",
        "let a = {}; for (let i = 0; i < 1e6; i++) a = {a}; text(a)",
        "let a = []; for (let i = 0; i < 1e6; i++) a = [a]; await tools.echo(a)",
        "JSON.parse('['.repeat(1e6))",
        "new RegExp('('.repeat(1e6))",
        "eval('('.repeat(1e6))",
        "const a = []; a[0] = a; text(a)",
    ] {
        let done = done(&limited(code)).await;
        assert!(matches!(done.report.ended, Ended::Failed(Failure::Threw(_))), "{code}: {:?}", done.report.ended);
    }
    // Arguments that are too deep for a request are refused before anybody sees them.
    let deep = done("let a = []; for (let i = 0; i < 500; i++) a = [a]; await tools.echo({a})").await;
    assert!(deep.texts()[0].contains("echo: the arguments cannot be read as JSON"), "{:?}", deep.texts());
    assert!(deep.asked.is_empty());
}

#[tokio::test]
async fn output_has_a_limit_that_cannot_be_caught() {
    for code in [
        "for (;;) { try { text('x'.repeat(1000000)) } catch {} }",
        "for (;;) { try { console.log('') } catch {} }",
        "try { text('x'.repeat(17000000)) } catch {} text('more'); while (true) {}",
    ] {
        let done = done(&limited(code)).await;
        let Ended::Failed(Failure::Threw(text)) = &done.report.ended else { panic!("{code}: {:?}", done.report.ended) };
        assert!(text.starts_with("RangeError: the output of a script is limited"), "{code}: {text}");
        assert!(done.report.output.items().len() <= 100_000);
    }
}

#[tokio::test]
async fn questions_have_a_limit() {
    for code in [
        "for (let n = 0; n < 200000; n++) tools.never({})",
        "for (let n = 0; ; n++) tools.never({n}).catch(() => {}).then(() => {}).finally(() => {})",
        "await Promise.allSettled(Array.from({length: 200000}, () => tools.never({})))",
    ] {
        let many = done(&limited(code)).await;
        let Ended::Failed(Failure::Threw(text)) = &many.report.ended else { panic!("{:?}", many.report.ended) };
        assert!(text.starts_with("RangeError: too many calls are open: at most 20000 "), "{code}: {text}");
        assert!(many.asked.len() <= 256, "no more than this are open at once");
    }
    let large =
        done(&limited("const x = 'x'.repeat(10000000); for (;;) await Promise.race([tools.never({x}), null])")).await;
    assert!(large.texts()[0].contains("too many calls are open"), "{:?}", large.texts());
    let caught = done(
        "for (;;) { try { await Promise.race([tools.never({x: 'x'.repeat(10000000)}), null]) } catch (e) { return e.name } }",
    );
    assert_eq!(caught.await.texts(), ["RangeError"]);
}

#[tokio::test]
async fn ten_thousand_questions_are_answered() {
    for code in [
        "let n = 0; for (let i = 0; i < 10; i++) { const all = await Promise.all(Array.from({length: 1000}, (_, k) => tools.echo({k}))); n += all.length } return n",
        "return (await Promise.all(Array.from({length: 10000}, (_, k) => tools.echo({k})))).length",
    ] {
        let done = done(&limited(code)).await;
        assert_eq!(done.texts(), ["10000"]);
        assert_eq!(done.asked.len(), 10_000);
    }
}

#[tokio::test]
async fn nothing_is_asked_after_the_end() {
    let code = "(async () => { for (;;) await tools.echo({}) })(); return 'over'";
    let ended = done(code).await;
    assert_eq!(ended.texts(), ["over"]);
    assert!(ended.asked.len() <= 1, "{}", ended.asked.len());
    let exited = done("try { exit() } catch {} tools.echo({}); await tools.echo({}); text('after')").await;
    assert_eq!((exited.texts(), exited.asked.len()), (Vec::new(), 0));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let stopped = run_in(&Pool::new(1), "await tools.echo({})", surface(), cancel).await;
    assert_eq!((stopped.report.ended, stopped.asked.len()), (Ended::Failed(Failure::Aborted), 0));
}

#[tokio::test]
async fn an_abort_ends_a_script_that_computes() {
    let (pool, cancel) = (Pool::new(1), CancellationToken::new());
    let ends = cancel.clone();
    let running = run_in(&pool, "await tools.echo({}); while (true) {}", surface(), cancel);
    let stop = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        ends.cancel();
    };
    let (done, ()) = tokio::join!(running, stop);
    assert_eq!(done.report.ended, Ended::Failed(Failure::Aborted));
    // Its place is free.
    assert_eq!(run_in(&pool, "return 1", surface(), CancellationToken::new()).await.texts(), ["1"]);
}

/// Some built-ins do not look at the interrupt. Their thread is left behind, and others go on.
#[tokio::test]
async fn a_script_that_does_not_listen_is_left_behind() {
    let pool = Pool::new(1);
    let deaf = "// @options: {\"timeout_ms\": 50}\nnew Set('x'.repeat(5e7)); await tools.echo({}); text('late')";
    let left = run_in(&pool, deaf, surface(), CancellationToken::new()).await;
    assert_eq!(left.report.ended, Ended::Failed(Failure::TimedOut(50)));
    assert_eq!(run_in(&pool, "return 1", surface(), CancellationToken::new()).await.texts(), ["1"]);
    assert!(left.asked.is_empty() && left.report.output.items().is_empty());
}

#[tokio::test]
async fn scripts_wait_for_a_place_in_turn() {
    let pool = Pool::new(2);
    let one = |code: &'static str| run_in(&pool, code, surface(), CancellationToken::new());
    let waiting = "// @options: {\"timeout_ms\": 150}\nawait tools.never({})";
    let late = "// @options: {\"timeout_ms\": 20}\nreturn 1";
    let (first, second, third, fourth) = tokio::join!(one(waiting), one(waiting), one(late), one("return 2"));
    assert_eq!(first.report.ended, Ended::Failed(Failure::TimedOut(150)));
    assert_eq!(second.report.ended, Ended::Failed(Failure::TimedOut(150)));
    assert_eq!(third.report.ended, Ended::Failed(Failure::TimedOutWaiting(20)));
    assert_eq!(fourth.texts(), ["2"]);
}
