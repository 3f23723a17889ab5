// What one program writes to sessions, settings and credentials is there after any other has written too: tau, the
// reference and the version before it take turns on random files with fields that none of them knows.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { indexOf, run, selfCheck } from "../lib/agents.mjs";
import { writeRandomSession } from "../lib/any-session.mjs";
import { makeHome } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { randomFrom } from "../lib/random.mjs";
import { Rpc } from "../lib/rpc.mjs";
import { ask, conversation, MANAGERS, openIn, readSession, wire } from "../lib/sessions.mjs";

const NOWHERE = "http://127.0.0.1:9";
const PROGRAMS = ["tau", "reference", "previous"];
const SEEDS = [1, 2, 3, 4];

function homeFor(t, settings) {
	const home = makeHome({ origin: NOWHERE, settings });
	t.after(() => home.remove());
	return home;
}

describe("sessions", () => {
	for (const seed of SEEDS) {
		const random = randomFrom(seed);
		const writer = random.one(Object.keys(MANAGERS));
		const order = [...random.shuffled(PROGRAMS), "tau"];
		test(`${seed}: of the ${writer}, continued by ${order.join(", ")}`, async (t) => {
			const home = homeFor(t);
			const directory = join(home.agent, "sessions");
			const file = writeRandomSession(MANAGERS[writer], random, { work: home.work, directory });
			const written = readSession(file).slice(1);
			let expected;
			for (const [turn, program] of order.entries()) {
				const before = readFileSync(file);
				const next = await ask(program, home, "anthropic", [{ text: `Answer ${turn}.` }], ["--session", file, "-p", `Question ${turn}`]);
				assert.equal(next.code, 0, next.stderr);
				assert.ok(readFileSync(file).subarray(0, before.length).equals(before), `${program} only appends`);
				const said = conversation(next.bodies[0]);
				expected ??= said.slice(0, -1);
				expected.push(wire.anthropic.user(`Question ${turn}`));
				assert.deepEqual(said, expected, `the conversation of ${program}`);
				expected.push(wire.anthropic.assistant(`Answer ${turn}.`));
				for (const version of Object.keys(MANAGERS)) {
					assert.deepEqual(openIn(version, file).entries.slice(0, written.length), written, `the ${version} after ${program}`);
				}
			}
			const rpc = new Rpc("tau", home, ["--session", file]);
			try {
				const { data } = await rpc.send("get_entries");
				assert.deepEqual(data.entries, readSession(file).slice(1), "tau gives every entry as it is in the file");
			} finally {
				await rpc.close();
			}
		});
	}
});

/** What each program can write to settings: what it is called with, and the values that are there afterwards. */
const byPublished = async (version, home, { one, word, below }) => {
	const { SettingsManager } = await import(indexOf(version));
	const manager = SettingsManager.create(home.work, home.agent);
	const [level, name] = [one(["low", "high"]), `m${below(5)}`];
	const change = one([
		(settings) => (manager.setTheme(name), { ...settings, theme: name }),
		(settings) => {
			manager.setModelThinkingLevel("p", name, level);
			return { ...settings, modelThinkingLevels: { ...settings.modelThinkingLevels, [`p/${name}`]: level } };
		},
		(settings) => (manager.setDefaultModelAndProvider("p", name), { ...settings, defaultProvider: "p", defaultModel: name }),
		(settings) => {
			manager.setCompactionEnabled(level === "low");
			return { ...settings, compaction: { ...settings.compaction, enabled: level === "low" } };
		},
		(settings) => (manager.setEnabledModels([name, word()].slice(0, 1)), { ...settings, enabledModels: [name] }),
	]);
	const changed = change(JSON.parse(readFileSync(join(home.agent, "settings.json"), "utf8")));
	await manager.flush();
	assert.deepEqual(manager.drainErrors(), []);
	return changed;
};
const byTau = async (home, { one, value, below }) => {
	const settings = JSON.parse(readFileSync(join(home.agent, "settings.json"), "utf8"));
	const [group, key, given] = [one(["ours", "tau-notes"]), `k${below(4)}`, value()];
	const { code, stderr } = await run("tau", home, ["config", "set", `${group}.${key}`, JSON.stringify(given)]);
	assert.equal(code, 0, stderr);
	return { ...settings, [group]: { ...settings[group], [key]: given } };
};

