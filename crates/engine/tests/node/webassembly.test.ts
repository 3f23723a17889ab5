// Modules are written as bytes here: sections of a number and a length, each list with its count in front.
import assert from "node:assert/strict";
import { describe, it } from "node:test";

const [I32, I64, F32, F64, FUNCREF, EXTERNREF] = [0x7f, 0x7e, 0x7d, 0x7c, 0x70, 0x6f];
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0, 1, 2, 3];

const number = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)]);
const list = (items: number[][]): number[] => [...number(items.length), ...items.flat()];
const text = (value: string): number[] => [...number(value.length), ...Buffer.from(value)];
const section = (id: number, content: number[]): number[] => [id, ...number(content.length), ...content];
const type = (params: number[], results: number[]): number[] => [0x60, ...list(params.map((p) => [p])), ...list(results.map((r) => [r]))];
const body = (...code: number[]): number[] => [...number(code.length + 2), 0, ...code, 0x0b];
const imports = (name: string, kind: number, ...rest: number[]): number[] => [...text("env"), ...text(name), kind, ...rest];
const exports = (name: string, kind: number, index: number): number[] => [...text(name), kind, index];
const custom = (name: string, ...content: number[]): number[] => section(0, [...text(name), ...content]);
const bytes = (...sections: number[][]): Uint8Array<ArrayBuffer> => new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()]);

/** One function, exported as `run`. */
const one = (params: number[], results: number[], ...code: number[]) =>
  bytes(section(1, list([type(params, results)])), section(3, list([[0]])), section(7, list([exports("run", FUNCTION, 0)])), section(10, list([body(...code)])));
const instance = (code: Uint8Array<ArrayBuffer>, env: Record<string, unknown> = {}): any =>
  new WebAssembly.Instance(new WebAssembly.Module(code), { env } as any).exports;
const runError = { name: "RuntimeError" };

describe("modules", () => {
  it("are compiled, described and checked", async () => {
    const code = bytes(
      section(1, list([type([I32, I32], [I32])])),
      section(2, list([imports("f", FUNCTION, 0), imports("m", MEMORY, 0, 1), imports("t", TABLE, FUNCREF, 0, 1), imports("g", GLOBAL, I64, 1)])),
      section(7, list([exports("zeta", FUNCTION, 0), exports("alpha", MEMORY, 0)])),
      custom("one", 1, 2, 3),
      custom("one"),
      custom("two", 4),
    );
    const module = await WebAssembly.compile(code);
    assert.ok(module instanceof WebAssembly.Module);
    assert.deepEqual(WebAssembly.Module.imports(module), [
      { module: "env", name: "f", kind: "function" },
      { module: "env", name: "m", kind: "memory" },
      { module: "env", name: "t", kind: "table" },
      { module: "env", name: "g", kind: "global" },
    ]);
    assert.deepEqual(WebAssembly.Module.exports(module), [{ name: "zeta", kind: "function" }, { name: "alpha", kind: "memory" }]);
    const sections = WebAssembly.Module.customSections(module, "one");
    assert.deepEqual(sections.map((content) => [...new Uint8Array(content)]), [[1, 2, 3], []]);
    assert.deepEqual(WebAssembly.Module.customSections(module, "three"), []);
    assert.equal(WebAssembly.validate(code), true);
    assert.equal(WebAssembly.validate(code.buffer), true);
    assert.equal(WebAssembly.validate(code.slice(0, 20)), false);
    assert.equal(Object.prototype.toString.call(module), "[object WebAssembly.Module]");
  });

  it("that are none are errors", async () => {
    assert.throws(() => new WebAssembly.Module(new Uint8Array([1, 2, 3])), { name: "CompileError" });
    await assert.rejects(WebAssembly.compile(new Uint8Array()), { name: "CompileError" });
    await assert.rejects(WebAssembly.instantiate(one([], [I32], 0x42, 0)), { name: "CompileError" });
    await assert.rejects(WebAssembly.compile("text" as any), { name: "TypeError" });
    assert.throws(() => (WebAssembly as any).Module(one([], [])), { name: "TypeError" });
    assert.throws(() => WebAssembly.Module.exports({} as any), { name: "TypeError" });
    const start = (...code: number[]) => bytes(section(1, list([type([], code.length ? [I32] : [])])), section(3, list([[0]])), section(8, [0]), section(10, list([body(...code)])));
    assert.throws(() => new WebAssembly.Module(start(0x41, 1)), { name: "CompileError" });
    assert.ok(WebAssembly.validate(start()));
    const error = new WebAssembly.CompileError("why");
    assert.ok(error instanceof Error);
    assert.equal(String(error), "CompileError: why");
  });

  it("come from answers of servers", async () => {
    const answer = (type: string) => new Response(one([], [I32], 0x41, 7), { headers: { "content-type": type } });
    const { instance } = await WebAssembly.instantiateStreaming(Promise.resolve(answer("application/wasm")));
    assert.equal((instance.exports as any).run(), 7);
    assert.ok((await WebAssembly.compileStreaming(answer("application/wasm"))) instanceof WebAssembly.Module);
    await assert.rejects(WebAssembly.compileStreaming(answer("text/plain")), { name: "TypeError" });
  });

  it("are made into instances of a module or of bytes", async () => {
    const code = one([I32, I32], [I32], 0x20, 0, 0x20, 1, 0x6a);
    const both = await WebAssembly.instantiate(code);
    assert.equal((both.instance.exports as any).run(2, 3), 5);
    const alone: any = await WebAssembly.instantiate(both.module);
    assert.ok(alone instanceof WebAssembly.Instance);
    assert.equal(alone.exports.run.length, 2);
    assert.equal(Object.getPrototypeOf(alone.exports), null);
    assert.ok(Object.isFrozen(alone.exports));
    assert.notEqual(alone.exports.run, (both.instance.exports as any).run);
  });
});

