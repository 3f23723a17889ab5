// Fails when a published name of pi's packages is missing in tau's modules.
//
//   node check.mjs PATH_TO_RUNNER      the runner is `cargo build -p tau-js --example run`
//
// Needs the packages of ../package.json.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SPECIFIERS } from "./specifiers.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const packages = process.env.TAU_PACKAGES ?? join(here, "../node_modules");
const runner = process.argv[2];
if (!runner) throw new Error("the runner's path is needed");

/** npm may have put a package beside the one that needs it. */
function located(path) {
  const hoisted = path.replace(/^first-generation\/node_modules\//, "");
  const found = [path, hoisted].map((candidate) => join(packages, candidate)).find((candidate) => existsSync(candidate));
  if (!found) throw new Error(`${path} is not installed`);
  return pathToFileURL(found).href;
}

const folder = mkdtempSync(join(tmpdir(), "tau-names-"));
try {
  const file = join(folder, "names.json");
  const env = { ...process.env, TAU_NAMES: file, TAU_SPECIFIERS: JSON.stringify(Object.keys(SPECIFIERS)) };
  execFileSync(runner, [join(here, "ours.ts")], { env, stdio: "inherit" });
  const ours = JSON.parse(readFileSync(file, "utf8"));
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
} finally {
  rmSync(folder, { recursive: true, force: true });
}
