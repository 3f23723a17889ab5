// What the published example extensions do, driven by a scripted model.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { selfCheck } from "../lib/agents.mjs";
import { COMMAND_CASES, GIT_CASES } from "./cases/commands.mjs";
import { EVENT_CASES } from "./cases/events.mjs";
import { PROVIDER_CASES } from "./cases/providers.mjs";
import { SESSION_CASES } from "./cases/sessions.mjs";
import { TOOL_CASES } from "./cases/tools.mjs";
import { hasRpc, play, report } from "./driver.mjs";
import { NOT_LOADED, PENDING, TERMINAL_ONLY } from "./exceptions.mjs";
import { extensionPath, SETS } from "./sets.mjs";

const CASES = [...TOOL_CASES, ...EVENT_CASES, ...COMMAND_CASES, ...GIT_CASES, ...SESSION_CASES, ...PROVIDER_CASES];
const UNTESTED = { ...NOT_LOADED, ...TERMINAL_ONLY, ...PENDING };
const rpc = await hasRpc();
const counts = { tested: 0, terminalOnly: 0, pending: 0, notLoaded: 0 };

async function check(set, item) {
	// The reference loads a folder without a manifest by its index only.
	const paths = Object.fromEntries([...set.examples].map(([name, path]) => [name, extensionPath(path)]));
	const others = (item.with ?? []).map((name) => paths[name]);
	const seen = await play("tau", [...others, paths[item.example]], item);
	try {
		assert.deepEqual(seen.outputs.map(({ code }) => code), seen.outputs.map(() => 0));
		item.check(seen, set.name, paths);
		if (!item.stepsLeft) assert.equal(seen.stepsLeft, 0, "the model was asked for each step");
	} catch (error) {
		error.stack += `\n${report(seen)}`;
		throw error;
	} finally {
		seen.home.remove();
		item.after?.();
	}
}

for (const alone of [false, true]) {
	describe(alone ? "behaviour, one after another" : "behaviour", { concurrency: alone ? 1 : 2 }, () => {
		for (const set of SETS) {
			for (const item of CASES.filter((item) => Boolean(item.alone) === alone)) {
				if (item.sets && !item.sets.includes(set.name)) continue;
				if (item.rpc && !rpc) {
					counts.pending += 1;
					test.todo(`${set.name}: ${item.example} ${item.what} (pending: RPC mode)`);
					continue;
				}
				if (selfCheck && [set.name, true].some((skipped) => [item.unlessReference].flat().includes(skipped))) continue;
				counts.tested += 1;
				test(`${set.name}: ${item.example}${item.what ? ` ${item.what}` : ""}`, () => check(set, item));
			}
		}
	});
}

describe("the tables", () => {
	for (const set of SETS) {
		test(`${set.name}: every example is tested or has a reason why not`, () => {
			const tested = CASES.filter(({ sets }) => !sets || sets.includes(set.name)).map(({ example }) => example);
			const named = [...tested, ...Object.keys(UNTESTED)];
			const missing = [...set.examples.keys()].filter((name) => !named.includes(name));
			assert.deepEqual(missing, []);
			assert.deepEqual(tested.filter((name) => name in UNTESTED), [], "both");
			assert.deepEqual(tested.filter((name) => !set.examples.has(name)), [], "no such example");
		});
		for (const [name, reason] of Object.entries(PENDING)) {
			if (!set.examples.has(name)) continue;
			counts.pending += 1;
			test.todo(`${set.name}: ${name} (pending: ${reason})`);
		}
		counts.terminalOnly += Object.keys(TERMINAL_ONLY).filter((name) => set.examples.has(name)).length;
		counts.notLoaded += Object.keys(NOT_LOADED).filter((name) => set.examples.has(name)).length;
	}
	test("no reason is stale", () => {
		const known = new Set(SETS.flatMap(({ examples }) => [...examples.keys()]));
		assert.deepEqual(Object.keys(UNTESTED).filter((name) => !known.has(name)), []);
	});
});

after(() => {
	console.log(`examples: ${SETS.map(({ version, examples }) => `${examples.size} of ${version}`).join(", ")}`);
	console.log(`behaviour: ${counts.tested} tests; without: ${counts.terminalOnly} for a terminal only, ${counts.pending} pending, ${counts.notLoaded} not loaded`);
});
