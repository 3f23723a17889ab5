// Compares tau's pi-tui with the published one, case by case:
//
//   TAU_BIN=path/to/tau node conformance/view/compare.mjs
//
// The published package is the one in conformance/node_modules.
import { fileURLToPath } from "node:url";
import * as tui from "@earendil-works/pi-tui";
import { inside } from "../lib/inside.mjs";
import { cases } from "./cases.mjs";
import { evaluate } from "./evaluate.mjs";

/** Differences printed in full. */
const SHOWN = 10;

const { names, results } = await inside(fileURLToPath(new URL("ours.ts", import.meta.url)), "VIEW_RESULT");

/** The innermost place where two results differ. */
function difference(reference, own, path = "") {
  if (!Array.isArray(reference) || !Array.isArray(own)) {
    return `at ${path || "the top"}\n  reference ${JSON.stringify(reference)}\n  tau       ${JSON.stringify(own)}`;
  }
  const same = (index) => JSON.stringify(reference[index]) === JSON.stringify(own[index]);
  let index = 0;
  while (same(index)) index++;
  return difference(reference[index], own[index], `${path}[${index}]`);
}

const expected = JSON.parse(JSON.stringify(await evaluate(tui, cases)));
const groups = new Map();
let different = 0;
cases.forEach((one, index) => {
  const group = one.kind === "call" ? one.name : one.kind;
  const count = groups.get(group) ?? { all: 0, different: 0 };
  groups.set(group, count);
  count.all++;
  if (JSON.stringify(expected[index]) === JSON.stringify(results[index])) return;
  count.different++;
  if (different++ < SHOWN) {
    console.log(`case ${index}: ${JSON.stringify(one).slice(0, 400)}\n${difference(expected[index], results[index])}`);
  }
});

const missing = Object.keys(tui).filter((name) => !names.includes(name));
for (const [group, count] of groups) console.log(`${group}: ${count.different} of ${count.all} differ`);
console.log(`names missing: ${missing.join(" ") || "none"}`);
process.exitCode = different > 0 || missing.length > 0 ? 1 : 0;
