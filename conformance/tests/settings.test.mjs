// Both programs change one settings file at the same time, and find each other's packages.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../lib/agents.mjs";
import { makeHome } from "../lib/home.mjs";

const settingsOf = (home) => JSON.parse(readFileSync(join(home.agent, "settings.json"), "utf8"));

test("both programs write settings at once and lose nothing", async () => {
	const home = makeHome({ origin: "http://127.0.0.1:1", settings: { kept: { deep: [1, null] }, theme: "dark" } });
	try {
		mkdirSync(join(home.work, "pack"));
		writeFileSync(join(home.work, "pack", "index.ts"), "export default () => {};\n");
		const keys = Array.from({ length: 16 }, (_, number) => `key${number}`);
		const theirs = run("reference", home, ["install", "./pack"]);
		const set = async (some) => {
			const outputs = [];
			for (const key of some) outputs.push(await run("tau", home, ["config", "set", `group.${key}`, "true"]));
			return outputs;
		};
		const ours = Promise.all([set(keys.slice(0, 8)), set(keys.slice(8))]);
		for (const { code, stderr } of [await theirs, ...(await ours).flat()]) assert.equal(code, 0, stderr);
		const settings = settingsOf(home);
		assert.deepEqual(settings.kept, { deep: [1, null] });
		assert.equal(settings.theme, "dark");
		assert.deepEqual(Object.keys(settings.group).sort(), [...keys].sort());
		assert.deepEqual(settings.packages, ["../work/pack"]);
	} finally {
		home.remove();
	}
});

test("a package that one program named is listed and removed by the other one", async () => {
	for (const [first, second] of [["reference", "tau"], ["tau", "reference"]]) {
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
