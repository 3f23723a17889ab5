// Which names of pi's packages the example extensions and the npm packages import as values.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Folders below node_modules. */
const SOURCES = [
  "first-generation/examples/extensions",
  "@earendil-works/pi-coding-agent/examples/extensions",
  "../reference/pi/examples/extensions",
  ...["pi-aliases", "pi-mcp-adapter", "pi-mermaid", "pi-prompt-template-model", "pi-subagents", "pi-web-access"],
];

const PACKAGE = String.raw`["']@(?:mariozechner|earendil-works|oh-my-pi)/(pi-[\w/-]+)["']`;
const NAMED = new RegExp(String.raw`import\s+(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*${PACKAGE}`, "g");
const LATE = new RegExp(String.raw`(?:const|let)\s*\{([^}]*)\}\s*=\s*await\s+import\(\s*${PACKAGE}`, "g");
const WHOLE = new RegExp(String.raw`import\s+\*\s+as\s+(\w+)\s+from\s*${PACKAGE}`, "g");

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules") yield* files(path);
    if (entry.isFile() && /(?<!\.d|\.test)\.[cm]?[jt]sx?$/.test(entry.name)) yield path;
  }
}

/** `type A`, `B as C`, `D: E` → undefined, B, D */
const imported = (word) => /^(?!type\s)(\w+)/.exec(word.trim())?.[1];

/** Calls `found(specifier, name, file)` for each; names of types are among them. */
export function eachImported(packages, found) {
  for (const source of SOURCES) {
    for (const file of files(join(packages, source))) {
      const text = readFileSync(file, "utf8");
      for (const [, list, specifier] of [...text.matchAll(NAMED), ...text.matchAll(LATE)]) {
        for (const name of list.split(",").map(imported).filter(Boolean)) found(specifier, name, file);
      }
      for (const [, whole, specifier] of text.matchAll(WHOLE)) {
        for (const [, name] of text.matchAll(new RegExp(`\\b${whole}\\.(\\w+)`, "g"))) found(specifier, name, file);
      }
    }
  }
}
