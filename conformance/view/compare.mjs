// Compares tau's pi-tui with the published one, case by case:
//
//   node conformance/view/compare.mjs COMMAND [ARGS...]
//
// COMMAND runs a TypeScript file, given as its last argument, in tau's engine: `tau -p hello -e`, or the example `run`
// of the crate tau-js. The published package is the one in conformance/node_modules.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as tui from "@earendil-works/pi-tui";
import { cases } from "./cases.mjs";
import { evaluate } from "./evaluate.mjs";

/** Differences printed in full. */
const SHOWN = 10;

const [command, ...args] = process.argv.slice(2);
if (!command) {
  console.error("usage: node conformance/view/compare.mjs COMMAND [ARGS...]");
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "view-"));
const file = join(folder, "result.json");
const ours = fileURLToPath(new URL("ours.ts", import.meta.url));
spawnSync(command, [...args, ours], { env: { ...process.env, VIEW_RESULT: file }, stdio: "inherit" });
const { names, results } = JSON.parse(readFileSync(file, "utf8"));
rmSync(folder, { recursive: true });

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
