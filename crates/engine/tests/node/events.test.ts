import assert from "node:assert/strict";
import EventEmitter, {
  addAbortListener,
  captureRejectionSymbol,
  errorMonitor,
  EventEmitterAsyncResource,
  getEventListeners,
  getMaxListeners,
  listenerCount,
  on,
  once,
  setMaxListeners,
} from "node:events";
import { describe, it, test } from "node:test";
import { inherits } from "node:util";

/** Everything that `emitter` emits for `types`, as text. */
function record(emitter: any, ...types: any[]): string[] {
  const log: string[] = [];
  for (const type of types) emitter.on(type, (...args: any[]) => log.push([String(type), ...args].join(" ")));
  return log;
}

describe("EventEmitter", () => {
  test("the default export is the class, with the named exports as statics", () => {
    const statics = EventEmitter as any;
    assert.equal(statics.EventEmitter, EventEmitter);
    assert.deepEqual([statics.once, statics.on, statics.errorMonitor], [once, on, errorMonitor]);
    assert.equal(statics.defaultMaxListeners, 10);
    assert.equal(captureRejectionSymbol, Symbol.for("nodejs.rejection"));
  });

  test("can be extended, inherited from and mixed in", () => {
    class Modern extends EventEmitter {
      field = 1;
    }
    function Old(this: any) {
      (EventEmitter as any).call(this);
    }
    inherits(Old as any, EventEmitter);
    const mixed: any = Object.assign({}, EventEmitter.prototype);
    for (const emitter of [new Modern(), new (Old as any)(), mixed]) {
      const log = record(emitter, "x");
      assert.equal(emitter.emit("x", 1, 2), true);
      assert.equal(emitter.emit("y"), false);
      assert.deepEqual(log, ["x 1 2"]);
    }
    assert.ok(new Modern() instanceof EventEmitter);
    assert.ok(new (Old as any)() instanceof EventEmitter);
  });

  test("order, once, prepend, and `this`", () => {
    const emitter = new EventEmitter();
    const log: any[] = [];
    emitter.on("x", function (this: any) {
      log.push(this === emitter ? "on" : "wrong this");
    });
    emitter.prependListener("x", () => log.push("prepended"));
    emitter.once("x", () => log.push("once"));
    emitter.prependOnceListener("x", () => log.push("prepended once"));
    emitter.emit("x");
    emitter.emit("x");
    assert.deepEqual(log, ["prepended once", "prepended", "on", "once", "prepended", "on"]);
  });

  test("listeners added or removed while emitting do not change the round", () => {
    const emitter = new EventEmitter();
    const log: string[] = [];
    const second = () => log.push("second");
    emitter.on("x", () => {
      emitter.off("x", second);
      emitter.on("x", () => log.push("late"));
    });
    emitter.on("x", second);
    emitter.emit("x");
    assert.deepEqual(log, ["second"]);
  });

  test("asking about listeners", () => {
    const emitter = new EventEmitter();
    const symbol = Symbol("s");
    const fn = () => {};
    const other = () => {};
    emitter.on("a", fn);
    emitter.once("a", other);
    emitter.on(symbol, fn);
    assert.deepEqual(emitter.eventNames(), ["a", symbol]);
    assert.deepEqual(emitter.listeners("a"), [fn, other]);
    assert.equal((emitter.rawListeners("a")[1] as any).listener, other);
    assert.deepEqual([emitter.listenerCount("a"), emitter.listenerCount("a", fn), emitter.listenerCount("b")], [2, 1, 0]);
    assert.equal(listenerCount(emitter, "a"), 2);
    assert.deepEqual(getEventListeners(emitter, "a"), [fn, other]);
    emitter.off("a", other);
    assert.deepEqual(emitter.rawListeners("a"), [fn]);
    emitter.removeAllListeners();
    assert.deepEqual(emitter.eventNames(), []);
  });

  test("newListener and removeListener", () => {
    const emitter = new EventEmitter();
    const log: string[] = [];
    const fn = () => {};
    emitter.on("newListener", (type, listener) => log.push(`new ${String(type)} ${listener === fn} ${emitter.listenerCount("a")}`));
    emitter.on("removeListener", (type) => log.push(`removed ${String(type)}`));
    emitter.once("a", fn);
    emitter.on("a", () => {});
    emitter.removeAllListeners("a");
    assert.deepEqual(log, ["new removeListener false 0", "new a true 0", "new a false 1", "removed a", "removed a"]);
  });

  test("an error without a listener is thrown", () => {
    const emitter = new EventEmitter();
    const seen: any[] = [];
    emitter.on(errorMonitor, (error) => seen.push(error.message ?? error));
    assert.throws(() => emitter.emit("error", new Error("boom")), /^Error: boom$/);
    assert.throws(() => emitter.emit("error", { a: 1 }), {
      code: "ERR_UNHANDLED_ERROR",
      message: "Unhandled error. ({ a: 1 })",
      context: { a: 1 },
    });
    assert.throws(() => emitter.emit("error", "text"), { message: "Unhandled error. ('text')" });
    emitter.on("error", () => {});
    assert.equal(emitter.emit("error", new Error("heard")), true);
    assert.deepEqual(seen, ["boom", { a: 1 }, "text", "heard"]);
  });

  test("listeners must be functions", () => {
    const emitter = new EventEmitter();
    for (const method of ["on", "once", "off", "prependListener"]) {
      assert.throws(() => (emitter as any)[method]("x", 5), {
        name: "TypeError",
        code: "ERR_INVALID_ARG_TYPE",
        message: 'The "listener" argument must be of type function. Received type number (5)',
      });
    }
  });

  test("limits", () => {
    const emitter = new EventEmitter();
    assert.equal(emitter.getMaxListeners(), 10);
    assert.equal(emitter.setMaxListeners(3), emitter);
    assert.equal(getMaxListeners(emitter), 3);
    const target = new EventTarget();
    setMaxListeners(5, emitter, target);
    assert.deepEqual([emitter.getMaxListeners(), getMaxListeners(target)], [5, 5]);
    assert.throws(() => emitter.setMaxListeners(-1), { code: "ERR_OUT_OF_RANGE" });
  });

  test("rejections of listeners can be captured", async () => {
    const emitter = new EventEmitter({ captureRejections: true });
    emitter.on("x", async () => {
      throw new Error("async");
    });
    const failed = once(emitter, "error");
    emitter.emit("x");
    assert.equal((await failed)[0].message, "async");

    class Own extends EventEmitter {
      seen: any[] = [];
      constructor() {
        super({ captureRejections: true });
      }
      [captureRejectionSymbol](error: any, type: string, ...args: any[]) {
        this.seen.push([error.message, type, ...args]);
      }
    }
    const own = new Own();
    own.on("y", async () => {
      throw new Error("own");
    });
    own.emit("y", 7);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(own.seen, [["own", "y", 7]]);
  });
});

