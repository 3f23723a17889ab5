//! Extensions that fill memory or time in every way the language has, made from a number.

/// A way to fill memory: what is needed first, and what is done over and over. `keep` is an array that stays.
pub struct Bomb {
    pub area: &'static str,
    setup: &'static str,
    step: &'static str,
}

const fn bomb(area: &'static str, setup: &'static str, step: &'static str) -> Bomb {
    Bomb { area, setup, step }
}

pub const BOMBS: &[Bomb] = &[
    bomb("strings", "", "keep.push('x'.repeat(1000 + (round % 5000)) + round);"),
    bomb("long strings", "let text = 'ab';", "text += text; keep.push(text + round);"),
    bomb(
        "ropes",
        "let text = ''; const piece = 'y'.repeat(700);",
        "text += piece; if (round % 1000 === 999) keep.push(text.length);",
    ),
    bomb("splits", "const text = 'a,bc,'.repeat(20000);", "keep.push(text.split(','), [...text.slice(0, 5000)]);"),
    bomb(
        "templates",
        "",
        "keep.push(`${round} and ${'z'.repeat(round % 700)} and ${[round]}`, String.raw`a${round}b`);",
    ),
    bomb("arrays", "", "keep.push([round, [round], [[round]]], Array.from({ length: 100 }, (_, i) => [i]));"),
    bomb(
        "growing array",
        "const all = [];",
        "for (let i = 0; i < 1000; i += 1) all.push(i); keep.push(all.slice(0, 10), all.concat(all).length);",
    ),
    bomb("literals", "", "keep.push({ a: { b: { c: [{}, {}, {}] } }, d: [{}, {}] }, [{}, {}, {}, [{}], [[]]]);"),
    bomb(
        "properties",
        "const o = {};",
        "o[`p${round}`] = round; keep.push({ ...o }, Object.entries(o).length); delete o[`p${round - 50}`];",
    ),
    bomb(
        "accessors",
        "",
        "keep.push(Object.defineProperty({}, `g${round}`, { get() { return round; }, configurable: true }), Object.freeze({ round }));",
    ),
    bomb(
        "errors",
        "",
        "try { throw new TypeError(`e${round}`, { cause: keep.at(-1) }); } catch (error) { keep.push(error); if (round % 7 === 0) error.stack; }",
    ),
    bomb(
        "dropped errors",
        "",
        "new Error('x'); keep.push(new ArrayBuffer(100000)); try { null.x; } catch (error) { keep.push(error); }",
    ),
    bomb(
        "bound functions",
        "const f = (...a) => a;",
        "keep.push(f.bind(round), f.bind(round, 1, 2, 3), f.bind(null, ...Array(20).fill(round)));",
    ),
    bomb("symbols", "", "keep.push(Symbol(`s${round}`), Symbol.for(`f${round}`), { [Symbol(`k${round}`)]: 1 });"),
    bomb("proxies", "", "keep.push(new Proxy({}, { get: () => round }), Proxy.revocable(() => 1, {})); keep.at(-2).x;"),
    bomb(
        "expressions",
        "",
        "keep.push(new RegExp(`(a+)(?<n>b${round})|[c-f]{1,${(round % 50) + 1}}`, 'giu'), [...'aab1ab2'.matchAll(/(a)(b\\d)/g)]);",
    ),
    bomb(
        "searches",
        "const text = 'abcd'.repeat(5000);",
        "keep.push(text.replace(/b/g, (b) => b + round), text.match(/a./g), text.split(/c/));",
    ),
    bomb("backtracking", "const text = 'a'.repeat(28) + 'b';", "keep.push(/^(a+)+$/.test(text));"),
    bomb(
        "registrations",
        "",
        "pi.registerTool({ name: `t${round}`, label: 'T', description: 'd', parameters: { type: 'object', properties: {} }, async execute() { return { content: [] }; } });",
    ),
    bomb(
        "commands and flags",
        "",
        "pi.registerCommand(`c${round}`, { handler: async () => {} }); pi.registerFlag(`f${round}`, { type: 'boolean', default: true });",
    ),
    bomb("handlers", "", "pi.on('turn_end', () => { keep.push(round); });"),
    bomb(
        "timers",
        "",
        "setTimeout(() => { keep.push(round); }, 1000000 + round); keep.push(setInterval(() => {}, 1000000));",
    ),
    bomb(
        "bus",
        "",
        "pi.events.on(`c${round % 10}`, () => { keep.push('x'.repeat(100)); }); pi.events.emit(`c${round % 10}`, { round, list: [round] });",
    ),
    bomb(
        "promises",
        "",
        "keep.push(new Promise((r) => { r(round); }).then((x) => [x]), Promise.all([1, Promise.resolve(2)]), Promise.withResolvers());",
    ),
    bomb(
        "rejections",
        "",
        "keep.push(Promise.reject(new Error('r')).catch(() => 1).finally(() => 2), Promise.any([Promise.reject(1)]).catch(() => 3));",
    ),
    bomb("unheard rejections", "", "keep.push(Promise.reject(round));"),
    bomb(
        "typed arrays",
        "",
        "keep.push(new Uint8Array(1000 * (round % 90)), new Float64Array([1, 2, round]), new DataView(new ArrayBuffer(64)));",
    ),
    bomb(
        "views",
        "const bytes = new Uint8Array(100000);",
        "keep.push(bytes.subarray(round % 100), bytes.slice(0, 1000), bytes.map((x) => x + 1));",
    ),
    bomb(
        "buffers",
        "",
        "keep.push(Buffer.alloc(5000), Buffer.from('x'.repeat(3000)), Buffer.concat([Buffer.alloc(10), Buffer.alloc(90)]).toString('hex'));",
    ),
    bomb("large buffers", "", "keep.push(new ArrayBuffer(1 << 20)); if (round % 50 === 49) keep.splice(0, 10);"),
    bomb(
        "growing buffers",
        "const grows = new ArrayBuffer(8, { maxByteLength: 1 << 28 });",
        "grows.resize(Math.min(1 << 28, 8 + round * 10000)); keep.push(grows.slice(0, 100000));",
    ),
    bomb(
        "maps",
        "const m = new Map();",
        "m.set({}, round).set(`k${round}`, [round]); keep.push(new Map(m), Map.groupBy([1, 2], (x) => x % 2));",
    ),
    bomb(
        "sets",
        "const s = new Set();",
        "for (let i = 0; i < 100; i += 1) s.add(round * 100 + i); keep.push(s.union(new Set([1])), new Set(s).size);",
    ),
    bomb(
        "weak maps",
        "const w = new WeakMap(), v = new WeakSet(); const registry = new FinalizationRegistry(() => {});",
        "const k = {}; w.set(k, [round]); v.add(k); registry.register(k, round); keep.push(k, new WeakRef(k));",
    ),
    bomb("closures", "", "keep.push(() => round, function () { return keep; }, () => () => round);"),
    bomb(
        "classes",
        "",
        "keep.push(class A { #p = round; static s = 1; get p() { return this.#p; } }, class extends Array { m() { return super.at(0); } }); new (keep.at(-2))();",
    ),
    bomb(
        "compiled",
        "",
        "keep.push(new Function('a', `let b${round} = a; return { x: [b${round}, ${round}], f() { return class {}; } };`), eval(`(() => [${round}])`));",
    ),
    bomb(
        "large compiled",
        "const body = Array.from({ length: 2000 }, (_, i) => `{ k${i}: [${i}], f() { return /x/; } }`).join();",
        "keep.push(new Function(`return [${body}]`)); if (round % 3 === 0) keep.push(keep.at(-1)());",
    ),
    bomb("broken source", "", "try { new Function('let x = { a: [ (' + round); } catch (error) { keep.push(error); }"),
    bomb(
        "json",
        "const o = { a: [1, 2, { b: 'x'.repeat(600) }], c: { d: null } };",
        "keep.push(JSON.parse(JSON.stringify([o, o, round])), JSON.stringify(o, null, 2), JSON.parse(JSON.stringify(o), (k, v) => v));",
    ),
    bomb(
        "large json",
        "const text = '[' + '[1,[2]],'.repeat(50000) + '0]';",
        "keep.push(JSON.parse(text)); keep.push(JSON.stringify(keep.at(-1)).length);",
    ),
    bomb(
        "deep values",
        "let deep = [];",
        "for (let i = 0; i < 1000; i += 1) deep = [deep]; try { keep.push(JSON.stringify(deep)); } catch {} try { keep.push(structuredClone(deep)); } catch {}",
    ),
    bomb(
        "clones",
        "const o = { m: new Map([[1, { a: 1 }]]), d: new Date(), b: new Uint8Array(100), l: [1, 2, [3]] };",
        "keep.push(structuredClone(o));",
    ),
    bomb(
        "generators",
        "function* g() { yield [round]; yield* [2, 3]; } ",
        "const it = g2(round); it.next(); keep.push(it, [...g2(round)], g2(1).map((x) => x).toArray());",
    ),
    bomb(
        "async functions",
        "async function f(n) { if (n > 0) return [await f(n - 1)]; await null; return n; }",
        "keep.push(f(3), (async () => { throw new Error('a'); })().catch(() => 1));",
    ),
    bomb(
        "async generators",
        "async function* g() { yield 1; await null; yield [2]; }",
        "keep.push((async () => { for await (const x of g()) keep.push([x]); })());",
    ),
    bomb(
        "iterators",
        "",
        "keep.push(Iterator.from([1, 2, 3]).map((x) => [x]).flatMap((x) => x), new Map([[1, 2]]).entries(), Object.fromEntries([['a', round]]));",
    ),
    bomb(
        "big numbers",
        "let b = 3n;",
        "b = b * b + 1n; if (b > 1n << 20000n) b = 3n; keep.push(b, b.toString(), BigInt(round) << 500n);",
    ),
    bomb(
        "deep recursion",
        "",
        "const down = (n) => (n > 0 ? [down(n - 1)] : []); try { keep.push(down(100000)); } catch (error) { keep.push(error); }",
    ),
    bomb(
        "deep async recursion",
        "const down = async (n) => (n > 0 ? [await down(n - 1)] : []);",
        "keep.push(down(2000).catch(() => 1), down(100000).catch(() => 2));",
    ),
    bomb(
        "disposables",
        "",
        "const d = new DisposableStack(); d.defer(() => {}); d.use({ [Symbol.dispose]() {} }); keep.push(d);",
    ),
    bomb(
        "arguments",
        "function f() { return arguments; }",
        "keep.push(f(...Array(200).fill(round)), f.apply(null, [1, 2]), Reflect.construct(Array, [round % 100]));",
    ),
    bomb(
        "runtime",
        "",
        "keep.push(new URL(`https://a.b/${round}?x=1`), new TextEncoder().encode('x'.repeat(500)), new EventTarget(), new AbortController().signal, new Headers({ a: 'b' }));",
    ),
    bomb("messages", "", "pi.appendEntry('hostile', { round, text: 'x'.repeat(1000) }); keep.push([round]);"),
    bomb(
        "many arguments",
        "const f = function () { return arguments; };",
        "const n = (round * 997) % 60000; keep.push(f.bind(null, ...Array(n)), f.apply(null, Array(n)), String.fromCharCode(...Array(n).fill(97)), Math.max(...Array(n).fill(1)));",
    ),
    bomb(
        "large source",
        "",
        "keep.push(new Function(`return [${'() => 0,'.repeat(1 + ((round * 7919) % 400000))}]`));",
    ),
    bomb(
        "large expressions",
        "",
        "keep.push(new RegExp('(a|[b-z]{2,3}?)'.repeat(1 + ((round * 997) % 8000)))); keep.at(-1).test('b'.repeat(300));",
    ),
    bomb(
        "json of texts",
        "",
        "keep.push(JSON.parse('[' + '\"abcdefgh\\u00e9\",{},'.repeat(1 + ((round * 7919) % 200000)) + '0]'));",
    ),
    bomb(
        "holes",
        "const sparse = []; sparse.length = 4000000000;",
        "try { pi.appendEntry('hostile', sparse); } catch (error) { keep.push(error); } keep.push(Object.assign([], { length: 100 + (round % 900) }).concat([1]));",
    ),
    bomb(
        "packed",
        "const { gzipSync, gunzipSync, createGunzip, createBrotliCompress } = process.getBuiltinModule('node:zlib'); const zip = gzipSync(Buffer.alloc(4 << 20));",
        "try { keep.push(gunzipSync(Buffer.concat(Array(round % 20).fill(zip)))); } catch (error) { keep.push(error); } keep.push(createGunzip(), createBrotliCompress());",
    ),
    bomb(
        "keys",
        "const { createHash, randomBytes, scryptSync } = process.getBuiltinModule('node:crypto');",
        "try { keep.push(createHash('sha256').update('x'.repeat(round % 5000)).digest(), randomBytes((round * 7919) % 3000000)); if (round % 100 === 0) scryptSync('a', 'b', 32, { N: 16384 }); } catch (error) { keep.push(error); }",
    ),
    bomb(
        "databases",
        "const { DatabaseSync } = process.getBuiltinModule('node:sqlite'); const d = new DatabaseSync(':memory:'); d.exec('CREATE TABLE t (x)');",
        "try { d.exec('INSERT INTO t VALUES (randomblob(100000))'); if (round % 200 === 0) keep.push(d.prepare('SELECT x FROM t').all()); } catch (error) { keep.push(error); }",
    ),
    bomb(
        "files and children",
        "const fs = process.getBuiltinModule('node:fs'), { execSync } = process.getBuiltinModule('node:child_process');",
        "try { if (round % 50 === 0) keep.push(execSync('head -c 3000000 /dev/zero', { maxBuffer: Infinity })); keep.push(fs.readFileSync('/proc/self/maps', 'utf8'), fs.readdirSync('/proc')); } catch (error) { keep.push(error); }",
    ),
    bomb("nulls", "", "if (round > 3) throw null; keep.push(round);"),
];

