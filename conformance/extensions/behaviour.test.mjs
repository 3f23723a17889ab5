// What the published example extensions do, driven by a scripted model.

import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { after, describe, test } from "node:test";
import { selfCheck } from "../lib/agents.mjs";
import { assertNoStaleRows, assertSame, openRows, unlessOpen } from "../lib/differences.mjs";
import { conversation } from "../lib/sessions.mjs";
import { COMMAND_CASES, GIT_CASES } from "./cases/commands.mjs";
import { EVENT_CASES } from "./cases/events.mjs";
import { PROVIDER_CASES } from "./cases/providers.mjs";
import { SESSION_CASES } from "./cases/sessions.mjs";
import { TOOL_CASES } from "./cases/tools.mjs";
import { hasRpc, play, report } from "./driver.mjs";
import { NOT_LOADED, PENDING, TERMINAL_ONLY } from "./exceptions.mjs";
import { extensionPath, isFor, SETS } from "./sets.mjs";

const CASES = [...TOOL_CASES, ...EVENT_CASES, ...COMMAND_CASES, ...GIT_CASES, ...SESSION_CASES, ...PROVIDER_CASES];
const UNTESTED = { ...NOT_LOADED, ...TERMINAL_ONLY, ...PENDING };
const rpc = await hasRpc();
const names = [];
const counts = { tested: 0, terminalOnly: 0, pending: 0, notLoaded: 0 };

const nameOf = (set, item) => `${set.name}: ${item.example}${item.what ? ` ${item.what}` : ""}`;

/** What is a run's own in a text: times, ids of entries, files; and colours (N506 of docs/differences.md). */
const OF_A_RUN = [
	[/\x1b\[[\d;]*m/g, ""],
	[/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"],
	[/\b[0-9a-f]{8}\b/g, "<id>"],
	[new RegExp(`${tmpdir()}/[\\w./-]+`, "g"), "<temporary file>"],
];

/** What the model was asked, and what the user was shown. */
function shapeOf(seen, { atOnce, animated }) {
	const tools = (body) => (body.tools ?? []).map((tool) => tool.name ?? tool.function.name);
	const requests = seen.requests.map(({ path, body }) => ({ path, tools: tools(body), messages: conversation(body) }));
	const shape = {
		requests: atOnce ? requests.map((request) => JSON.stringify(request)).sort() : requests,
		shown: animated ? [] : seen.records(({ ui, args }) => ui && [ui, args]),
		codes: seen.outputs.map(({ code }) => code),
	};
	const plain = (_key, value) => {
		if (typeof value !== "string") return value;
		return OF_A_RUN.reduce((text, [pattern, name]) => text.replace(pattern, name), value);
	};
	return JSON.parse(JSON.stringify(seen.normalised(shape), plain));
}

async function check(set, item) {
	// The reference loads a folder without a manifest by its index only.
	const paths = Object.fromEntries([...set.examples].map(([name, path]) => [name, extensionPath(path)]));
	const others = (item.with ?? []).map((name) => paths[name]);
	const extensions = [...others, paths[item.example]];
	const compared = set.name === "reference" && !selfCheck && !item.unlessReference;
	const theirs = compared && (await play("reference", extensions, item));
	if (compared) item.after?.();
	const seen = await play("tau", extensions, item);
	try {
		if (compared) assertSame("example", "what it did", shapeOf(theirs, item), shapeOf(seen, item), { run: nameOf(set, item) });
		// A command that fails is seen in tau's exit code.
		assert.deepEqual(seen.outputs.map(({ code }) => code), seen.outputs.map(() => (item.commandFails ? 1 : 0)));
		item.check(seen, set.generation, paths);
		if (!item.stepsLeft) assert.equal(seen.stepsLeft, 0, "the model was asked for each step");
	} catch (error) {
		error.stack += `\n${report(seen)}`;
		throw error;
	} finally {
		if (compared) theirs.home.remove();
		seen.home.remove();
		item.after?.();
	}
}

for (const alone of [false, true]) {
	describe(alone ? "behaviour, one after another" : "behaviour", { concurrency: alone ? 1 : 2 }, () => {
		for (const set of SETS) {
			for (const item of CASES.filter((item) => Boolean(item.alone) === alone)) {
				if (!isFor(item, set)) continue;
				if (set.again.has(item.example)) continue;
				if (item.rpc && !rpc) {
					counts.pending += 1;
					test.todo(`${set.name}: ${item.example} ${item.what} (pending: RPC mode)`);
					continue;
				}
				if (selfCheck && [set.generation, true].some((skipped) => [item.unlessReference].flat().includes(skipped))) continue;
				counts.tested += 1;
				const name = nameOf(set, item);
				names.push(name);
				test(name, () => unlessOpen("examples", name, () => check(set, item)));
			}
		}
	});
}

describe("the tables", () => {
	for (const set of SETS) {
		test(`${set.name}: every example is tested or has a reason why not`, () => {
			const tested = CASES.filter((item) => isFor(item, set)).map(({ example }) => example);
			const named = [...tested, ...Object.keys(UNTESTED)];
			const missing = [...set.examples.keys()].filter((name) => !named.includes(name));
			assert.deepEqual(missing, []);
			assert.deepEqual(tested.filter((name) => name in UNTESTED), [], "both");
			assert.deepEqual(tested.filter((name) => !set.examples.has(name)), [], "no such example");
		});
		for (const [name, reason] of Object.entries(PENDING)) {
			if (!set.examples.has(name) || set.again.has(name)) continue;
			counts.pending += 1;
			test.todo(`${set.name}: ${name} (pending: ${reason})`);
		}
		counts.terminalOnly += Object.keys(TERMINAL_ONLY).filter((name) => set.examples.has(name)).length;
		counts.notLoaded += Object.keys(NOT_LOADED).filter((name) => set.examples.has(name)).length;
	}
	test("what is open is the name of a test", () => {
		assert.deepEqual(openRows("examples").map(({ run }) => run).filter((name) => !names.includes(name)), []);
	});
	test("no reason is stale", () => {
		const known = new Set(SETS.flatMap(({ examples }) => [...examples.keys()]));
		assert.deepEqual(Object.keys(UNTESTED).filter((name) => !known.has(name)), []);
	});
});

after(() => {
	// A part of the tests cannot say which rows are stale.
	if (!process.execArgv.some((arg) => arg.startsWith("--test-name-pattern"))) assertNoStaleRows(["example"]);
	console.log(`examples: ${SETS.map(({ version, examples }) => `${examples.size} of ${version}`).join(", ")}`);
	for (const { version, again } of SETS) if (again.size) console.log(`${again.size} of ${version} are unchanged in a newer version and tested there`);
	console.log(`behaviour: ${counts.tested} tests; without: ${counts.terminalOnly} for a terminal only, ${counts.pending} pending, ${counts.notLoaded} not loaded`);
});
