import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { describe, it } from "node:test";

const head = (error: Error) => error.stack!.split("\n")[0];
const here = () => basename(import.meta.filename);

/** The frames at this place. */
function frames(): any[] {
  const before = Error.prepareStackTrace;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error().stack as any;
  Error.prepareStackTrace = before;
  return sites.slice(1);
}

describe("stack", () => {
  it("begins with name and message of the moment it is first read", () => {
    class Renamed extends Error {
      constructor(message: string) {
        super(message);
        this.name = "Renamed";
      }
    }
    class Inherited extends Error {}
    Inherited.prototype.name = "FromPrototype";
    const changed = new Error("before");
    changed.message = "after";
    const read = new Error("before");
    assert.equal(head(read), "Error: before");
    read.message = "after";
    assert.equal(head(read), "Error: before");
    assert.equal(head(new Renamed("text")), "Renamed: text");
    assert.equal(String(new Renamed("text")), "Renamed: text");
    assert.equal(head(new Inherited("text")), "FromPrototype: text");
    assert.equal(head(changed), "Error: after");
    assert.equal(head(new TypeError("")), "TypeError");
    assert.equal(head(new AggregateError([], "all")), "AggregateError: all");
    const nameless = new (class extends Error {
      static { this.prototype.name = ""; }
    })("only text");
    assert.equal(head(nameless), "only text");
  });

  it("is an own accessor that can be replaced", () => {
    const error = new Error("x");
    const { get, set, enumerable, configurable } = Object.getOwnPropertyDescriptor(error, "stack")!;
    assert.deepEqual([typeof get, typeof set, enumerable, configurable], ["function", "function", false, true]);
    assert.ok(Object.getOwnPropertyNames(error).includes("stack"));
    assert.deepEqual(Object.keys(error), []);
    error.stack = "mine";
    assert.equal(error.stack, "mine");
    assert.equal("stack" in Error.prototype, false);
    const derived = Object.create(new Error("parent"));
    assert.match(derived.stack, /^Error: parent\n/);
  });

  it("names functions, constructors and places", () => {
    class Made {
      error: Error;
      constructor() {
        this.error = new Error("made");
      }
    }
    function maker() {
      return new Made().error;
    }
    const lines = maker().stack!.split("\n");
    assert.match(lines[1], /^ {4}at new Made \(.*errors\.test\.ts:\d+:\d+\)$/);
    assert.match(lines[2], /^ {4}at maker \(.*errors\.test\.ts:\d+:\d+\)$/);
  });

  it("shows the library by its module names", () => {
    try {
      join(5 as any);
      assert.fail("joins no such thing");
    } catch (error: any) {
      assert.match(error.stack, /^TypeError \[ERR_INVALID_ARG_TYPE\]: .*\n {4}at .*\(?node:(path|internal\/path\w+):\d+:\d+/);
      assert.doesNotMatch(error.stack, /tau:/);
    }
  });

  it("has as many frames as Error.stackTraceLimit says", () => {
    const before = Error.stackTraceLimit;
    const deep = (n: number): Error => (n === 0 ? new Error("deep") : deep(n - 1));
    const count = (limit: any) => {
      Error.stackTraceLimit = limit;
      return deep(20).stack!.split("\n").length - 1;
    };
    const counts = [10, 3, 15, 0].map(count);
    Error.stackTraceLimit = before;
    assert.deepEqual(counts, [10, 3, 15, 0]);
    assert.deepEqual(Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")!.enumerable, true);
  });
});

describe("Error.captureStackTrace", () => {
  it("gives any object a stack, from a function on", () => {
    const target: any = { name: "Target", message: "text" };
    function outer() {
      inner();
    }
    function inner() {
      Error.captureStackTrace(target, inner);
    }
    outer();
    assert.match(target.stack, /^Target: text\n {4}at outer \(/);
    const plain: any = {};
    Error.captureStackTrace(plain);
    assert.match(plain.stack, /^Error\n {4}at /);
    assert.deepEqual(Object.keys(plain), []);
    assert.throws(() => Error.captureStackTrace(5 as any), TypeError);
  });

  it("lets classes hide their constructor", () => {
    class Coded extends Error {
      code: string;
      constructor(message: string, code: string) {
        super(message);
        this.code = code;
        Error.captureStackTrace(this, Coded);
      }
    }
    function place() {
      return new Coded("text", "E_CODE");
    }
    const error = place();
    assert.match(error.stack!, /^Error: text\n {4}at place \(/);
  });
});

describe("Error.prepareStackTrace", () => {
  it("is asked when the stack is first read", () => {
    const error = new Error("lazy");
    const before = Error.prepareStackTrace;
    let asked = 0;
    Error.prepareStackTrace = (got, sites) => {
      asked += 1;
      assert.equal(got, error);
      return `${got.message} in ${sites.length > 0 ? "frames" : "nothing"}`;
    };
    const stack = error.stack;
    const again = error.stack;
    Error.prepareStackTrace = before;
    assert.deepEqual([stack, again, error.stack, asked], ["lazy in frames", "lazy in frames", "lazy in frames", 1]);
  });

  it("can be unset, and has a default that makes the usual text", () => {
    const before: any = Error.prepareStackTrace;
    assert.equal(typeof before, "function");
    Error.prepareStackTrace = undefined;
    const text = new Error("none").stack;
    Error.prepareStackTrace = before;
    assert.match(text!, /^Error: none\n {4}at /);
    assert.match(before(new Error("default"), frames()), /^Error: default\n {4}at /);
  });

  it("gives call sites with all that V8 tells", () => {
    function named() {
      return frames()[0];
    }
    class Made {
      site: any;
      constructor() {
        this.site = frames()[0];
      }
    }
    const site = named();
    assert.equal(basename(site.getFileName()), here());
    assert.equal(site.getScriptNameOrSourceURL(), site.getFileName());
    assert.equal(typeof site.getLineNumber(), "number");
    assert.equal(typeof site.getColumnNumber(), "number");
    assert.equal(site.getFunctionName(), "named");
    assert.deepEqual(
      [
        site.getThis(), site.getFunction(), site.getTypeName(), site.getMethodName(), site.getEvalOrigin(),
        site.isToplevel(), site.isEval(), site.isNative(), site.isConstructor(), site.isAsync(), site.isPromiseAll(),
        site.getPromiseIndex(),
      ],
      [undefined, undefined, null, null, undefined, true, false, false, false, false, false, null],
    );
    assert.match(String(site), /^named \(.*errors\.test\.ts:\d+:\d+\)$/);
    const made = new Made().site;
    assert.deepEqual([made.isConstructor(), made.isToplevel(), made.getTypeName()], [true, false, null]);
    assert.match(String(made), /^new Made \(/);
  });

  it("serves captured stacks as depd takes them", () => {
    function stackOf() {
      const limit = Error.stackTraceLimit;
      const before = Error.prepareStackTrace;
      const target: any = {};
      Error.prepareStackTrace = (_, sites) => sites;
      Error.stackTraceLimit = Math.max(10, limit);
      Error.captureStackTrace(target);
      const sites = target.stack.slice(1);
      Error.prepareStackTrace = before;
      Error.stackTraceLimit = limit;
      return sites;
    }
    function caller() {
      return stackOf();
    }
    assert.equal(caller()[0].getFunctionName(), "caller");
  });
});
