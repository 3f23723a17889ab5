import assert from "node:assert/strict";
import { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, executionAsyncResource } from "node:async_hooks";
import { exec, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { lookup } from "node:dns";
import { EventEmitter, once } from "node:events";
import { createReadStream, readFile } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, get } from "node:http";
import { createInterface } from "node:readline";
import { finished, PassThrough, pipeline, Readable } from "node:stream";
import { describe, it, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

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

describe("AsyncLocalStorage through the library", () => {
  const storage = new AsyncLocalStorage<string>();
  /** Runs `work` inside a store; gives what it found when it called back. */
  const seenBy = (work: (callback: () => void) => void): Promise<unknown> =>
    new Promise((resolve) => storage.run("store", () => void work(() => resolve(storage.getStore()))));

  const works: Record<string, (done: () => void) => void> = {
    "fs callback": (done) => readFile(import.meta.filename, done),
    "fs promise": (done) => void stat(import.meta.filename).then(done),
    "fs stream": (done) => void createReadStream(import.meta.filename).on("end", done).resume(),
    "exec callback": (done) => void exec("true", done),
    "child events": (done) => void spawn("true", { stdio: "ignore" }).on("close", done),
    "child output": (done) => {
      const child = spawn("echo", ["text"]);
      child.stdout.once("data", () => child.on("close", done));
    },
    "randomBytes callback": (done) => void randomBytes(4, done),
    "gzip callback": (done) => void gzip("text", done),
    "stream pipeline": (done) => void pipeline(Readable.from(["a"]), new PassThrough().resume(), done),
    "stream finished": (done) => void finished(Readable.from(["a"]).resume(), done),
    "events.once": (done) => {
      const emitter = new EventEmitter();
      void once(emitter, "x").then(done);
      storage.exit(() => setTimeout(() => emitter.emit("x"), 1));
    },
    "interval": (done) => {
      const timer = setInterval(() => {
        clearInterval(timer);
        done();
      }, 1);
    },
    "timers/promises": (done) => void wait(1).then(done),
    "queueMicrotask": (done) => queueMicrotask(done),
    "promisify": (done) => void promisify(readFile)(import.meta.filename).then(done),
    "lookup": (done) => lookup("127.0.0.1", done),
    "readline": (done) => void createInterface({ input: Readable.from(["line\n"]) }).on("close", done),
    "response body": (done) => void new Response("text").text().then(done),
    "web stream": (done) => void new ReadableStream({ start: (c) => (c.enqueue(1), c.close()) }).getReader().read().then(done),
    "digest": (done) => void crypto.subtle.digest("SHA-256", new Uint8Array(1)).then(done),
    "abort": (done) => {
      const controller = new AbortController();
      controller.signal.addEventListener("abort", done);
      setTimeout(() => controller.abort(), 1);
    },
    "dynamic import": (done) => void import("node:os").then(done),
  };
  for (const [name, work] of Object.entries(works)) {
    it(`follows: ${name}`, async () => {
      assert.equal(await seenBy(work), "store");
      assert.equal(storage.getStore(), undefined);
    });
  }

  it("follows a request and its answer, and a server's request begins with nothing", async () => {
    const found: unknown[] = [];
    const server = storage.run("server", () => createServer());
    server.on("request", (_, response) => {
      found.push(storage.getStore());
      response.end("text");
    });
    await new Promise<void>((resolve) => storage.run("listen", () => server.listen(0, "127.0.0.1", () => {
      found.push(storage.getStore());
      resolve();
    })));
    const { port } = server.address() as any;
    await storage.run("client", async () => {
      await new Promise<void>((resolve) => {
        get({ port, host: "127.0.0.1", agent: false }, (response) => {
          found.push(storage.getStore());
          response.on("end", () => {
            found.push(storage.getStore());
            resolve();
          }).resume();
        });
      });
      const answer = await fetch(`http://127.0.0.1:${port}/`);
      found.push(storage.getStore());
      await answer.text();
      found.push(storage.getStore());
    });
    await new Promise((resolve) => server.close(resolve));
    const requests = found.splice(1, 1).concat(found.splice(3, 1));
    assert.deepEqual(found, ["listen", "client", "client", "client", "client"]);
    for (const store of requests) assert.notEqual(store, "client");
  });

  it("does not leak out of what entered it", async () => {
    await new Promise<void>((resolve) => setTimeout(() => {
      storage.enterWith("leaking");
      resolve();
    }, 1));
    assert.equal(storage.getStore(), undefined);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(storage.getStore(), undefined);
    const seen = await new Promise((resolve) => readFile(import.meta.filename, () => resolve(storage.getStore())));
    assert.equal(seen, undefined);
  });

  it("goes on behind loops that wait, however they are left", async () => {
    async function* numbers() {
      for (let n = 0; n < 5; n += 1) {
        await wait(0);
        yield n;
      }
    }
    const seen: unknown[] = [];
    const note = (name: string) => seen.push(`${name} ${storage.getStore()}`);
    await storage.run("in", async () => {
      let last: number | undefined;
      outer: for (const _ of [1, 2]) {
        for await (last of numbers()) {
          if (last === 1) continue outer;
        }
      }
      note(`continued at ${last}`);
      labeled: for await (const { length } of ["ab", Promise.resolve("abc")]) {
        for (;;) {
          note(`length ${length}`);
          continue labeled;
        }
      }
      note("after");
      try {
        for await (const n of numbers()) if (n === 2) throw new Error("left");
      } catch {
        note("caught");
      }
      try {
        for await (const _ of (async function* () { throw new Error("failed"); })()) note("never");
      } catch (error: any) {
        note(error.message);
      }
      const first = async () => {
        for await (const n of numbers()) return n;
      };
      note(`returned ${await first()}`);
    });
    assert.deepEqual(seen, [
      "continued at 1 in", "length 2 in", "length 3 in", "after in", "caught in", "failed in", "returned 0 in",
    ]);
  });
});
