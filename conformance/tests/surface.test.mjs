// What an extension is given: every member that the published versions have, tau has, and every event that they name.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { PACKAGES, run, selfCheck } from "../lib/agents.mjs";
import { openRows, strike } from "../lib/differences.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";

const extension = (name) => fileURLToPath(new URL(`../lib/extensions/${name}.ts`, import.meta.url));
const VERSIONS = ["reference", "previous"];

async function runWith(program, name, prompts, env, read = () => undefined) {
	const server = await startLoopback([{ toolCalls: [{ id: "call", name: "look", args: {} }] }, { text: "Done." }]);
	const home = makeHome({ origin: server.origin });
	try {
		const args = ["--model", MODELS.anthropic, "-e", extension(name), "-p", ...prompts];
		const result = await run(program, home, args, { env: env(home), stdin: "" });
		assert.equal(result.code, 0, result.stderr);
		return { ...result, read: read(home) };
	} finally {
		await server.close();
		home.remove();
	}
}

const surfaceOf = async (program) => {
	const file = (home) => join(home.root, "surface.json");
	const read = (home) => JSON.parse(readFileSync(file(home), "utf8"));
	return (await runWith(program, "surface", ["Go", "/surface"], (home) => ({ SURFACE: file(home) }), read)).read;
};

/** What the types keep from extensions. */
const PRIVATE = { theme: ["tokenAnsi"], "ctx.sessionManager": ["usesDefaultSessionDir"] };

/** Asserts that the names that tau lacks are those that open.json has for `run`. */
function onlyOpen(run, missing) {
	const row = openRows("surface").find((candidate) => candidate.run === run);
	const open = row?.names ?? [];
	const left = open.filter((name) => missing.includes(name));
	if (left.length < open.length && strike(row, left.length > 0 ? { names: left } : undefined)) return assert.deepEqual(missing, left);
	assert.deepEqual([...missing].sort(), [...open].sort(), `missing, and open, of ${run}`);
}

describe("members", { skip: selfCheck }, async () => {
	const surfaces = Object.fromEntries(await Promise.all([...VERSIONS, "tau"].map(async (program) => [program, await surfaceOf(program)])));
	for (const place of Object.keys(surfaces.reference)) {
		test(place, () => {
			const wanted = new Set(VERSIONS.flatMap((version) => surfaces[version][place]));
			assert.ok(wanted.size > 0);
			onlyOpen(place, [...wanted].filter((name) => ![...surfaces.tau[place], ...(PRIVATE[place] ?? [])].includes(name)));
		});
	}
});

test("events", { skip: selfCheck }, async () => {
	const types = (version) => readFileSync(`${PACKAGES[version]}/dist/core/extensions/types.d.ts`, "utf8");
	const named = VERSIONS.flatMap((version) => [...types(version).matchAll(/\bon\(event: "(\w+)"/g)].map(([, name]) => name));
	const events = [...new Set(named)];
	assert.ok(events.length > 40, "the types name the events");
	const { stderr } = await runWith("tau", "every-event", ["Hi"], () => ({ EVENTS: JSON.stringify(events) }));
	onlyOpen("events", [...stderr.matchAll(/unknown event `(\w+)`/g)].map(([, name]) => name));
});
