import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { channel, hasSubscribers, subscribe, tracingChannel, unsubscribe } from "node:diagnostics_channel";
import { test } from "node:test";

test("channels", () => {
  const seen: any[] = [];
  const listener = (message: unknown, name: string | symbol) => void seen.push([name, message]);
  const own = channel("a");
  assert.equal(channel("a"), own);
  own.publish("nobody");
  subscribe("a", listener);
  assert.deepEqual([own.hasSubscribers, hasSubscribers("a"), hasSubscribers("b")], [true, true, false]);
  own.publish({ x: 1 });
  assert.deepEqual([unsubscribe("a", listener), unsubscribe("a", listener)], [true, false]);
  own.publish("gone");
  assert.deepEqual(seen, [["a", { x: 1 }]]);
});

test("stores are bound to what is published", () => {
  const storage = new AsyncLocalStorage();
  const own = channel("stores");
  own.bindStore(storage, (data: any) => data.id);
  assert.equal(own.runStores({ id: 7 }, () => storage.getStore()), 7);
  own.unbindStore(storage);
  assert.equal(own.runStores({ id: 8 }, () => storage.getStore()), undefined);
});

test("tracing tells how a call went", async () => {
  const tracing = tracingChannel("op");
  const log: string[] = [];
  const handlers: any = {};
  for (const event of ["start", "end", "asyncStart", "asyncEnd", "error"]) handlers[event] = () => log.push(event);
  tracing.subscribe(handlers);
  assert.equal(tracing.traceSync((a: number) => a + 1, {}, undefined, 1), 2);
  assert.equal(await tracing.tracePromise(async () => "done"), "done");
  assert.throws(() => tracing.traceSync(() => { throw new Error("no"); }), /no/);
  tracing.unsubscribe(handlers);
  assert.deepEqual(log, ["start", "end", "start", "end", "asyncStart", "asyncEnd", "start", "error", "end"]);
});
