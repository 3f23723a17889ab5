// Fails when a published name of pi's packages is missing in tau's modules.
//
//   TAU_BIN=path/to/tau node check.mjs
//
// Needs the packages of ../package.json.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inside } from "../lib/inside.mjs";
import { SPECIFIERS } from "./specifiers.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const packages = process.env.TAU_PACKAGES ?? join(here, "../node_modules");

/** npm may have put a package beside the one that needs it. */
function located(path) {
  const hoisted = path.replace(/^first-generation\/node_modules\//, "");
  const found = [path, hoisted].map((candidate) => join(packages, candidate)).find((candidate) => existsSync(candidate));
  if (!found) throw new Error(`${path} is not installed`);
  return pathToFileURL(found).href;
}

const ours = await inside(join(here, "ours.ts"), "TAU_NAMES", { TAU_SPECIFIERS: JSON.stringify(Object.keys(SPECIFIERS)) });
let missing = 0;
for (const [specifier, modules] of Object.entries(SPECIFIERS)) {
  const published = new Set();
  for (const module of modules) for (const name of Object.keys(await import(located(module)))) published.add(name);
  const absent = [...published].filter((name) => name !== "default" && !ours[specifier].includes(name)).sort();
  console.log(`${specifier}: ${published.size} published, ${ours[specifier].length} here, ${absent.length} missing`);
  for (const name of absent) console.log(`  ${name}`);
  missing += absent.length;
}
process.exitCode = missing > 0 ? 1 : 0;