describe("values", () => {
  it("are converted as their types say", () => {
    const identity = (type: number) => instance(one([type], [type], 0x20, 0)).run;
    assert.deepEqual([0, -1, 2 ** 31, 2 ** 32 + 5, 1.9, "7", null, undefined, NaN].map(identity(I32)), [0, -1, -(2 ** 31), 5, 1, 7, 0, 0, 0]);
    assert.deepEqual([5n, -1n, 2n ** 63n, 2n ** 64n + 1n, "12", true].map(identity(I64)), [5n, -1n, -(2n ** 63n), 1n, 12n, 1n]);
    assert.throws(() => identity(I64)(5), { name: "TypeError" });
    assert.deepEqual([0.1, 16777217, Infinity, -0].map(identity(F32)), [Math.fround(0.1), 16777216, Infinity, -0]);
    assert.deepEqual([0.1, "1e3", NaN, -0].map(identity(F64)), [0.1, 1000, NaN, -0]);
    const object = { a: 1 };
    const pass = identity(EXTERNREF);
    for (const value of [object, null, undefined, "text", 0, -0, 1n, NaN, Symbol.iterator]) assert.ok(Object.is(pass(value), value));
    const run = identity(FUNCREF);
    assert.equal(run(run), run);
    assert.equal(run(null), null);
    assert.throws(() => run(() => {}), { name: "TypeError" });
    assert.throws(() => run(undefined), { name: "TypeError" });
  });

  it("may be several", () => {
    const code = bytes(
      section(1, list([type([], [I32, I64]), type([I32], [I32, I32])])),
      section(2, list([imports("two", FUNCTION, 1)])),
      section(3, list([[0], [1]])),
      section(7, list([exports("both", FUNCTION, 1), exports("ask", FUNCTION, 2)])),
      section(10, list([body(0x41, 1, 0x42, 2), body(0x20, 0, 0x10, 0)])),
    );
    let answer: any = [3, 4];
    const { both, ask } = instance(code, { two: () => answer });
    assert.deepEqual(both(), [1, 2n]);
    assert.deepEqual(ask(0), [3, 4]);
    answer = new Set([5, 6]);
    assert.deepEqual(ask(0), [5, 6]);
    for (answer of [[1], [1, 2, 3], 5, undefined]) assert.throws(() => ask(0), { name: "TypeError" });
  });
});

