// Every published example extension loads, and registers what it registers in the reference.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { run, selfCheck } from "../lib/agents.mjs";
import { unlessOpen } from "../lib/differences.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { NOT_LOADED } from "./exceptions.mjs";
import { entryFile, SETS } from "./sets.mjs";

const INVENTORY = fileURLToPath(new URL("helpers/inventory.ts", import.meta.url));
const counts = { loaded: 0, excepted: 0 };

/** Runs one prompt with one extension. */
async function runWith(program, extension, { env, inHome = () => {} } = {}) {
	const server = await startLoopback([{ text: "Hello." }]);
	const home = makeHome({ origin: server.origin });
	try {
		const args = ["--verbose", "-p", "--model", MODELS.anthropic, "-e", extension, "Hi"];
		const result = await run(program, home, args, { env: env?.(home), stdin: "" });
		return { ...result, more: inHome(home) };
	} finally {
		await server.close();
		home.remove();
	}
}

describe("loading", { concurrency: 2 }, () => {
	for (const set of SETS) {
		for (const [name, path] of set.examples) {
			if (set.again.has(name)) continue;
			const reason = NOT_LOADED[name];
			if (reason) counts.excepted += 1;
			else counts.loaded += 1;
			test(`${set.name}: ${name}${reason ? ` does not load: it ${reason}` : ""}`, () => unlessOpen("examples.load", `${set.name}: ${name}`, async () => {
				const { code, stdout, stderr } = await runWith("tau", path);
				const loaded = selfCheck ? !stderr.includes("Failed to load extension") : stderr.includes("Loaded extension");
				assert.equal(loaded, !reason, stderr);
				if (reason) {
					const [, wanted] = /npm package (\S+)/.exec(reason);
					assert.ok(stderr.includes(wanted), `the error names the package: ${stderr}`);
				} else {
					assert.deepEqual({ code, stdout }, { code: 0, stdout: "Hello.\n" }, stderr);
					// Two examples miss a file of their user here, as they do in the reference.
					const errors = stderr.split("\n").filter((line) => /^Extension error/.test(line) && !line.includes("ENOENT"));
					assert.deepEqual(errors, []);
				}
			}));
		}
	}
});

/** What each example of a set registers, by its name. */
async function inventory(program, set) {
	const examples = Object.fromEntries(
		[...set.examples].filter(([name]) => !(name in NOT_LOADED)).map(([name, path]) => [name, entryFile(path)]),
	);
	const output = "inventory.json";
	const { more, stderr } = await runWith(program, INVENTORY, {
		env(home) {
			mkdirSync(home.work, { recursive: true });
			writeFileSync(join(home.root, "examples.json"), JSON.stringify(examples));
			return { INVENTORY: join(home.root, "examples.json"), INVENTORY_OUT: join(home.root, output) };
		},
		inHome(home) {
			try {
				const text = readFileSync(join(home.root, output), "utf8");
				return JSON.parse(text.replaceAll(home.root, "<root>"));
			} catch (error) {
				return error;
			}
		},
	});
	assert.ok(!(more instanceof Error), `${program} made no list: ${stderr}`);
	return more;
}

const BUILT_INS = ["read", "bash", "edit", "write", "grep", "find", "ls"];

/** Descriptions of the built-in tools are the program's own. */
function comparable(lists) {
	const tools = lists.tools?.map((tool) => {
		if (!BUILT_INS.includes(tool.name)) return tool;
		return { name: tool.name, execute: tool.execute, parameters: Object.keys(tool.parameters.properties) };
	});
	return { ...lists, tools };
}

describe("registering", async () => {
	for (const set of SETS) {
		const lists = {};
		// Extensions of the first version are loaded by the ones after it.
		const theirs = set.name === "previous" ? "previous" : "reference";
		for (const program of [theirs, "tau"]) {
			test(`${set.name}: ${program} lists all examples`, async () => {
				lists[program] = await inventory(program, set);
			});
		}
		for (const name of set.examples.keys()) {
			if (name in NOT_LOADED) continue;
			test(`${set.name}: ${name}`, () => unlessOpen("examples.registering", `${set.name}: ${name}`, () => {
				const [reference, tau] = [lists[theirs]?.[name], lists.tau?.[name]];
				assert.ok(reference && !reference.errors, `the reference: ${reference?.errors}`);
				assert.deepEqual(comparable(tau), comparable(reference));
			}));
		}
		test(`${set.name}: custom-compaction handles compactions`, () => {
			assert.deepEqual(lists.tau["custom-compaction"].events, ["session_before_compact"]);
		});
	}
});

after(() => {
	console.log(`extensions: ${counts.loaded} load, ${counts.excepted} cannot:`);
	for (const [name, reason] of Object.entries(NOT_LOADED)) console.log(`  ${name} ${reason}`);
});
