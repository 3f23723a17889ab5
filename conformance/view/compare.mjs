// Compares tau's pi-tui with the reference's, case by case, each from inside:
//
//   TAU_BIN=path/to/tau node conformance/view/compare.mjs
//
// What the reference no longer has is compared with the version before it, whose package is in conformance/node_modules.
import { fileURLToPath } from "node:url";
import * as previous from "@earendil-works/pi-tui";
import { openRows, strike } from "../lib/differences.mjs";
import { inside } from "../lib/inside.mjs";
import { cases } from "./cases.mjs";
import { evaluate } from "./evaluate.mjs";

/** Differences printed in full. */
const SHOWN = 10;

const both = ["reference", "tau"].map((program) => inside(fileURLToPath(new URL("ours.ts", import.meta.url)), "VIEW_RESULT", {}, program));
const [{ names, results: expected }, { results }] = await Promise.all(both);
/** Cases that tau is to lose, by group. */
const open = Object.fromEntries(openRows("view").map((row) => [row.run, row]));

const isGone = ({ kind, name }) => kind === "call" && !names.includes(name);
const older = JSON.parse(JSON.stringify(await evaluate(previous, cases.filter(isGone))));
for (const [index, one] of cases.entries()) if (isGone(one)) expected[index] = older.shift();

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

// The cursor of a component is reverse video in tau, and between marks for the screen in the reference (N502 of
// docs/differences.md).
const CURSOR = /\x1b\[7m([^\x1b]*)\x1b\[(?:0|27)m|\x1b_pi:fc\x07([^\x1b]*)\x1b_pi:\/fc\x07/g;
const comparable = (value) => {
  if (typeof value === "string") return value.replace(CURSOR, (_, drawn, marked) => `<cursor>${drawn ?? marked}</cursor>`);
  return Array.isArray(value) ? value.map(comparable) : value;
};

const groups = new Map();
let different = 0;
cases.forEach((one, index) => {
  for (const list of [expected, results]) list[index] = comparable(list[index]);
  const group = one.kind === "call" ? one.name : one.kind;
  const count = groups.get(group) ?? { all: 0, different: 0 };
  groups.set(group, count);
  count.all++;
  if (JSON.stringify(expected[index]) === JSON.stringify(results[index])) return;
  count.different++;
  if (group in open) return;
  if (different++ < SHOWN) {
    console.log(`case ${index}: ${JSON.stringify(one).slice(0, 400)}\n${difference(expected[index], results[index])}`);
  }
});

let stale = 0;
for (const [group, count] of groups) {
  const isStale = group in open && open[group].count !== count.different;
  const isFewer = isStale && count.different < open[group].count;
  if (isStale && !(isFewer && strike(open[group], count.different > 0 ? { count: count.different } : undefined))) stale++;
  const told = isStale ? `, but ${open[group].count} in open.json` : group in open ? ", which is open" : "";
  console.log(`${group}: ${count.different} of ${count.all} differ${told}`);
}
process.exitCode = different > 0 || stale > 0 ? 1 : 0;