describe("imports", () => {
  const asks = bytes(
    section(1, list([type([I32], [I32])])),
    section(2, list([imports("ask", FUNCTION, 0)])),
    section(3, list([[0]])),
    section(7, list([exports("run", FUNCTION, 1), exports("ask", FUNCTION, 0)])),
    // Asks, and adds one.
    section(10, list([body(0x20, 0, 0x10, 0, 0x41, 1, 0x6a)])),
  );

  it("are called with what WebAssembly gives, within each other too", () => {
    const seen: unknown[] = [];
    const exported = instance(asks, {
      ask(this: unknown, value: number) {
        seen.push(this, value);
        return value > 0 ? exported.run(value - 1) : 10.7;
      },
    });
    assert.equal(exported.run(3), 14);
    assert.deepEqual(seen, [undefined, 3, undefined, 2, undefined, 1, undefined, 0]);
    assert.equal(exported.ask("0"), 10);
  });

  it("that throw end the call, and the next one works", () => {
    const thrown = new Error("mine");
    let fails = true;
    const { run } = instance(asks, { ask: (value: number) => { if (fails) throw thrown; return value; } });
    assert.throws(() => run(1), (error) => error === thrown);
    fails = false;
    assert.equal(run(1), 2);
  });

  it("that call without end are an error of the stack", () => {
    const { run } = instance(asks, { ask: (value: number): number => run(value) });
    assert.throws(() => run(1), { name: "RangeError" });
    const forever = one([], [], 0x10, 0);
    assert.throws(() => instance(forever).run(), { name: "RangeError", message: "Maximum call stack size exceeded" });
  });

  it("may be functions of other instances", () => {
    const inner = instance(asks, { ask: (value: number) => value * 2 });
    const outer = instance(asks, { ask: inner.run });
    assert.equal(outer.run(4), 10);
    assert.equal(outer.ask, inner.run);
  });

  it("that are missing or of another kind are errors", () => {
    const module = new WebAssembly.Module(asks);
    const make = (imports: any) => () => new WebAssembly.Instance(module, imports);
    assert.throws(make(undefined), { name: "TypeError" });
    assert.throws(make({}), { name: "TypeError" });
    assert.throws(make({ env: {} }), { name: "LinkError" });
    assert.throws(make({ env: { ask: 1 } }), { name: "LinkError" });
    assert.throws(make({ env: { ask: instance(one([], [])).run } }), { name: "LinkError" });
    const global = (type: number, mutable: number) => bytes(section(2, list([imports("g", GLOBAL, type, mutable)])));
    assert.throws(() => instance(global(I32, 0), { g: 1n }), { name: "LinkError" });
    assert.throws(() => instance(global(I32, 1), { g: 1 }), { name: "LinkError" });
    assert.throws(() => instance(global(I32, 0), { g: new WebAssembly.Global({ value: "i32", mutable: true }, 1) }), { name: "LinkError" });
    instance(global(I64, 0), { g: 1n });
    const needs = bytes(section(2, list([imports("m", MEMORY, 0, 2)])));
    assert.throws(() => instance(needs, { m: new WebAssembly.Memory({ initial: 1 }) }), { name: "LinkError" });
    assert.throws(() => instance(needs, { m: {} }), { name: "LinkError" });
    const table = bytes(section(2, list([imports("t", TABLE, FUNCREF, 0, 2)])));
    assert.throws(() => instance(table, { t: new WebAssembly.Table({ element: "anyfunc", initial: 1 }) }), { name: "LinkError" });
    assert.throws(() => instance(table, { t: new WebAssembly.Memory({ initial: 1 }) }), { name: "LinkError" });
  });

  it("are there when the start function runs", () => {
    const starts = bytes(
      section(1, list([type([], [])])),
      section(2, list([imports("said", FUNCTION, 0)])),
      section(3, list([[0]])),
      section(7, list([exports("start 0", FUNCTION, 0)])),
      section(8, [1]),
      section(10, list([body(0x10, 0, 0x10, 0)])),
    );
    let said = 0;
    const exported = instance(starts, { said: () => said++ });
    assert.equal(said, 2);
    assert.deepEqual(Object.keys(exported), ["start 0"]);
    assert.throws(() => instance(starts, { said: () => { throw new RangeError("no"); } }), { message: "no" });
  });
});

