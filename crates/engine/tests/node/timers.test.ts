import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import timers from "node:timers";
import timersPromises, { scheduler, setImmediate as immediate, setInterval as every, setTimeout as wait } from "node:timers/promises";
import { readFile } from "node:fs";
import { promisify } from "node:util";

describe("timers", () => {
  it("passes arguments and runs in the order of time", async () => {
    const log: any[] = [];
    await new Promise<void>((resolve) => {
      setTimeout(
        (...args: any[]) => {
          log.push(args);
          resolve();
        },
        20,
        "late",
        1,
      );
      setTimeout(() => log.push("early"), 1);
      setImmediate((text: string) => log.push(text), "immediate");
      queueMicrotask(() => log.push("microtask"));
      log.push("sync");
    });
    assert.deepEqual(log.slice(0, 2), ["sync", "microtask"]);
    assert.deepEqual(log.slice(2, 4).sort(), ["early", "immediate"]);
    assert.deepEqual(log[4], ["late", 1]);
  });

  it("keeps the order of equal times", async () => {
    const log: number[] = [];
    for (let n = 0; n < 5; n++) setTimeout(() => log.push(n), 5);
    await wait(20);
    assert.deepEqual(log, [0, 1, 2, 3, 4]);
  });

  it("can be cleared by object, number and text", async () => {
    let fired = 0;
    const fire = () => fired++;
    clearTimeout(setTimeout(fire, 1));
    clearTimeout(+setTimeout(fire, 1) as any);
    clearTimeout(String(+setTimeout(fire, 1)) as any);
    clearInterval(setInterval(fire, 1));
    clearImmediate(setImmediate(fire));
    clearTimeout(undefined);
    clearTimeout(null as any);
    clearTimeout(123456 as any);
    (setTimeout(fire, 1) as any)[Symbol.dispose]();
    await wait(20);
    assert.equal(fired, 0);
  });

  it("repeats until cleared, also from inside", async () => {
    let count = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (++count === 3) {
          clearInterval(timer);
          resolve();
        }
      }, 1);
    });
    await wait(10);
    assert.equal(count, 3);
  });

  it("gives timer objects", async () => {
    const timer = setTimeout(() => {}, 10_000);
    assert.equal(timer.hasRef(), true);
    assert.equal(timer.unref(), timer);
    assert.equal(timer.hasRef(), false);
    assert.equal(timer.ref().hasRef(), true);
    assert.equal(timer.refresh(), timer);
    assert.ok(timer[Symbol.toPrimitive]() > 0);
    assert.equal(timer.close(), timer);
    const held = setImmediate(() => {});
    assert.equal(held.hasRef(), true);
    clearImmediate(held);
  });

  it("starts again on refresh", async () => {
    let count = 0;
    const timer = setTimeout(() => count++, 1);
    await wait(15);
    timer.refresh();
    await wait(15);
    assert.equal(count, 2);
  });

  it("runs callbacks with the timer as `this`", async () => {
    const timer: any = await new Promise((resolve) => {
      const created = setTimeout(function (this: any) {
        resolve(this === created);
      }, 1);
    });
    assert.equal(timer, true);
  });

  it("wants functions", () => {
    for (const start of [setTimeout, setInterval, setImmediate, queueMicrotask] as any[]) {
      assert.throws(() => start("code"), { name: "TypeError", code: "ERR_INVALID_ARG_TYPE" });
    }
  });

  it("treats odd delays as one millisecond", async () => {
    let count = 0;
    for (const delay of [undefined, -5, 0, NaN, "2"] as any[]) setTimeout(() => count++, delay);
    await wait(25);
    assert.equal(count, 5);
  });
});

