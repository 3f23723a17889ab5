// Writes the names of tau's modules, by specifier, into the file that TAU_NAMES names.
import { writeFileSync } from "node:fs";

const names: Record<string, string[]> = {};
for (const specifier of JSON.parse(process.env.TAU_SPECIFIERS!)) {
  names[specifier] = Object.keys(await import(`@earendil-works/${specifier}`));
}
writeFileSync(process.env.TAU_NAMES!, JSON.stringify(names));

export default function () {}