describe("traps", () => {
  it("are errors with their reason", () => {
    const fails: [string, number[]][] = [
      ["unreachable", [0x00]],
      ["divide by zero", [0x41, 1, 0x41, 0, 0x6d, 0x1a]],
      ["divide result unrepresentable", [0x41, 0x80, 0x80, 0x80, 0x80, 0x78, 0x41, 0x7f, 0x6d, 0x1a]],
      ["float unrepresentable in integer range", [0x43, 0, 0, 0xc0, 0x7f, 0xa8, 0x1a]],
    ];
    for (const [message, code] of fails) {
      const { run } = instance(one([], [], ...code));
      for (let again = 0; again < 2; again++) assert.throws(run, { ...runError, message });
    }
    assert.ok(new WebAssembly.RuntimeError("x") instanceof Error);
  });
});

describe("memories", () => {
  it("are shared, and their buffers change when they grow", () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 4 });
    const before = memory.buffer;
    assert.equal(memory.buffer, before);
    assert.equal(before.byteLength, 65536);
    const view = new Uint8Array(before);
    const code = bytes(
      section(1, list([type([I32], [I32]), type([I32, I32], [])])),
      section(2, list([imports("m", MEMORY, 0, 1), imports("back", FUNCTION, 0)])),
      section(3, list([[0], [1], [0], [0]])),
      section(7, list([exports("load", FUNCTION, 1), exports("store", FUNCTION, 2), exports("grow", FUNCTION, 3), exports("call", FUNCTION, 4), exports("m", MEMORY, 0)])),
      section(10, list([
        body(0x20, 0, 0x2d, 0, 0),
        body(0x20, 0, 0x20, 1, 0x3a, 0, 0),
        body(0x20, 0, 0x40, 0),
        // What JavaScript says, and then what is behind it.
        body(0x20, 0, 0x10, 0, 0x2d, 0, 0),
      ])),
    );
    const exported = instance(code, { m: memory, back: (at: number) => { memory.grow(1); new Uint8Array(memory.buffer)[at] = 77; return at; } });
    assert.equal(exported.m, memory);
    view[3] = 9;
    assert.equal(exported.load(3), 9);
    exported.store(4, 200);
    assert.equal(view[4], 200);
    assert.throws(() => exported.load(65536), { ...runError, message: "memory access out of bounds" });

    assert.equal(exported.grow(1), 1);
    assert.equal(before.byteLength, 0);
    assert.equal(view.length, 0);
    assert.equal(view[3], undefined);
    assert.notEqual(memory.buffer, before);
    assert.equal(memory.buffer.byteLength, 131072);
    assert.deepEqual([...new Uint8Array(memory.buffer, 3, 2)], [9, 200]);

    assert.equal(exported.call(131080), 77);
    assert.equal(memory.buffer.byteLength, 196608);
    assert.equal(memory.grow(1), 3);
    assert.equal(exported.grow(1), -1);
    assert.throws(() => memory.grow(1), { name: "RangeError" });
    assert.equal(memory.grow(0), 4);
    for (const wrong of [-1, NaN, 2 ** 33, {}]) assert.throws(() => memory.grow(wrong as any), { name: "TypeError" });
  });

  it("keep their bytes", () => {
    const { buffer } = new WebAssembly.Memory({ initial: 1 });
    assert.throws(() => buffer.transfer(), { name: "TypeError" });
    assert.throws(() => structuredClone(buffer, { transfer: [buffer] }));
    assert.equal(buffer.byteLength, 65536);
    assert.equal(structuredClone(buffer).byteLength, 65536);
  });

  it("need a size", () => {
    for (const wrong of [undefined, 1, {}, { initial: -1 }, { initial: 2 ** 33 }, { initial: "x" }]) {
      assert.throws(() => new WebAssembly.Memory(wrong as any), { name: "TypeError" }, JSON.stringify(wrong));
    }
    for (const wrong of [{ initial: 2, maximum: 1 }, { initial: 65537 }]) assert.throws(() => new WebAssembly.Memory(wrong), { name: "RangeError" });
    assert.throws(() => Object.getOwnPropertyDescriptor(WebAssembly.Memory.prototype, "buffer")!.get!.call({}), { name: "TypeError" });
    assert.equal(new WebAssembly.Memory({ initial: 0 }).buffer.byteLength, 0);
  });

  it("get data, which must fit", () => {
    const data = (at: number) => bytes(section(5, list([[0, 1]])), section(7, list([exports("m", MEMORY, 0)])), section(11, list([[0, 0x41, ...number(at), 0x0b, 3, 7, 8, 9]])));
    assert.deepEqual([...new Uint8Array(instance(data(5)).m.buffer, 4, 5)], [0, 7, 8, 9, 0]);
    assert.throws(() => instance(bytes(section(5, list([[0, 0]])), section(11, list([[0, 0x41, 0, 0x0b, 1, 7]])))), runError);
  });
});

