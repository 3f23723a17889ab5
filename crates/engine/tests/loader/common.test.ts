import assert from "node:assert/strict";
import { it } from "node:test";
import Assigned from "./parts/assigned.ts";
import assignedAgain = require("./parts/assigned.ts");
import { joined, same } from "./parts/required.ts";
import common, { eol } from "./parts/common.ts";
import names, { answer } from "./parts/common_names.cts";
import plain, { extra } from "./parts/plain.cjs";
import { kind, url } from "./parts/module.mts";
import data, { name } from "./parts/data.json" with { type: "json" };
import * as dataSpace from "./parts/data.json";

it("exports one value", () => {
  assert.equal(Assigned.helper, "helper");
  assert.equal(Assigned.inside, 1);
  assert.equal((assignedAgain as any).helper, "helper");
});

it("imports by require", () => {
  assert.equal(joined, "a/b");
  assert.equal(same, true);
});

it("runs CommonJS in TypeScript", () => {
  assert.equal(common.eol, "\n");
  assert.equal(eol, "\n");
  assert.deepEqual([common.where, common.folder], ["common.ts", "string"]);
  assert.equal(answer, 42);
  assert.equal(names as any, "its default");
  assert.equal(plain.extra, "extra");
  assert.equal(extra, "extra");
});

it("reads every kind of file", () => {
  assert.equal(kind, "mts");
  assert.match(url, /^file:\/\/.*module\.mts$/);
});

it("reads JSON", () => {
  assert.equal(name, "data");
  assert.deepEqual((data as any).list, [1, 2]);
  assert.deepEqual(dataSpace.list, [1, 2]);
});

it("knows where it is", () => {
  assert.match(import.meta.url, /^file:\/\/\/.*common\.test\.ts$/);
  assert.match(import.meta.filename, /^\/.*common\.test\.ts$/);
  assert.equal(import.meta.filename, `${import.meta.dirname}/common.test.ts`);
  assert.equal(import.meta.resolve("./parts/data.json"), new URL("./parts/data.json", import.meta.url).href);
  assert.equal(typeof require, "function");
  assert.equal(require("./parts/common.ts").eol, "\n");
  assert.equal(__filename, import.meta.filename);
  assert.equal(__dirname, import.meta.dirname);
  assert.match(require.resolve("./parts/data.json"), /^\/.*data\.json$/);
});
