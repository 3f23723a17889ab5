// Writes the names of the modules that an extension can import, by specifier, into the file that TAU_NAMES names; with each
// whether it can be used. A module that is not there has none.
import { writeFileSync } from "node:fs";

const names: Record<string, Record<string, boolean>> = {};
for (const specifier of JSON.parse(process.env.TAU_SPECIFIERS!)) {
	const module = await import(`@earendil-works/${specifier}`).catch(() => ({}));
	const usable = (name: string) => Object(module[name])[Symbol.for("tau.unavailable")] !== true;
	names[specifier] = Object.fromEntries(Object.keys(module).map((name) => [name, usable(name)]));
}
writeFileSync(process.env.TAU_NAMES!, JSON.stringify(names));

export default function () {}