describe("settings", { skip: selfCheck }, () => {
	for (const seed of SEEDS) {
		test(`${seed}: every program changes what it means to, and nothing else`, async (t) => {
			const random = randomFrom(seed);
			const unknown = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`unknown ${index}`, random.value(3)]));
			const compaction = { keepRecentTokens: 5, later: random.value() };
			const home = homeFor(t, { ...unknown, compaction, codemode: { mode: "on" }, defaultTools: ["+grep"] });
			for (const program of Array.from({ length: 12 }, () => random.one(PROGRAMS))) {
				const changed = program === "tau" ? await byTau(home, random) : await byPublished(program, home, random);
				assert.deepEqual(JSON.parse(readFileSync(join(home.agent, "settings.json"), "utf8")), changed, `after ${program}`);
			}
		});
	}
});

const LOGIN = fileURLToPath(new URL("../lib/extensions/oauth.mjs", import.meta.url));

describe("credentials", () => {
	for (const seed of SEEDS) {
		test(`${seed}: a refreshed login changes nothing else`, async (t) => {
			const random = randomFrom(seed);
			const home = homeFor(t);
			const path = join(home.agent, "auth.json");
			const others = {
				anthropic: { type: "api_key", key: "never-sent", env: { REGION: random.word() }, later: random.value() },
				"openai-codex": { type: "oauth", access: "a", refresh: "r", expires: 4e12, accountId: random.word(), later: random.value() },
				unknown: { type: "passkey", ...Object(random.value()) },
			};
			const login = { type: "oauth", access: "token", refresh: "again", expires: 0, scope: random.value(), note: random.word() };
			writeFileSync(path, JSON.stringify({ ...others, "loop-login": login }, null, 2), { mode: 0o600 });
			for (const [turn, program] of [...random.shuffled(PROGRAMS), ...random.shuffled(PROGRAMS)].entries()) {
				const before = JSON.parse(readFileSync(path, "utf8"));
				writeFileSync(path, JSON.stringify({ ...before, "loop-login": { ...before["loop-login"], expires: 0 } }));
				const server = await startLoopback([{ text: "In." }]);
				try {
					const args = ["-e", LOGIN, "--model", "loop-login/m", "--no-session", "-p", "Hi"];
					const { code, stdout, stderr } = await run(program, home, args, { env: { LOGIN_ORIGIN: server.origin }, stdin: "" });
					assert.deepEqual({ code, stdout }, { code: 0, stdout: "In.\n" }, stderr);
					const access = `token${"x".repeat(turn + 1)}`;
					const { headers } = server.requests[0];
					assert.equal(headers["x-api-key"] ?? headers.authorization, access, program);
					const { "loop-login": after, ...kept } = JSON.parse(readFileSync(path, "utf8"));
					assert.deepEqual(kept, others, `after ${program}`);
					assert.ok(after.expires > Date.now(), program);
					assert.deepEqual({ ...after, expires: 0 }, { ...login, access }, `after ${program}`);
				} finally {
					await server.close();
				}
			}
		});
	}

	test("a logout takes one away", async (t) => {
		for (const [program, args] of [["reference", ["auth", "logout", "gone"]], ["tau", ["-p", "/logout gone"]]]) {
			if (selfCheck && program === "tau") continue;
			const home = homeFor(t);
			const path = join(home.agent, "auth.json");
			const kept = { kept: { type: "api_key", key: "k", later: [1, null] } };
			writeFileSync(path, JSON.stringify({ gone: { type: "api_key", key: "g" }, ...kept }), { mode: 0o600 });
			const { code, stderr } = await run(program, home, args, { stdin: "" });
			assert.equal(code, 0, stderr);
			assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), kept, program);
		}
	});
});
