// The published sets of example extensions: before the packages changed their name, and of the versions that tau is
// compared with.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PACKAGES } from "../lib/agents.mjs";

function readSet(name, generation, folder) {
	const root = `${folder}/examples/extensions/`;
	const examples = new Map();
	for (const entry of readdirSync(root, { withFileTypes: true })) {
		const path = `${root}${entry.name}`;
		if (entry.isFile() && entry.name.endsWith(".ts")) examples.set(entry.name.slice(0, -3), path);
		if (entry.isDirectory() && ["index.ts", "package.json"].some((file) => existsSync(`${path}/${file}`))) {
			examples.set(entry.name, path);
		}
	}
	const { version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
	return { name, generation, version, examples, again: new Set() };
}

/** The text of everything in an example that can be run, by its path in it. */
function sources(path) {
	const files = path.endsWith(".ts") ? [""] : readdirSync(path, { recursive: true }).map((name) => `/${name}`);
	const runs = (name) => /\.([cm]?[jt]s|md)$/.test(`${path}${name}`) && !/(README|test)\.\w+$/.test(name) && !name.includes("node_modules");
	return JSON.stringify(files.filter(runs).sort().map((name) => [name, readFileSync(`${path}${name}`, "utf8")]));
}

const first = readSet("first", "first", fileURLToPath(new URL("../node_modules/first-generation", import.meta.url)));
const previous = readSet("previous", "current", PACKAGES.previous);
const reference = readSet("reference", "current", PACKAGES.reference);

/**
 * `examples` are the paths by name. `again` are those that a newer version publishes unchanged, so that one test in tau is
 * enough.
 */
export const SETS = [first, previous, reference];
for (const [name, path] of previous.examples) {
	const newer = reference.examples.get(name);
	if (newer && sources(newer) === sources(path)) previous.again.add(name);
}

/** Whether a case that names sets, or their generation, is about this one. */
export const isFor = ({ sets }, { name, generation }) => !sets || sets.includes(name) || sets.includes(generation);

/** What `-e` takes: a file, or the folder of a package. */
export function extensionPath(path) {
	return existsSync(`${path}/package.json`) ? path : entryFile(path);
}

/** The file with an example's factory. */
export function entryFile(path) {
	return path.endsWith(".ts") ? path : `${path}/index.ts`;
}
