// The runtime's TypeScript has no type errors, and its modules have the types that Node and pi publish, but for the numbers
// in ratchet.json, which only fall. UPDATE_TYPES=1 writes those that fell, and modules.d.ts.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { check, countAny, mismatches, moduleTable, nodeModules, npmModules, piModules, runtime } from "./compare.mjs";

const update = Boolean(process.env.UPDATE_TYPES);
const file = fileURLToPath(new URL("ratchet.json", import.meta.url));
const ratchet = JSON.parse(readFileSync(file, "utf8"));

/** Holds measured numbers to those in ratchet.json; `why` tells what makes one up. */
function hold(kind, measured, why = () => "") {
	const allowed = ratchet[kind];
	const risen = [];
	const fallen = [];
	for (const key of new Set([...Object.keys(allowed), ...Object.keys(measured)])) {
		const [now, before] = [measured[key] ?? 0, allowed[key] ?? 0];
		if (now > before) risen.push(`${kind}, ${key}: ${now}, more than the ${before} in ratchet.json\n${why(key)}`);
		if (now < before) fallen.push(`${kind}, ${key}: ${now} instead of ${before}`);
		if (update && now < before) allowed[key] = now;
		if (update && allowed[key] === 0) delete allowed[key];
	}
	if (update) writeFileSync(file, `${JSON.stringify(ratchet, null, 2)}\n`);
	assert.ok(risen.length === 0, risen.join("\n"));
	assert.ok(update || fallen.length === 0, `fewer than in ratchet.json; UPDATE_TYPES=1 lowers the numbers:\n${fallen.join("\n")}`);
}

test("modules.d.ts lists every module of the runtime", () => {
	const path = join(runtime, "modules.d.ts");
	if (update) writeFileSync(path, moduleTable());
	assert.equal(readFileSync(path, "utf8"), moduleTable(), "UPDATE_TYPES=1 writes it");
});

test("the runtime has no type errors", () => {
	const errors = check(fileURLToPath(new URL("tsconfig.json", import.meta.url)));
	assert.deepEqual(errors.map(([path, line, message]) => `${relative(runtime, path)}:${line}: ${message}`), []);
});

test("no folder of the runtime says `any` more often", () => hold("any", countAny()));

for (const [kind, list] of [
	["node", nodeModules()],
	["pi", piModules()],
	["npm", npmModules()],
]) {
	test(`the modules of ${kind} have the published types`, () => {
		const found = mismatches(list);
		const numbers = Object.fromEntries([...found].map(([name, exports_]) => [name, exports_.size]));
		hold(kind, numbers, (name) => [...(found.get(name) ?? [])].map(([export_, message]) => `  ${export_}: ${message}`).join("\n"));
	});
}
