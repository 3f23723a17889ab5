import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it, test } from "node:test";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("Event and EventTarget", () => {
  it("dispatches to functions and objects, once and in order", () => {
    const target = new EventTarget();
    const log: any[] = [];
    const object = {
      handleEvent(event: Event) {
        log.push(["object", this === object, event.target === target]);
      },
    };
    target.addEventListener("x", () => log.push("first"));
    target.addEventListener("x", object);
    target.addEventListener("x", object);
    target.addEventListener("x", () => log.push("once"), { once: true });
    assert.equal(target.dispatchEvent(new Event("x")), true);
    target.removeEventListener("x", object);
    target.dispatchEvent(new Event("x"));
    assert.deepEqual(log, ["first", ["object", true, true], "once", "first"]);
  });

  it("can be cancelled and stopped", () => {
    const target = new EventTarget();
    const log: string[] = [];
    target.addEventListener("x", (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
    });
    target.addEventListener("x", () => log.push("never"));
    const event = new Event("x", { cancelable: true });
    assert.equal(target.dispatchEvent(event), false);
    assert.equal(event.defaultPrevented, true);
    assert.equal(target.dispatchEvent(new Event("x")), true);
    assert.deepEqual(log, []);
  });

  it("drops listeners whose signal aborts", () => {
    const target = new EventTarget();
    const controller = new AbortController();
    let calls = 0;
    target.addEventListener("x", () => calls++, { signal: controller.signal });
    target.dispatchEvent(new Event("x"));
    controller.abort();
    target.dispatchEvent(new Event("x"));
    target.addEventListener("x", () => calls++, { signal: controller.signal });
    target.dispatchEvent(new Event("x"));
    assert.equal(calls, 1);
  });

  it("carries what the event classes say", () => {
    const custom = new CustomEvent("c", { detail: { a: 1 } });
    assert.deepEqual([custom.type, custom.detail, custom.bubbles], ["c", { a: 1 }, false]);
    const message = new MessageEvent("m", { data: [1], origin: "o", lastEventId: "7" });
    assert.deepEqual([message.data, message.origin, message.lastEventId, message.ports], [[1], "o", "7", []]);
    const event = new Event("e", { bubbles: true, composed: true });
    assert.deepEqual([event.bubbles, event.composed, event.cancelable, event.target, event.eventPhase], [true, true, false, null, 0]);
    assert.equal(Object.prototype.toString.call(event), "[object Event]");
  });

  it("can be extended", () => {
    class Mine extends EventTarget {
      count = 0;
    }
    const mine = new Mine();
    mine.addEventListener("x", function (this: any) {
      this.count += 1;
    });
    mine.dispatchEvent(new Event("x"));
    assert.equal(mine.count, 1);
  });
});

describe("AbortController", () => {
  it("aborts once, with a reason", () => {
    const controller = new AbortController();
    const { signal } = controller;
    const log: any[] = [];
    signal.addEventListener("abort", (event) => log.push(event.type));
    signal.onabort = () => log.push("on");
    assert.deepEqual([signal.aborted, signal.reason], [false, undefined]);
    signal.throwIfAborted();
    controller.abort();
    controller.abort(new Error("second"));
    assert.equal(signal.aborted, true);
    assert.equal(signal.reason.name, "AbortError");
    assert.equal(signal.reason.message, "This operation was aborted");
    assert.equal(signal.reason.code, 20);
    assert.ok(signal.reason instanceof DOMException && signal.reason instanceof Error);
    assert.throws(() => signal.throwIfAborted(), { name: "AbortError" });
    assert.deepEqual(log, ["abort", "on"]);
  });

  it("keeps any reason", () => {
    const controller = new AbortController();
    controller.abort("because");
    assert.equal(controller.signal.reason, "because");
    assert.equal(AbortSignal.abort("now").reason, "now");
    assert.equal(AbortSignal.abort().reason.name, "AbortError");
    assert.throws(() => new (AbortSignal as any)(), { name: "TypeError", code: "ERR_ILLEGAL_CONSTRUCTOR" });
  });

  it("times out", async () => {
    const signal = AbortSignal.timeout(5);
    assert.equal(signal.aborted, false);
    await wait(30);
    assert.equal(signal.aborted, true);
    assert.deepEqual([signal.reason.name, signal.reason.code], ["TimeoutError", 23]);
    assert.equal(signal.reason.message, "The operation was aborted due to timeout");
  });

  it("combines signals", () => {
    const first = new AbortController();
    const second = new AbortController();
    const any = AbortSignal.any([first.signal, second.signal]);
    const nested = AbortSignal.any([any]);
    const log: any[] = [];
    any.addEventListener("abort", () => log.push(["any", nested.aborted]));
    nested.addEventListener("abort", () => log.push("nested"));
    second.abort("two");
    first.abort("one");
    assert.deepEqual([any.reason, nested.reason], ["two", "two"]);
    assert.deepEqual(log, [["any", true], "nested"]);
    assert.equal(AbortSignal.any([AbortSignal.abort("old"), first.signal]).reason, "old");
    assert.equal(AbortSignal.any([]).aborted, false);
  });

  it("shows its listeners", () => {
    const { signal } = new AbortController();
    const fn = () => {};
    signal.addEventListener("abort", fn);
    assert.deepEqual(getEventListeners(signal, "abort"), [fn]);
  });
});

test("DOMException", () => {
  const error = new DOMException("text", "DataCloneError");
  assert.deepEqual([error.name, error.message, error.code], ["DataCloneError", "text", 25]);
  assert.equal(String(error), "DataCloneError: text");
  assert.equal(Object.prototype.toString.call(error), "[object DOMException]");
  assert.deepEqual([DOMException.ABORT_ERR, error.TIMEOUT_ERR], [20, 23]);
  const plain = new DOMException();
  assert.deepEqual([plain.name, plain.message, plain.code], ["Error", "", 0]);
  assert.equal(new DOMException("m", { name: "N", cause: 5 } as any).cause, 5);
});
