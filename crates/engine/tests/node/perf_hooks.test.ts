import assert from "node:assert/strict";
import { createHistogram, performance as own, PerformanceObserver } from "node:perf_hooks";
import { describe, it } from "node:test";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("performance", () => {
  it("is a clock", async () => {
    assert.equal(own, performance);
    assert.ok(performance instanceof Performance);
    assert.ok(navigator instanceof Navigator);
    const start = performance.now();
    await wait(5);
    const passed = performance.now() - start;
    assert.ok(passed >= 4 && passed < 10_000, String(passed));
    const clock = performance.timeOrigin + performance.now();
    assert.ok(Math.abs(clock - Date.now()) < 1_000, `${clock} ${Date.now()}`);
    assert.equal(performance.timeOrigin, performance.timeOrigin);
  });

  it("marks and measures", () => {
    const mark = performance.mark("a", { startTime: 10, detail: { x: 1 } });
    assert.deepEqual([mark.name, mark.entryType, mark.startTime, mark.duration, mark.detail], ["a", "mark", 10, 0, { x: 1 }]);
    performance.mark("b", { startTime: 25 });
    const { name, startTime, duration } = performance.measure("m", "a", "b");
    assert.deepEqual([name, startTime, duration], ["m", 10, 15]);
    assert.equal(performance.measure("n", { start: 5, duration: 7 }).duration, 7);
    assert.deepEqual(performance.getEntriesByType("measure").map((entry) => entry.name), ["n", "m"]);
    assert.equal(performance.getEntriesByName("a").length, 1);
    assert.throws(() => performance.measure("x", "missing"), { name: "SyntaxError" });
    performance.clearMarks("a");
    performance.clearMeasures();
    assert.deepEqual(performance.getEntries().map((entry) => entry.name).filter((name) => name.length === 1), ["b"]);
    performance.clearMarks();
  });

  it("tells observers", async () => {
    const seen: string[] = [];
    const observer = new PerformanceObserver((list) => seen.push(...list.getEntries().map((entry) => entry.name)));
    observer.observe({ entryTypes: ["mark"] });
    performance.mark("seen");
    performance.measure("not seen");
    await wait(5);
    observer.disconnect();
    performance.mark("late");
    await wait(5);
    assert.deepEqual(seen, ["seen"]);
    performance.clearMarks();
    performance.clearMeasures();
  });

  it("counts in histograms", () => {
    const histogram = createHistogram();
    for (const value of [1, 2, 3, 4]) histogram.record(value);
    assert.deepEqual([histogram.count, histogram.min, histogram.max, histogram.mean, histogram.percentile(50)], [4, 1, 4, 2.5, 2]);
  });
});
