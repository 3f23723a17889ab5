// Both programs change one settings file at the same time, and find each other's packages.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run, selfCheck } from "../lib/agents.mjs";
import { makeHome } from "../lib/home.mjs";

const WRITER = fileURLToPath(new URL("../lib/settings-writer.mjs", import.meta.url));
const ROUNDS = 25;

const settingsOf = (home) => JSON.parse(readFileSync(join(home.agent, "settings.json"), "utf8"));

// The published versions have no command that sets a key.
for (const version of ["reference", "previous"]) test(`tau and the ${version} write settings at once and lose nothing`, { skip: selfCheck }, async () => {
	const before = { kept: { deep: [1, null] }, theme: "dark" };
	const home = makeHome({ origin: "http://127.0.0.1:1", settings: before });
	const env = { PATH: process.env.PATH, HOME: home.root, PI_CODING_AGENT_DIR: home.agent };
	const writer = spawn(process.execPath, [WRITER, version], { cwd: home.work, env, stdio: ["pipe", "pipe", "inherit"] });
	try {
		const said = createInterface({ input: writer.stdout })[Symbol.asyncIterator]();
		assert.equal((await said.next()).value, "writing");
		const ended = once(writer, "close");
		// While the other one writes, and it goes on until all of these are done.
		const lane = async (name) => {
			for (let round = 0; round < ROUNDS; round += 1) {
				const { code, stderr } = await run("tau", home, ["config", "set", `ours.${name}-${round}`, "true"]);
				assert.equal(code, 0, stderr);
			}
		};
		const lanes = ["left", "right"];
		await Promise.all(lanes.map(lane));
		writer.stdin.end();
		const { rounds, lost } = JSON.parse((await said.next()).value);
		assert.deepEqual(await ended, [0, null]);
		assert.ok(rounds > ROUNDS, `the ${version} wrote ${rounds} times`);

		assert.equal(lost, 0, "changes of theirs that tau overwrote");
		const range = (count) => Array.from({ length: count }, (_, round) => round);
		const { ours, modelThinkingLevels, ...others } = settingsOf(home);
		assert.deepEqual(others, before);
		assert.deepEqual(Object.keys(ours).sort(), lanes.flatMap((name) => range(ROUNDS).map((round) => `${name}-${round}`)).sort());
		assert.deepEqual(Object.keys(modelThinkingLevels).sort(), range(rounds).map((round) => `theirs/round-${round}`).sort());
	} finally {
		writer.kill();
		home.remove();
	}
});

test("a package that one program named is listed and removed by the other one", async () => {
	for (const [first, second] of [["reference", "tau"], ["tau", "reference"], ["previous", "tau"], ["tau", "previous"]]) {
		const home = makeHome({ origin: "http://127.0.0.1:1" });
		try {
			mkdirSync(join(home.work, "pack/extensions"), { recursive: true });
			writeFileSync(join(home.work, "pack/extensions/one.ts"), "export default () => {};\n");
			assert.equal((await run(first, home, ["install", "./pack"])).code, 0);
			assert.deepEqual(settingsOf(home).packages, ["../work/pack"]);
			const listed = await run(second, home, ["list"]);
			assert.match(listed.stdout, /^User packages:\n {2}\.\.\/work\/pack\n {4}.*\/work\/pack\n$/);
			assert.equal((await run(second, home, ["remove", "./pack"])).code, 0);
			assert.deepEqual(settingsOf(home).packages, []);
		} finally {
			home.remove();
		}
	}
});
