// Every published example hook loads under the dialect it was written for, named or found where its package says to put it.

import assert from "node:assert/strict";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { run, selfCheck } from "../lib/agents.mjs";
import { makeHome } from "../lib/home.mjs";
import { SETS } from "./sets.mjs";

/** What `tau hooks list` tells of hooks that are named, or that `place` put into a home. */
async function listed(args, place = () => {}) {
	const home = makeHome({ origin: "http://127.0.0.1:9" });
	try {
		place(home);
		const { code, stdout, stderr } = await run("tau", home, ["hooks", "list", "--json", ...args], { stdin: "" });
		assert.deepEqual([code, stderr], [0, ""]);
		return JSON.parse(stdout);
	} finally {
		home.remove();
	}
}

function assertLoaded(list, set) {
	const { loaded, trusted: _, ...rest } = list;
	assert.deepEqual(rest, { shut: [], failed: [], skipped: [], warnings: [], untrusted: [] });
	const dialects = loaded.map(({ name, path, dialect }) => [name === "index" ? dirname(path).split("/").at(-1) : name, dialect]);
	assert.deepEqual(dialects.sort(), [...set.hooks.keys()].map((name) => [name, set.dialect]).sort());
	// What the source says decides, wherever the file is.
	for (const { name, because } of loaded) assert.match(because, /^it imports/, name);
}

/** The folders that the packages' own READMEs name. */
const FOLDERS = { "@mariozechner": ({ agent }) => join(agent, "hooks"), "@oh-my-pi": ({ root }) => join(root, ".omp/agent/hooks") };

describe("loading", { skip: selfCheck }, () => {
	for (const set of SETS) {
		test(`${set.name}: named`, async () => {
			assertLoaded(await listed([...set.hooks.values()].flatMap((path) => ["--hook", path])), set);
		});
		test(`${set.name}: found`, async () => {
			const files = new Map([...set.hooks].filter(([, path]) => !path.endsWith("/index.ts")));
			const place = (home) => {
				const folder = FOLDERS[set.scope](home);
				mkdirSync(folder, { recursive: true });
				for (const [name, path] of files) cpSync(path, join(folder, `${name}.ts`));
			};
			assertLoaded(await listed([], place), { ...set, hooks: files });
		});
	}
});
