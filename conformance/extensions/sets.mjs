// The two published sets of example extensions: before and after the packages changed their name.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const modules = fileURLToPath(new URL("../node_modules/", import.meta.url));

function readSet(name, folder) {
	const root = `${modules}${folder}/examples/extensions/`;
	const examples = new Map();
	for (const entry of readdirSync(root, { withFileTypes: true })) {
		const path = `${root}${entry.name}`;
		if (entry.isFile() && entry.name.endsWith(".ts")) examples.set(entry.name.slice(0, -3), path);
		if (entry.isDirectory() && ["index.ts", "package.json"].some((file) => existsSync(`${path}/${file}`))) {
			examples.set(entry.name, path);
		}
	}
	const { version } = JSON.parse(readFileSync(`${modules}${folder}/package.json`, "utf8"));
	return { name, version, examples };
}

export const SETS = [readSet("first", "first-generation"), readSet("current", "@earendil-works/pi-coding-agent")];

/** What `-e` takes: a file, or the folder of a package. */
export function extensionPath(path) {
	return existsSync(`${path}/package.json`) ? path : entryFile(path);
}

/** The file with an example's factory. */
export function entryFile(path) {
	return path.endsWith(".ts") ? path : `${path}/index.ts`;
}
