import assert from "node:assert/strict";
import { it } from "node:test";
import main, * as space from "./parts/values.ts";
import other, { count, increase, Named as Class, type Only, "any text" as text } from "./parts/values.ts";
import * as more from "./parts/more.ts";
import moreDefault, { values, renamed, "still live" as live, own, Shape } from "./parts/more.ts";
import * as conflict from "./parts/star_conflict.ts";
import type { Shape as OnlyType } from "./parts/more.ts";
import "./parts/values.ts";

it("imports the default beside the whole module", () => {
  assert.equal(main(), "default");
  assert.equal(space.default, main);
  assert.equal(other, main);
  assert.equal(new Class() instanceof space.Named, true);
});

it("keeps bindings live through every way", () => {
  const before = count;
  increase();
  assert.deepEqual([live, values.count, more.count, more.values.count], Array(4).fill(before + 1));
});

it("takes any text as a name", () => {
  assert.equal(text, "named by text");
  assert.equal(space["any text"], "named by text");
});

it("passes on default, names and whole modules", () => {
  assert.deepEqual([moreDefault, renamed, more.default, values.default], [main, main, main, main]);
  assert.equal(own, "more");
  const shape: OnlyType & Shape & Only = { side: 1, type: true };
  assert.equal(shape.side, 1);
});

it("gives undefined for what nobody exports", () => {
  assert.equal((more as any).nothing, undefined);
  assert.equal((more as any).Shape, undefined);
});

it("prefers own exports to those of others, and leaves out their default", () => {
  assert.equal((conflict as any).count, "mine");
  assert.equal("default" in conflict, false);
  assert.equal(typeof conflict.increase, "function");
});

it("imports when asked, with the same module", async () => {
  const found = await import("./parts/values.ts");
  assert.equal(found.default, main);
  assert.equal(found.increase, increase);
  await assert.rejects(import("./parts/none.ts"), (error: any) => /none/.test(error.message));
});