describe("once and on", () => {
  it("waits for one event", async () => {
    const emitter = new EventEmitter();
    setTimeout(() => emitter.emit("x", 1, 2), 1);
    assert.deepEqual(await once(emitter, "x"), [1, 2]);
    assert.equal(emitter.listenerCount("error"), 0);
    const target = new EventTarget();
    setTimeout(() => target.dispatchEvent(new Event("x")), 1);
    assert.equal((await once(target, "x"))[0].type, "x");
  });

  it("rejects on error and on abort", async () => {
    const emitter = new EventEmitter();
    const failing = once(emitter, "x");
    emitter.emit("error", new Error("no"));
    await assert.rejects(failing, /no/);
    const controller = new AbortController();
    const aborted = once(emitter, "x", { signal: controller.signal });
    controller.abort();
    await assert.rejects(aborted, { name: "AbortError", code: "ABORT_ERR" });
    assert.deepEqual(emitter.eventNames(), []);
  });

  it("iterates over events until a closing one", async () => {
    const emitter = new EventEmitter();
    const events = on(emitter, "x", { close: ["end"] });
    emitter.emit("x", 1);
    emitter.emit("x", 2, 3);
    setTimeout(() => {
      emitter.emit("x", 4);
      emitter.emit("end");
    }, 1);
    const seen: any[] = [];
    for await (const args of events) seen.push(args);
    assert.deepEqual(seen, [[1], [2, 3], [4]]);
    assert.deepEqual(emitter.eventNames(), []);
  });

  it("gives what came before an error, then the error", async () => {
    const emitter = new EventEmitter();
    const events = on(emitter, "x");
    emitter.emit("x", 1);
    emitter.emit("error", new Error("stop"));
    assert.deepEqual(await events.next(), { value: [1], done: false });
    await assert.rejects(events.next(), /stop/);
    assert.deepEqual(await events.next(), { value: undefined, done: true });
  });

  it("stops on abort", async () => {
    const controller = new AbortController();
    const emitter = new EventEmitter();
    setTimeout(() => controller.abort(), 1);
    await assert.rejects(
      async () => {
        for await (const _ of on(emitter, "x", { signal: controller.signal }));
      },
      { name: "AbortError" },
    );
  });
});

test("addAbortListener", async () => {
  const controller = new AbortController();
  let calls = 0;
  addAbortListener(controller.signal, () => calls++);
  const disposable = addAbortListener(controller.signal, () => (calls += 10));
  disposable[Symbol.dispose]();
  controller.abort();
  addAbortListener(controller.signal, () => (calls += 100));
  await null;
  assert.equal(calls, 101);
});

test("EventEmitterAsyncResource", () => {
  const emitter = new EventEmitterAsyncResource({ name: "Q" });
  const log = record(emitter, "x");
  emitter.emit("x", 1);
  assert.deepEqual(log, ["x 1"]);
  assert.equal(typeof emitter.asyncId, "number");
});
