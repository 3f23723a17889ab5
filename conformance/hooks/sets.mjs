// The published sets of example hooks: each package of `packages.json`, with the path of every hook it brings.

import { existsSync, readdirSync } from "node:fs";
import { PACKAGES } from "./packages.mjs";

function hooksOf(folder) {
	const root = `${folder}/examples/hooks/`;
	const hooks = new Map();
	for (const entry of readdirSync(root, { withFileTypes: true })) {
		const path = `${root}${entry.name}`;
		if (entry.isFile() && entry.name.endsWith(".ts")) hooks.set(entry.name.slice(0, -3), path);
		if (entry.isDirectory() && existsSync(`${path}/index.ts`)) hooks.set(entry.name, `${path}/index.ts`);
	}
	return hooks;
}

/** Each set: its name, its version, the dialect its hooks are of, and their paths by name. */
export const SETS = PACKAGES.map(({ name, version, dialect, folder }) => {
	const scope = name.split("/")[0];
	return { name: `${scope} ${version}`, scope, version, dialect, hooks: hooksOf(folder) };
});
