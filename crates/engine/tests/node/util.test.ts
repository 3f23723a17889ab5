import assert from "node:assert/strict";
import { test } from "node:test";
import util, { format, inspect, isDeepStrictEqual, parseArgs, promisify, types } from "node:util";

class Point {
  x = 1;
  #hidden = 2;
  get sum() {
    return this.x + this.#hidden;
  }
}

test("inspect shows primitives", () => {
  const shown: [unknown, string][] = [
    ["it", "'it'"], ["it's", `"it's"`], [`'"`, "`'\"`"], ["a\nb\t\\\x00\x7f", "'a\\nb\\t\\\\\\x00\\x7F'"], ["\ud83d", "'\\ud83d'"],
    [-0, "-0"], [1.5, "1.5"], [10n, "10n"], [true, "true"], [null, "null"], [undefined, "undefined"], [Symbol("s"), "Symbol(s)"],
  ];
  for (const [value, text] of shown) assert.equal(inspect(value), text);
  assert.equal(inspect(123456789.125, { numericSeparator: true }), "123_456_789.125");
  assert.equal(inspect("x".repeat(8), { maxStringLength: 5 }), "'xxxxx'... 3 more characters");
});

test("inspect shows objects", () => {
  const circular: any = { name: "c" };
  circular.self = circular;
  const shown: [unknown, string][] = [
    [{}, "{}"], [[], "[]"], [{ a: 1, "b-c": "x", 1: 2 }, "{ '1': 2, a: 1, 'b-c': 'x' }"],
    [{ a: { b: { c: { d: 1 } } } }, "{ a: { b: { c: [Object] } } }"],
    [[1, , 3], "[ 1, <1 empty item>, 3 ]"], [new Map<any, any>([["a", 1], [{ k: 1 }, [2]]]), "Map(2) { 'a' => 1, { k: 1 } => [ 2 ] }"],
    [new Set([1, "a"]), "Set(2) { 1, 'a' }"], [new Point(), "Point { x: 1 }"], [Object.create(null), "[Object: null prototype] {}"],
    [circular, "<ref *1> { name: 'c', self: [Circular *1] }"], [new Uint8Array([1, 2]), "Uint8Array(2) [ 1, 2 ]"],
    [Buffer.from("hi"), "<Buffer 68 69>"], [new Date(0), "1970-01-01T00:00:00.000Z"], [/a+/g, "/a+/g"],
    [new Number(3), "[Number: 3]"], [Object("s"), "[String: 's']"], [{ [Symbol("k")]: 1 }, "{ [Symbol(k)]: 1 }"],
    [{ get a() { return 1; }, set a(_) {}, get b() { return 1; }, set c(_: any) {} }, "{ a: [Getter/Setter], b: [Getter], c: [Setter] }"],
    [new WeakMap(), "WeakMap { <items unknown> }"], [new Proxy({ a: 1 }, {}), "{ a: 1 }"],
    [{ a: undefined, f: null }, "{ a: undefined, f: null }"], [class Sub extends Map {}, "[class Sub extends Map]"],
  ];
  for (const [value, text] of shown) assert.equal(inspect(value), text);
  // A test runner may add symbols of its own to promises.
  assert.match(inspect(Promise.resolve(4)), /^Promise \{\s+4/);
  assert.match(inspect(new Promise(() => {})), /^Promise \{\s+<pending>/);
  assert.equal(inspect(new Proxy({ a: 1 }, {}), { showProxy: true }), "Proxy [ { a: 1 }, {} ]");
  assert.equal(inspect({ get a() { return 5; } }, { getters: true }), "{ a: [Getter: 5] }");
  assert.equal(inspect(Object.defineProperty({}, "h", { value: 1 }), { showHidden: true }), "{ [h]: 1 }");
});

test("inspect shows functions", () => {
  class Base {}
  const named = Object.assign(function named() {}, { extra: 1 });
  assert.deepEqual(
    [() => {}, named, Base, class Child extends Base {}, async () => {}, function* gen() {}, parseInt].map((fn) => inspect(fn)),
    ["[Function (anonymous)]", "[Function: named] { extra: 1 }", "[class Base]", "[class Child extends Base]", "[AsyncFunction (anonymous)]", "[GeneratorFunction: gen]", "[Function: parseInt]"],
  );
});

test("inspect breaks lines", () => {
  assert.equal(
    inspect({ first: "x".repeat(30), second: "y".repeat(30), third: [1, 2, 3] }),
    `{\n  first: '${"x".repeat(30)}',\n  second: '${"y".repeat(30)}',\n  third: [ 1, 2, 3 ]\n}`,
  );
  assert.equal(
    inspect(Array.from({ length: 27 }, (_, i) => i * 7)),
    "[\n    0,   7,  14,  21,  28,  35,  42,\n   49,  56,  63,  70,  77,  84,  91,\n   98, 105, 112, 119, 126, 133, 140,\n  147, 154, 161, 168, 175, 182\n]",
  );
  assert.equal(inspect({ a: [{ b: 1 }] }, { compact: false }), "{\n  a: [\n    {\n      b: 1\n    }\n  ]\n}");
  assert.equal(inspect({ a: 1, b: { c: 2 } }, { compact: true, breakLength: 10 }), "{ a: 1,\n  b: { c: 2 } }");
  assert.equal(inspect(Array.from({ length: 103 }, () => 1)).split("\n").at(-2), "  ... 3 more items");
  assert.equal(inspect({ b: 1, a: 2 }, { sorted: true }), "{ a: 2, b: 1 }");
  assert.equal(inspect({ a: { b: {} } }, false, 0), "{ a: [Object] }");
});

test("inspect colours and custom rendering", () => {
  assert.equal(inspect({ a: 1, b: "s", c: null }, { colors: true }), "{ a: \u001b[33m1\u001b[39m, b: \u001b[32m's'\u001b[39m, c: \u001b[1mnull\u001b[22m }");
  const custom = { [inspect.custom]: (depth: number, options: any, own: any) => `<${depth} ${own === inspect || typeof own} ${options.stylize("t", "string")}>` };
  assert.match(inspect({ in: custom }), /^\{ in: <1 (true|function) t> \}$/);
  assert.equal(inspect({ [inspect.custom]: () => ({ other: 1 }) }), "{ other: 1 }");
  assert.equal(inspect.custom, Symbol.for("nodejs.util.inspect.custom"));
  assert.deepEqual(inspect.colors.red, [31, 39]);
});

test("inspect shows errors", () => {
  const lines = (value: unknown) => inspect(value).split("\n").filter((line) => !/^\s+at /.test(line)).map((line) => line.replace(/^(\s+at .*?) \{$/, "{"));
  class OwnError extends Error {
    code = "E_OWN";
    constructor(message: string, options?: any) {
      super(message, options);
      this.name = "OwnError";
    }
  }
  assert.equal(lines(new Error("boom"))[0], "Error: boom");
  assert.equal(lines(new OwnError("boom"))[0], "OwnError: boom");
  assert.match(inspect(new OwnError("boom")), /\n    at [^]* \{\n  code: 'E_OWN'\n\}$/);
  assert.match(inspect(new Error("a", { cause: new TypeError("b") })), /^Error: a\n[^]*\{\n  \[cause\]: TypeError: b\n      at /);
  const bare = new Error("bare");
  Object.defineProperty(bare, "stack", { value: undefined });
  assert.equal(inspect(bare), "[Error: bare]");
  assert.match(inspect(new AggregateError([new Error("x")], "all")), /^AggregateError: all\n[^]*\[errors\]: \[\n    Error: x\n        at /);
});

test("format", () => {
  assert.equal(format("%s is %d years, %i, %f", "Bob", "42", 42.9, "1.50"), "Bob is 42 years, 42, 1.5");
  assert.equal(format("%j %o", { a: 1 }, [1]), '{"a":1} [ 1, [length]: 1 ]');
  assert.equal(format("%O", { a: { b: { c: { d: {} } } } }), "{ a: { b: { c: [Object] } } }");
  assert.equal(format("a%%b%c", "css"), "a%b");
  assert.equal(format("%s", { a: 1 }, "x", 5n, null), "{ a: 1 } x 5n null");
  assert.equal(format("%s %s", "only"), "only %s");
  assert.equal(format(1, "a", { b: 2 }), "1 a { b: 2 }");
  assert.equal(util.formatWithOptions({ colors: true }, "%s", "x", 1), "x \u001b[33m1\u001b[39m");
});

test("promisify and callbackify", async () => {
  const add = promisify((a: number, b: number, done: (error: Error | null, sum?: number) => void) => (b < 0 ? done(new Error("negative")) : done(null, a + b)));
  assert.equal(await add(1, 2), 3);
  await assert.rejects(add(1, -2), { message: "negative" });
  const custom = Object.assign((_done: any) => {}, { [promisify.custom]: async () => "own" });
  assert.equal(await (promisify(custom) as any)(), "own");
  assert.throws(() => promisify(5 as any), { code: "ERR_INVALID_ARG_TYPE", message: 'The "original" argument must be of type function. Received type number (5)' });
  const called = await new Promise((resolve) => util.callbackify(async (x: number) => x * 2)(21, (error: any, value: any) => resolve([error, value])));
  assert.deepEqual(called, [null, 42]);
  const failed: any = await new Promise((resolve) => util.callbackify(async () => Promise.reject(null))((error: any) => resolve(error)));
  assert.deepEqual([failed.code, failed.reason], ["ERR_FALSY_VALUE_REJECTION", null]);
});

test("isDeepStrictEqual", () => {
  const pairs: [unknown, unknown, boolean][] = [
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true], [{ a: 1 }, { a: "1" }, false], [NaN, NaN, true], [0, -0, false],
    [new Set([1, { a: 1 }]), new Set([{ a: 1 }, 1]), true], [new Map([[{ k: 1 }, 1]]), new Map([[{ k: 1 }, 1]]), true],
    [new Map([["a", 1]]), new Map([["a", 2]]), false], [new Date(1), new Date(1), true], [/a/g, /a/i, false],
    [[1, , 2], [1, undefined, 2], false], [new Point(), { x: 1 }, false], [Buffer.from("a"), Buffer.from("a"), true],
    [new Error("a"), new Error("b"), false], [{ a: undefined }, {}, false], [Object("a"), Object("a"), true],
  ];
  for (const [left, right, same] of pairs) assert.equal(isDeepStrictEqual(left, right), same, inspect([left, right]));
  const cycle = () => { const o: any = { n: 1 }; o.self = o; return o; };
  assert.ok(isDeepStrictEqual(cycle(), cycle()));
});

test("types", () => {
  assert.ok(types.isPromise(Promise.resolve()) && !types.isPromise({ then() {} }));
  assert.ok(types.isProxy(new Proxy({}, {})) && !types.isProxy({}));
  assert.ok(types.isMap(new Map()) && !types.isMap({ [Symbol.toStringTag]: "Map" }));
  assert.ok(types.isRegExp(/a/) && types.isDate(new Date()) && types.isNativeError(new TypeError()) && types.isSet(new Set()));
  assert.ok(types.isTypedArray(Buffer.alloc(1)) && types.isUint8Array(Buffer.alloc(1)) && !types.isTypedArray(new DataView(new ArrayBuffer(1))));
  assert.ok(types.isAsyncFunction(async () => {}) && types.isGeneratorFunction(function* () {}) && !types.isAsyncFunction(() => {}));
  assert.ok(types.isBoxedPrimitive(Object(1n)) && types.isAnyArrayBuffer(new ArrayBuffer(1)) && types.isArrayBufferView(new Uint8Array(1)));
});

test("parseArgs", () => {
  const options = { verbose: { type: "boolean", short: "v" }, file: { type: "string", short: "f", multiple: true }, level: { type: "string", default: "1" } } as const;
  const parsed = parseArgs({ args: ["-v", "--file=a", "-fb", "rest", "--", "--raw"], options, allowPositionals: true });
  assert.deepEqual({ ...parsed.values, positionals: parsed.positionals }, { verbose: true, file: ["a", "b"], level: "1", positionals: ["rest", "--raw"] });
  const fails = (args: string[]) => {
    try {
      parseArgs({ args, options });
    } catch (error: any) {
      return [error.code, error.message.split("\n")[0]];
    }
  };
  assert.deepEqual(fails(["--nope"]), ["ERR_PARSE_ARGS_UNKNOWN_OPTION", "Unknown option '--nope'"]);
  assert.deepEqual(fails(["x"]), ["ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL", "Unexpected argument 'x'. This command does not take positional arguments"]);
  assert.deepEqual(fails(["--level"]), ["ERR_PARSE_ARGS_INVALID_OPTION_VALUE", "Option '--level <value>' argument missing"]);
  assert.deepEqual(fails(["--verbose=1"]), ["ERR_PARSE_ARGS_INVALID_OPTION_VALUE", "Option '-v, --verbose' does not take an argument"]);
});

test("small helpers", () => {
  function Base(this: any) {}
  function Derived(this: any) {}
  util.inherits(Derived, Base);
  assert.ok(new (Derived as any)() instanceof Base && (Derived as any).super_ === Base);
  assert.equal(util.stripVTControlCharacters("\u001b[31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007"), "red link");
  assert.equal(util.styleText(["red", "bold"], "x", { validateStream: false } as any), "\u001b[31m\u001b[1mx\u001b[22m\u001b[39m");
  assert.equal(util.toUSVString("a\ud800"), "a\ufffd");
  assert.deepEqual(util.parseEnv('A=1\n#c\nexport B="x\\ny" # z\nC=\'q\''), { A: "1", B: "x\ny", C: "q" });
  assert.equal(util.getSystemErrorName(-2), "ENOENT");
  const mime = new util.MIMEType("Text/HTML; charset=utf-8; q=\"a b\"");
  assert.deepEqual([mime.essence, mime.params.get("charset"), String(mime)], ["text/html", "utf-8", 'text/html;charset=utf-8;q="a b"']);
  assert.throws(() => new util.MIMEType("bad"), { code: "ERR_INVALID_MIME_SYNTAX" });
});