describe("tables", () => {
  const calls = bytes(
    section(1, list([type([], [I32]), type([I32], [I32])])),
    section(2, list([imports("t", TABLE, FUNCREF, 0, 2)])),
    section(3, list([[0], [0], [1]])),
    section(7, list([exports("one", FUNCTION, 0), exports("two", FUNCTION, 1), exports("call", FUNCTION, 2), exports("t", TABLE, 0)])),
    section(9, list([[0, 0x41, 1, 0x0b, ...list([[0]])]])),
    section(10, list([body(0x41, 1), body(0x41, 2), body(0x20, 0, 0x11, 0, 0)])),
  );

  it("hold functions that WebAssembly calls by their places", () => {
    const table = new WebAssembly.Table({ element: "anyfunc", initial: 2, maximum: 5 });
    assert.deepEqual([table.length, table.get(0), table.get(1)], [2, null, null]);
    const { one: first, two, call, t } = instance(calls, { t: table });
    assert.equal(t, table);
    assert.equal(table.get(1), first);
    assert.equal(call(1), 1);
    assert.throws(() => call(0), runError);
    table.set(0, two);
    assert.equal(call(0), 2);
    assert.equal(table.grow(2, first), 2);
    assert.deepEqual([table.length, table.get(3)], [4, first]);
    assert.equal(call(3), 1);
    table.set(3);
    assert.equal(table.get(3), null);
    assert.throws(() => call(3), runError);
    table.set(0, call);
    assert.throws(() => call(0), runError);
    assert.throws(() => call(4), { ...runError, message: "table index is out of bounds" });
  });

  it("refuse places that there are not, and what is no function", () => {
    const table = new WebAssembly.Table({ element: "anyfunc", initial: 2, maximum: 3 });
    for (const at of [2, 3, 4294967295]) {
      assert.throws(() => table.get(at), { name: "RangeError" });
      assert.throws(() => table.set(at, null), { name: "RangeError" });
    }
    for (const at of [-1, NaN, 2 ** 32, Infinity, "x", undefined]) {
      assert.throws(() => table.get(at as any), { name: "TypeError" }, String(at));
      assert.throws(() => table.set(at as any, null), { name: "TypeError" }, String(at));
    }
    assert.equal(table.get("1" as any), null);
    for (const value of [() => {}, 1, {}, "f"]) assert.throws(() => table.set(0, value as any), { name: "TypeError" });
    assert.throws(() => table.grow(2), { name: "RangeError" });
    assert.throws(() => table.grow(-1), { name: "TypeError" });
    assert.throws(() => table.grow(1, {} as any), { name: "TypeError" });
    assert.equal(table.grow(1), 2);
    assert.equal(table.grow(0), 3);
    for (const wrong of [undefined, {}, { element: "anyfunc" }, { element: "i32", initial: 1 }, { element: "anyfunc", initial: -1 }]) {
      assert.throws(() => new WebAssembly.Table(wrong as any), { name: "TypeError" }, JSON.stringify(wrong));
    }
    assert.throws(() => new WebAssembly.Table({ element: "anyfunc", initial: 2, maximum: 1 }), { name: "RangeError" });
    assert.throws(() => new WebAssembly.Table({ element: "anyfunc", initial: 2 ** 31 }), { name: "RangeError" });
    assert.throws(() => WebAssembly.Table.prototype.get.call({} as any, 0), { name: "TypeError" });
  });

  it("hold any values", () => {
    const object = {};
    const table = new WebAssembly.Table({ element: "externref", initial: 2 } as any, object);
    assert.equal(table.get(0), object);
    table.set(1, null);
    assert.equal(table.get(1), null);
    table.set(1, "text" as any);
    assert.equal(table.get(1), "text");
    table.set(1);
    assert.equal(table.get(1), undefined);
    assert.equal(new WebAssembly.Table({ element: "externref", initial: 1 } as any).get(0), undefined);
  });

  it("may hold functions of JavaScript that were imported", () => {
    const code = bytes(
      section(1, list([type([], [I32])])),
      section(2, list([imports("t", TABLE, FUNCREF, 0, 2), imports("f", FUNCTION, 0)])),
      section(9, list([[0, 0x41, 0, 0x0b, ...list([[0]])]])),
    );
    const table = new WebAssembly.Table({ element: "anyfunc", initial: 2 });
    instance(code, { t: table, f: () => "41" });
    const { call } = instance(calls, { t: table });
    assert.equal(call(0), 41);
    assert.equal((table.get(0) as any)(), 41);
  });

  it("get elements, which must fit", () => {
    const outside = bytes(
      section(1, list([type([], [])])),
      section(3, list([[0]])),
      section(4, list([[FUNCREF, 0, 1]])),
      section(9, list([[0, 0x41, 1, 0x0b, ...list([[0]])]])),
      section(10, list([body()])),
    );
    assert.throws(() => instance(outside), runError);
  });
});

