import assert from "node:assert/strict";
import { it } from "node:test";
import { fromB, seen } from "./parts/cycle_a.ts";
import { early, readA } from "./parts/cycle_b.ts";
import { a } from "./parts/late_a.ts";
import { later } from "./parts/late_b.ts";

it("lets modules import each other", () => {
  assert.deepEqual([fromB, seen, readA()], ["b", "a", "a"]);
  assert.equal(early, "function");
});

it("waits at the top of modules that import each other", () => {
  assert.deepEqual([a, later()], ["a with b", "a with b"]);
});
