// Fails when a published name of pi's packages is missing in tau's modules, or when one that the example extensions or
// the npm packages import cannot be used.
//
//   TAU_BIN=path/to/tau node check.mjs
//
// Needs the packages of ../package.json.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inside } from "../lib/inside.mjs";
import { openRows, strike } from "../lib/differences.mjs";
import { eachImported } from "./imported.mjs";
import { NOT_IN_REFERENCE, SPECIFIERS } from "./specifiers.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const packages = process.env.TAU_PACKAGES ?? join(here, "../node_modules");

/** npm may have put a package beside the one that needs it. */
function located(path) {
  const hoisted = path.replace(/^first-generation\/node_modules\//, "");
  const found = [path, hoisted].map((candidate) => join(packages, candidate)).find((candidate) => existsSync(candidate));
  if (!found) throw new Error(`${path} is not installed`);
  return pathToFileURL(found).href;
}

const namesIn = (program, specifiers) =>
  inside(join(here, "ours.ts"), "TAU_NAMES", { TAU_SPECIFIERS: JSON.stringify(specifiers) }, program);
const ours = await namesIn("tau", Object.keys(SPECIFIERS));
const theirs = await namesIn("reference", Object.keys(SPECIFIERS).filter((name) => !NOT_IN_REFERENCE.includes(name)));
/** What tau is to export: specifier → names. */
const rows = Object.fromEntries(openRows("names").map((row) => [row.run, row]));
let missing = 0;
const values = {};
for (const [specifier, modules] of Object.entries(SPECIFIERS)) {
  const published = new Set(Object.keys(theirs[specifier] ?? {}));
  for (const module of modules) for (const name of Object.keys(await import(located(module)))) published.add(name);
  const own = ours[specifier];
  const row = rows[specifier];
  const known = row?.names ?? [];
  const absent = [...published].filter((name) => name !== "default" && !(name in own) && !known.includes(name)).sort();
  const struck = known.filter((name) => name in own || !published.has(name));
  values[specifier] = published;
  console.log(`${specifier}: ${published.size} published, ${Object.keys(own).length} here, ${absent.length} missing, ${known.length} open`);
  for (const name of absent) console.log(`  ${name}`);
  const left = known.filter((name) => !struck.includes(name));
  if (struck.length > 0 && strike(row, left.length > 0 ? { names: left } : undefined)) struck.length = 0;
  for (const name of struck) console.log(`  ${name} is done: strike it in open.json`);
  missing += absent.length + struck.length;
}

/** Names that are imported and cannot be used yet, with what they wait for. */
const PENDING = {};
const imports = new Set();
const unusable = new Map();
eachImported(packages, (specifier, name, file) => {
  if (!values[specifier]?.has(name)) return;
  imports.add(`${specifier} ${name}`);
  if (!ours[specifier][name] && !rows[specifier]?.names.includes(name)) unusable.set(name, file);
});
console.log(`imported by the examples and the packages: ${imports.size}, ${unusable.size} of them pending`);
for (const [name, file] of unusable) console.log(`  ${name}: ${PENDING[name] ?? `nobody says why (${file})`}`);
missing += [...unusable.keys()].filter((name) => !(name in PENDING)).length;
for (const name of Object.keys(PENDING).filter((name) => !unusable.has(name))) {
  console.log(`  ${name} is not pending any more`);
  missing += 1;
}
process.exitCode = missing > 0 ? 1 : 0;
