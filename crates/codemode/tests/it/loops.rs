//! Loops of built-in functions, which the engine does not interrupt by itself.

use tau_codemode::engine::{Ended, Failure, Pool};
use tokio_util::sync::CancellationToken;

use crate::engine::{done, run_in, surface};

#[tokio::test]
async fn loops_of_built_ins_have_a_limit() {
    for code in [
        "Array.prototype.reverse.call({length: 2 ** 53 - 1})",
        "Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)",
        "Array.prototype.fill.call(new Proxy({length: 2 ** 53 - 1}, {set: undefined}), 1)",
        "new Array(4e9).join()",
        "new Array(2 ** 31).includes(1)",
        "new Array(2 ** 31).forEach(() => {})",
        "[].concat(new Array(2 ** 31), new Array(2 ** 30))",
        "'a'.repeat(1e8).indexOf('a'.repeat(5e7) + 'b')",
        "'a'.repeat(1e8).split('a'.repeat(5e7) + 'b')",
        "JSON.stringify({}, new Array(4e9))",
        // It says another length each time that it is asked.
        "let n = 0; Array.prototype.indexOf.call({get length() { return n++ ? 2 ** 53 - 1 : 3 }}, 1); return n",
        "let n = 0; Array.prototype.indexOf.call(new Proxy([], {get: () => n++ ? 2 ** 53 - 1 : 3}), 1); return n",
    ] {
        let done = done(&format!("// @options: {{\"timeout_ms\": 15000}}\n{code}")).await;
        let is_refused =
            matches!(&done.report.ended, Ended::Failed(Failure::Threw(text)) if text.starts_with("RangeError: "));
        assert!(is_refused || done.texts() == ["1"], "{code}: {:?}", done.report.ended);
    }
    // A place is free at once: no thread was left behind.
    let pool = Pool::new(1);
    let endless = "{[Symbol.iterator]: Array.prototype.values.bind({length: 2 ** 53 - 1})}";
    let set = format!("new Set({endless})");
    for code in [
        "new Array(2 ** 31).flat()",
        "new Array(1000).fill(new Array(2 ** 31)).flat(2)",
        "new Set(new Array(4e9))",
        "new Set(new Array(4e9).values())",
        &set,
        "(function () { new Set({[Symbol.iterator]: arguments[Symbol.iterator].bind({length: 4e9})}) })()",
        "Array.prototype.values.call({length: 4e9}).drop(4e9).next()",
        "Array.prototype.values.call({length: 4e9}).forEach(Boolean)",
    ] {
        let code = format!("// @options: {{\"timeout_ms\": 100}}\n{code}");
        let ended = run_in(&pool, &code, surface(), CancellationToken::new()).await.report.ended;
        assert_eq!(ended, Ended::Failed(Failure::TimedOut(100)));
    }
    assert_eq!(run_in(&pool, "return 1", surface(), CancellationToken::new()).await.texts(), ["1"]);
}

#[tokio::test]
async fn bounded_built_ins_do_what_they_do_elsewhere() {
    for (code, expected) in [
        ("return [[1, [2, [3]]], , 4].flat()", "[1,[2,[3]],4]"),
        ("return [[1, [2, [3]]]].flat(Infinity)", "[1,2,3]"),
        (
            "const a = [3, 1, 2]; return [a.sort() === a, a.reverse() === a, a.join('-'), String(a)]",
            "[true,true,\"3-2-1\",\"3,2,1\"]",
        ),
        ("return [1].concat([2, 3], 4, [[5]])", "[1,2,3,4,[5]]"),
        ("return (function () { return Array.prototype.slice.call(arguments, 1) })(1, 2, 3)", "[2,3]"),
        ("return Array.prototype.map.call('abc', (c) => c + c)", "[\"aa\",\"bb\",\"cc\"]"),
        (
            "const p = new Proxy([1, 2, 3], {}); return [p.indexOf(2), p.reverse() === p, p.join()]",
            "[1,true,\"3,2,1\"]",
        ),
        (
            "return ['a-b-c'.split('-'), 'a-b'.replace('-', '+'), 'aXbX'.replaceAll(/x/gi, '.'), 'abc'.includes('b')]",
            "[[\"a\",\"b\",\"c\"],\"a+b\",\"a.b.\",true]",
        ),
        ("return ['a,b'.split(), 'x'.indexOf(), 'a1'.replace('1', (m) => m + m)]", "[[\"a,b\"],-1,\"a11\"]"),
        ("return JSON.stringify({a: 1, b: 2}, ['b'])", "{\"b\":2}"),
        (
            "class S extends Set {} const s = new S([1, 1, 2]); return [s.size, s instanceof Set, s instanceof S, s.constructor === S]",
            "[2,true,true,true]",
        ),
        (
            "return [[].map.name, [].indexOf.length, new Set().constructor === Set, typeof Proxy]",
            "[\"map\",1,true,\"function\"]",
        ),
        ("const {proxy, revoke} = Proxy.revocable([1], {}); const n = proxy.length; revoke(); return n", "1"),
        (
            "class A extends Array {} return [new A(1, 2).map((x) => x) instanceof A, Array.isArray(new Proxy([], {}))]",
            "[true,true]",
        ),
    ] {
        assert_eq!(done(code).await.texts(), [expected], "{code}");
    }
}
