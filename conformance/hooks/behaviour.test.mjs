// What the published example hooks do, driven by a scripted model.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { selfCheck } from "../lib/agents.mjs";
import { SESSION_CASES } from "./cases/sessions.mjs";
import { TOOL_CASES } from "./cases/tools.mjs";
import { WORK_CASES } from "./cases/work.mjs";
import { play } from "./driver.mjs";
import { SETS } from "./sets.mjs";

const CASES = [...TOOL_CASES, ...SESSION_CASES, ...WORK_CASES];
const plays = (set, item) => set.hooks.has(item.hook) && (item.sets?.(set) ?? true);
let tested = 0;

if (!selfCheck) {
	for (const alone of [false, true]) {
		describe(alone ? "behaviour, one after another" : "behaviour", { concurrency: alone ? 1 : 2 }, () => {
			for (const set of SETS) {
				for (const item of CASES.filter((item) => Boolean(item.alone) === alone && plays(set, item))) {
					tested += 1;
					test(`${set.name}: ${item.hook} ${item.what}`, () => play(set, item));
				}
			}
		});
	}
}

describe("the tables", () => {
	for (const set of SETS) {
		test(`${set.name}: every hook is tested`, () => {
			const names = CASES.filter((item) => plays(set, item)).map(({ hook }) => hook);
			assert.deepEqual([...set.hooks.keys()].filter((name) => !names.includes(name)), []);
		});
	}
	test("no case is for a hook that there is not", () => {
		assert.deepEqual(CASES.filter((item) => !SETS.some((set) => plays(set, item))), []);
	});
});

after(() => console.log(`hooks: ${SETS.map(({ name, hooks }) => `${hooks.size} of ${name}`).join(", ")}; ${tested} tests`));
