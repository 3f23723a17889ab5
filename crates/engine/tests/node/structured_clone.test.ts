import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isMainThread, MessageChannel as Channel, receiveMessageOnPort, threadId, Worker } from "node:worker_threads";

describe("structuredClone", () => {
  it("copies plain data deeply", () => {
    const value = { a: [1, "x", null, undefined, true, 5n], nested: { b: { c: -0 } }, n: NaN };
    const copy = structuredClone(value);
    assert.deepEqual(copy, value);
    assert.notEqual(copy.nested, value.nested);
    const sparse: any[] = [1, , 3];
    assert.equal(1 in structuredClone(sparse), false);
  });

  it("copies built-in objects", () => {
    const value = {
      date: new Date(5),
      regexp: /a+/gi,
      map: new Map<any, any>([[{ k: 1 }, new Set([1, [2]])]]),
      bytes: new Uint8Array([1, 2, 3]),
      view: new DataView(new Uint8Array([9, 8]).buffer, 1),
      wrapped: [Object(1), Object("s"), Object(true), Object(2n)],
    };
    const copy = structuredClone(value);
    assert.deepEqual(copy, value);
    assert.notEqual(copy.bytes.buffer, value.bytes.buffer);
    assert.equal(copy.view.getUint8(0), 8);
    assert.equal(structuredClone(Buffer.from("ab")).constructor, Uint8Array);
    assert.equal(structuredClone(new Blob(["xy"], { type: "t/x" })).size, 2);
  });

  it("copies errors", () => {
    class Own extends TypeError {
      extra = 1;
    }
    const error: any = structuredClone(new Own("bad", { cause: { why: 1 } }));
    assert.ok(error instanceof TypeError && !(error instanceof Own));
    assert.deepEqual([error.name, error.message, error.cause, error.extra], ["TypeError", "bad", { why: 1 }, undefined]);
    assert.equal(typeof error.stack, "string");
  });

  it("keeps cycles and shared references", () => {
    const shared = { s: 1 };
    const value: any = { shared, list: [shared], map: new Map() };
    value.self = value;
    value.map.set("self", value);
    const copy = structuredClone(value);
    assert.equal(copy.self, copy);
    assert.equal(copy.map.get("self"), copy);
    assert.equal(copy.list[0], copy.shared);
    const buffer = new ArrayBuffer(4);
    const [a, b] = structuredClone([new Uint8Array(buffer), new Uint16Array(buffer)]);
    assert.equal(a.buffer, b.buffer);
  });

  it("turns instances into plain objects and runs getters", () => {
    class Point {
      x = 1;
      get hidden() {
        return 2;
      }
    }
    const copy: any = structuredClone({ point: new Point(), get y() { return 3; } });
    assert.equal(Object.getPrototypeOf(copy.point), Object.prototype);
    assert.deepEqual(copy, { point: { x: 1 }, y: 3 });
  });

  it("refuses what cannot be copied", () => {
    for (const value of [() => {}, Symbol("s"), new WeakMap(), Promise.resolve(), { deep: [() => {}] }]) {
      assert.throws(() => structuredClone(value), { name: "DataCloneError", code: 25 });
    }
    assert.throws(() => structuredClone({ f: function named() {} }), /^DataCloneError: function named\(\) \{[^]*\} could not be cloned\.$/);
    assert.throws(() => (structuredClone as any)(), { name: "TypeError" });
  });

  it("moves what is transferred", () => {
    const buffer = new Uint8Array([1, 2, 3]).buffer;
    const copy = structuredClone({ buffer }, { transfer: [buffer] });
    assert.deepEqual([buffer.byteLength, [...new Uint8Array(copy.buffer)]], [0, [1, 2, 3]]);
    assert.throws(() => structuredClone(1, { transfer: [{}] as any }), { name: "DataCloneError" });
  });
});

describe("messages", () => {
  const received = (port: any) => new Promise<any>((resolve) => { port.onmessage = (event: any) => resolve(event.data); });

  it("travel through a channel as copies", async () => {
    const { port1, port2 } = new MessageChannel();
    const value = { a: new Map([[1, 2]]) };
    const got = received(port2);
    port1.postMessage(value);
    assert.deepEqual(await got, value);
    assert.notEqual(await got, value);
    port1.close();
  });

  it("arrive in order, also before anyone listens", async () => {
    const { port1, port2 } = new MessageChannel();
    for (const n of [1, 2, 3]) port1.postMessage(n);
    const seen: number[] = [];
    await new Promise<void>((resolve) => {
      (port2 as any).on("message", (n: number) => {
        seen.push(n);
        if (seen.length === 3) resolve();
      });
    });
    assert.deepEqual(seen, [1, 2, 3]);
    const closed = new Promise((resolve) => (port2 as any).on("close", resolve));
    port1.close();
    await closed;
  });

  it("carry ports", async () => {
    const outer = new MessageChannel();
    const inner = new MessageChannel();
    const got = received(outer.port2);
    outer.port1.postMessage({ port: inner.port2 }, [inner.port2] as any);
    const { port } = await got;
    const answer = received(inner.port1);
    port.postMessage("hi");
    assert.equal(await answer, "hi");
    outer.port1.close();
    inner.port1.close();
  });

  it("can be taken at once", () => {
    const { port1, port2 } = new Channel();
    port1.postMessage({ a: 1 });
    assert.deepEqual(receiveMessageOnPort(port2), { message: { a: 1 } });
    assert.equal(receiveMessageOnPort(port2), undefined);
    port1.close();
    assert.deepEqual([isMainThread, threadId, typeof Worker], [true, 0, "function"]);
  });

  it("are broadcast", async () => {
    const [a, b, c] = [new BroadcastChannel("n"), new BroadcastChannel("n"), new BroadcastChannel("other")];
    const log: any[] = [];
    c.onmessage = () => log.push("wrong channel");
    a.onmessage = () => log.push("sender");
    const got = received(b);
    a.postMessage({ x: 1 });
    assert.deepEqual(await got, { x: 1 });
    assert.deepEqual(log, []);
    for (const channel of [a, b, c]) channel.close();
  });
});