/// Where an extension does it.
pub const PLACES: &[&str] = &["load", "factory", "handler", "tool", "command", "timer"];

const MEMORY: &[u32] = &[16, 24, 33, 48, 64, 100];
const STRETCH: &[u32] = &[40, 100, 300, 5_000];

/// Numbers from a number.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap_or_default()
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.roll(all.len())]
    }
}

/// One try.
pub struct Try {
    pub area: &'static str,
    pub place: &'static str,
    pub event: &'static str,
    pub memory: u32,
    pub stretch: u32,
    pub source: String,
}

/// The try of a number; `events` are those that fire.
pub fn make(seed: u64, events: &[&'static str]) -> Try {
    let mut dice = Dice(seed);
    // Neighbouring numbers take turns, so that a small sample has a bit of everything.
    let seed = usize::try_from(seed).unwrap_or_default();
    let bomb = &BOMBS[seed % BOMBS.len()];
    let place = PLACES[(seed / BOMBS.len() + seed) % PLACES.len()];
    let (memory, stretch) = (dice.of(MEMORY), dice.of(STRETCH));
    let event = dice.of(events);
    let source = source(bomb, place, event, memory, &mut dice);
    Try { area: bomb.area, place, event, memory, stretch, source }
}

fn source(bomb: &Bomb, place: &str, event: &str, memory: u32, dice: &mut Dice) -> String {
    // Near the limit from the beginning, or past it, or far from it.
    let filled = dice.of(&[0, 0, memory / 2, memory.saturating_sub(12), memory * 2]);
    let fill = format!("for (let i = 0; i < {filled}; i += 1) keep.push(new ArrayBuffer(1 << 20));");
    let fill = match dice.roll(3) {
        0 => format!("try {{ {fill} }} catch {{ keep.length = 0; }}"),
        _ => fill,
    };
    let made = |bomb: &Bomb| format!("(() => {{ {} return (round) => {{ {} }}; }})()", bomb.setup, bomb.step);
    let (first, second) = match dice.roll(3) {
        0 => (bomb, &BOMBS[dice.roll(BOMBS.len())]),
        1 => (&BOMBS[dice.roll(BOMBS.len())], bomb),
        _ => (bomb, bomb),
    };
    let step = "first(round); second(round);";
    let step = match dice.roll(4) {
        0 => step.to_owned(),
        1 => format!("try {{ {step} }} catch {{}}"),
        2 => format!("try {{ {step} }} catch {{ keep.length = 0; }}"),
        _ => format!("try {{ {step} }} finally {{ keep.push(new Error('f')); }}"),
    };
    let pause = dice.of(&["", "", "await null;", "if (round % 100 === 0) await new Promise((r) => setTimeout(r, 0));"]);
    let rounds = dice.of(&[300, 20_000, 3_000_000]);
    let head = if pause.is_empty() { "() =>" } else { "async () =>" };
    let (first, second) = (made(first), made(second));
    let work = format!(
        "const keep = (globalThis.kept ??= []);
function* g2(x) {{ yield [x]; yield* [2, 3]; }}
let pi;
const work = {head} {{
  {fill}
  const first = {first};
  const second = {second};
  for (let round = 0; round < {rounds}; round += 1) {{
    {step}
    {pause}
  }}
}};
"
    );
    let ran = "const done = () => pi.events.emit('hostile', 'done');";
    match place {
        "load" => format!("{work}await work();\nexport default () => {{}};\n").replace("let pi;", NO_PI),
        "factory" => format!("{work}export default async (api) => {{ pi = api; await work(); }};\n"),
        "handler" => format!(
            "{work}export default (api) => {{ pi = api; pi.on({event:?}, async () => {{ await work(); }}); }};\n"
        ),
        "tool" => format!(
            "{work}export default (api) => {{ pi = api; pi.registerTool({{ name: 'hostile', label: 'H', description: 'h', parameters: {{ type: 'object', properties: {{}} }}, async execute() {{ await work(); return {{ content: [{{ type: 'text', text: 'done' }}], details: {{}} }}; }} }}); }};\n"
        ),
        "command" => format!(
            "{work}export default (api) => {{ pi = api; pi.registerCommand('hostile', {{ handler: async () => {{ await work(); }} }}); }};\n"
        ),
        _ => format!(
            "{work}{ran}\nexport default (api) => {{ pi = api; setTimeout(async () => {{ await work(); done(); }}, 0); }};\n"
        ),
    }
}

/// While a module loads there is nothing to register with.
const NO_PI: &str = "const pi = { on() {}, registerTool() {}, registerCommand() {}, registerFlag() {}, appendEntry() {}, events: { on() {}, emit() {} } };";