describe("globals", () => {
  it("are shared", () => {
    const code = bytes(
      section(1, list([type([], [I32]), type([I32], [])])),
      section(2, list([imports("g", GLOBAL, I32, 1)])),
      section(3, list([[0], [1]])),
      section(6, list([[I64, 0, 0x42, 5, 0x0b]])),
      section(7, list([exports("get", FUNCTION, 0), exports("set", FUNCTION, 1), exports("g", GLOBAL, 0), exports("five", GLOBAL, 1)])),
      section(10, list([body(0x23, 0), body(0x20, 0, 0x24, 0)])),
    );
    const global = new WebAssembly.Global({ value: "i32", mutable: true }, 7);
    const { get, set, g, five } = instance(code, { g: global });
    assert.equal(g, global);
    assert.equal(get(), 7);
    global.value = 8.9;
    assert.equal(get(), 8);
    set(-1);
    assert.equal(global.value, -1);
    assert.equal(global.valueOf(), -1);
    assert.equal(five.value, 5n);
    assert.ok(five instanceof WebAssembly.Global);
    assert.throws(() => { five.value = 6n; }, { name: "TypeError" });
  });

  it("have a type and a first value", () => {
    const made = (value: string, ...rest: unknown[]) => new WebAssembly.Global({ value } as any, ...(rest as [any])).value;
    assert.deepEqual(["i32", "i64", "f32", "f64", "anyfunc", "externref"].map((value) => made(value)), [0, 0n, 0, 0, null, undefined]);
    assert.equal(made("externref", "x"), "x");
    assert.equal(made("f32", 0.1), Math.fround(0.1));
    assert.throws(() => made("i64", 1), { name: "TypeError" });
    assert.throws(() => made("text"), { name: "TypeError" });
    assert.throws(() => new WebAssembly.Global(1 as any), { name: "TypeError" });
  });
});
