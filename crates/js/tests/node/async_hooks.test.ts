import assert from "node:assert/strict";
import { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, executionAsyncResource } from "node:async_hooks";
import { EventEmitter } from "node:events";
import { describe, it, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

describe("AsyncLocalStorage", () => {
  it("is seen inside run only", () => {
    const storage = new AsyncLocalStorage<number>();
    assert.equal(storage.getStore(), undefined);
    const result = storage.run(1, (extra: string) => {
      assert.equal(storage.run(2, () => storage.getStore()), 2);
      assert.equal(storage.exit(() => storage.getStore()), undefined);
      return `${storage.getStore()}${extra}`;
    }, "!");
    assert.equal(result, "1!");
    assert.equal(storage.getStore(), undefined);
    assert.throws(() => storage.run(3, () => { throw new Error("out"); }), /out/);
    assert.equal(storage.getStore(), undefined);
  });

  it("follows promises, awaits, timers and ticks", async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: Record<string, any> = {};
    await storage.run("store", async () => {
      const note = (name: string) => () => {
        seen[name] = storage.getStore();
      };
      const works = [
        Promise.resolve().then(note("then")),
        Promise.reject(new Error()).catch(note("catch")),
        Promise.resolve().finally(note("finally")),
        new Promise<void>((resolve) => setTimeout(() => { note("timeout")(); resolve(); }, 1)),
        new Promise<void>((resolve) => setImmediate(() => { note("immediate")(); resolve(); })),
        new Promise<void>((resolve) => queueMicrotask(() => { note("microtask")(); resolve(); })),
        new Promise<void>((resolve) => process.nextTick(() => { note("tick")(); resolve(); })),
      ];
      await wait(1);
      note("await")();
      await Promise.all(works);
      note("all")();
      try {
        await Promise.reject(new Error());
      } catch {
        note("rejected await")();
      }
      for await (const _ of (async function* () { yield 1; await null; yield 2; })()) note("for await")();
    });
    assert.deepEqual(seen, {
      then: "store",
      catch: "store",
      finally: "store",
      timeout: "store",
      immediate: "store",
      microtask: "store",
      tick: "store",
      await: "store",
      all: "store",
      "rejected await": "store",
      "for await": "store",
    });
    assert.equal(storage.getStore(), undefined);
  });

  it("keeps concurrent work apart", async () => {
    const storage = new AsyncLocalStorage<number>();
    const task = async (id: number) => {
      const seen: any[] = [storage.getStore()];
      await wait(id);
      seen.push(storage.getStore());
      await null;
      seen.push(storage.getStore());
      return seen;
    };
    const all = await Promise.all([3, 1, 2].map((id) => storage.run(id, task, id)));
    assert.deepEqual(all, [[3, 3, 3], [1, 1, 1], [2, 2, 2]]);
  });

  it("keeps several storages apart", () => {
    const a = new AsyncLocalStorage();
    const b = new AsyncLocalStorage();
    a.run(1, () => {
      b.run(2, () => {
        assert.deepEqual([a.getStore(), b.getStore()], [1, 2]);
        a.disable();
        assert.deepEqual([a.getStore(), b.getStore()], [undefined, 2]);
      });
    });
  });

  it("enters for the rest of the run", async () => {
    const storage = new AsyncLocalStorage<string>();
    await new AsyncLocalStorage().run(0, async () => {
      storage.enterWith("entered");
      assert.equal(storage.getStore(), "entered");
      await null;
      assert.equal(storage.getStore(), "entered");
    });
  });

  it("binds functions and takes snapshots", () => {
    const storage = new AsyncLocalStorage<number>();
    const bound = storage.run(1, () => AsyncLocalStorage.bind((n: number) => [n, storage.getStore()]));
    const inside = storage.run(2, () => AsyncLocalStorage.snapshot());
    assert.deepEqual(bound(7), [7, 1]);
    assert.deepEqual(inside((n: number) => [n, storage.getStore()], 8), [8, 2]);
    storage.run(3, () => assert.deepEqual([bound(1)[1], inside(() => storage.getStore())], [1, 2]));
  });

  it("does not follow emitters: a listener runs in the context of the emit", () => {
    const storage = new AsyncLocalStorage<number>();
    const emitter = new EventEmitter();
    let seen: any;
    storage.run(1, () => emitter.on("x", () => { seen = storage.getStore(); }));
    storage.run(2, () => emitter.emit("x"));
    assert.equal(seen, 2);
  });
});

describe("AsyncResource", () => {
  it("runs in the context of its creation", () => {
    const storage = new AsyncLocalStorage<number>();
    class Pool extends AsyncResource {
      constructor() {
        super("Pool");
      }
    }
    const resource = storage.run(1, () => new Pool());
    const result = storage.run(2, () =>
      resource.runInAsyncScope(function (this: any, a: number) {
        return [this, a, storage.getStore(), executionAsyncId() === resource.asyncId(), executionAsyncResource() === resource];
      }, "self", 5),
    );
    assert.deepEqual(result, ["self", 5, 1, true, true]);
    assert.equal(resource.emitDestroy(), resource);
    const bound = resource.bind((a: number, b: number) => [a + b, storage.getStore()]);
    assert.deepEqual([bound(1, 2), bound.length], [[3, 1], 2]);
    assert.deepEqual(storage.run(4, () => AsyncResource.bind(() => storage.getStore()))(), 4);
    assert.throws(() => new AsyncResource(5 as any), { code: "ERR_INVALID_ARG_TYPE" });
  });
});

test("hooks can be made", () => {
  const hook = createHook({ init() {} });
  assert.equal(hook.enable(), hook);
  assert.equal(hook.disable(), hook);
  assert.equal(typeof executionAsyncId(), "number");
});