describe("timers/promises", () => {
  it("gives values", async () => {
    assert.equal(await wait(1, "value"), "value");
    assert.equal(await immediate("soon"), "soon");
    assert.equal(await scheduler.wait(1), undefined);
    assert.equal(await scheduler.yield(), undefined);
    assert.equal(await promisify(setTimeout)(1, "promisified"), "promisified");
    assert.equal(await promisify(setImmediate)("now"), "now");
    assert.equal(timers.promises, timersPromises);
  });

  it("can be aborted", async () => {
    const controller = new AbortController();
    const waiting = wait(10_000, "never", { signal: controller.signal });
    controller.abort("reason");
    await assert.rejects(waiting, { name: "AbortError", code: "ABORT_ERR", cause: "reason" });
    await assert.rejects(wait(1, 0, { signal: AbortSignal.abort() }), { name: "AbortError" });
    await assert.rejects(immediate(0, { signal: AbortSignal.abort() }), { name: "AbortError" });
    await assert.rejects(wait(1, 0, { signal: {} as any }), { code: "ERR_INVALID_ARG_TYPE" });
  });

  it("iterates", async () => {
    const seen: string[] = [];
    for await (const value of every(1, "tick")) {
      seen.push(value);
      if (seen.length === 3) break;
    }
    assert.deepEqual(seen, ["tick", "tick", "tick"]);
    const controller = new AbortController();
    await assert.rejects(
      async () => {
        for await (const _ of every(1, 0, { signal: controller.signal })) controller.abort();
      },
      { name: "AbortError" },
    );
  });
});

test("a timer that starts timers", async () => {
  const depth = await new Promise((resolve) => {
    const again = (n: number) => setTimeout(() => (n === 5 ? resolve(n) : again(n + 1)), 0);
    again(1);
  });
  assert.equal(depth, 5);
});

describe("the order of a turn", () => {
  /** Runs `work` in a callback of its own and waits until nothing of it is left. */
  const inCallback = (start: (callback: () => void) => void, work: (log: string[]) => void): Promise<string[]> =>
    new Promise((resolve) => {
      const log: string[] = [];
      start(() => {
        work(log);
        log.push("sync");
        setTimeout(() => resolve(log), 15);
      });
    });

  it("is ticks, promises, immediates, timers, in whatever callback they are asked for", async () => {
    const work = (log: string[]) => {
      setTimeout(() => log.push("timeout"), 0);
      setImmediate(() => log.push("immediate"));
      Promise.resolve().then(() => log.push("promise"));
      queueMicrotask(() => log.push("microtask"));
      process.nextTick(() => log.push("tick"));
    };
    const expected = ["sync", "tick", "promise", "microtask", "immediate", "timeout"];
    const starts: Record<string, (callback: () => void) => void> = {
      timer: (callback) => void setTimeout(callback, 1),
      file: (callback) => readFile(import.meta.filename, callback),
    };
    for (const [name, start] of Object.entries(starts)) {
      assert.deepEqual(await inCallback(start, work), expected, name);
    }
  });

  it("runs ticks of promises after all promises, and ticks of ticks at once", async () => {
    const log = await inCallback((callback) => void setTimeout(callback, 1), (log) => {
      Promise.resolve().then(() => {
        log.push("promise 1");
        process.nextTick(() => log.push("tick of promise"));
      }).then(() => log.push("promise 2"));
      process.nextTick(() => {
        log.push("tick 1");
        process.nextTick(() => log.push("tick of tick"));
        queueMicrotask(() => log.push("microtask of tick"));
      });
      process.nextTick(() => log.push("tick 2"));
    });
    assert.deepEqual(log, [
      "sync", "tick 1", "tick 2", "tick of tick", "promise 1", "microtask of tick", "promise 2", "tick of promise",
    ]);
  });

  it("runs ticks and promises between two immediates, and new immediates in the next turn", async () => {
    const log = await inCallback((callback) => setImmediate(callback), (log) => {
      setImmediate(() => {
        log.push("first");
        process.nextTick(() => log.push("tick"));
        Promise.resolve().then(() => log.push("promise"));
        setImmediate(() => log.push("next turn"));
        clearImmediate(cleared);
      });
      setImmediate(() => log.push("second"));
      const cleared = setImmediate(() => log.push("cleared"));
    });
    assert.deepEqual(log, ["sync", "first", "tick", "promise", "second", "next turn"]);
  });

  it("does not wait: a thousand turns take less than a millisecond each, and timers still fire", async () => {
    const begin = performance.now();
    let fired = false;
    setTimeout(() => (fired = true), 1);
    let turns = 0;
    while (turns < 1000 || !fired) {
      turns += 1;
      await immediate();
    }
    assert.ok(performance.now() - begin < turns, `${turns} turns took ${performance.now() - begin} ms`);
    assert.equal(await scheduler.yield(), undefined);
  });
});
