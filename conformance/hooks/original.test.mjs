// The same original hook in tau and in the last published version of the agent that had such hooks.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseLines, run, selfCheck } from "../lib/agents.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { normaliser } from "../lib/normalise.mjs";
import { Rpc } from "../lib/rpc.mjs";
import { call, say } from "./driver.mjs";

const helper = (name) => fileURLToPath(new URL(`helpers/${name}.ts`, import.meta.url));
const SUBJECT = selfCheck ? "original" : "tau";

const WORK = call(
	["c1", "bash", { command: "echo x > a.txt" }],
	["c2", "bash", { command: "exit 3" }],
	["c3", "bash", { command: "echo out" }],
	["c4", "read", { path: "a.txt" }],
	["c5", "nothing", {}],
);
const [PROVIDER] = MODELS.anthropic.split("/");
const ARGS = ["--provider", PROVIDER, "--model", MODELS.anthropic.split("/")[1]];

/** Runs a hook in a program; what it wrote down, and what `drive` gives. */
async function record(program, hook, script, { env = {}, mode, drive }) {
	const server = await startLoopback(script);
	const home = makeHome({ origin: server.origin, settings: { compaction: { keepRecentTokens: 5 } } });
	const file = join(home.root, "recorded.jsonl");
	const args = [...ARGS, "--hook", helper(hook)];
	try {
		let driven;
		if (mode) driven = await run(program, home, [...args, ...mode], { env: { ...env, RECORDED: file }, stdin: "" });
		else {
			const rpc = new Rpc(program, home, args, { env: { ...env, RECORDED: file } });
			try {
				driven = await drive(new Client(program, rpc));
				rpc.child.stdin.end();
				// The original does not end by itself.
				if (program === "original") rpc.child.kill("SIGTERM");
				await rpc.ended;
			} finally {
				rpc.child.kill("SIGKILL");
			}
		}
		const normalise = normaliser(home, server.origin);
		return { records: existsSync(file) ? parseLines(readFileSync(file, "utf8")).map(normalise) : [], driven: normalise(driven) };
	} finally {
		await server.close();
		home.remove();
	}
}

/** The commands of both protocols that mean the same. */
class Client {
	constructor(program, rpc) {
		this.isOriginal = program === "original";
		this.rpc = rpc;
	}
	/** Whether a hook was against it, or what went wrong. The original loses the name of a command that failed. */
	async #done(type, args) {
		const lost = "Failed to parse command: ";
		const from = this.rpc.records.length;
		const failed = this.rpc.record(({ command }) => command === "parse", "a failure", from);
		failed.catch(() => {});
		const { success, data, error } = await Promise.race([this.rpc.send(type, args), failed]);
		return success ? Boolean(data?.cancelled) : error.replace(lost, "");
	}
	async prompt(message) {
		const from = this.rpc.records.length;
		await this.rpc.send("prompt", { message });
		await this.rpc.event(this.isOriginal ? "agent_end" : "agent_settled", from);
	}
	async file() {
		return (await this.rpc.send("get_state")).data.sessionFile;
	}
	async branch(number) {
		const { messages } = (await this.rpc.send(this.isOriginal ? "get_branch_messages" : "get_fork_messages")).data;
		const { entryIndex, entryId } = messages[number];
		return this.isOriginal ? this.#done("branch", { entryIndex }) : this.#done("fork", { entryId });
	}
	clear() {
		return this.#done(this.isOriginal ? "reset" : "new_session");
	}
	switchTo(sessionPath) {
		return this.#done("switch_session", { sessionPath });
	}
	compact() {
		return this.#done("compact");
	}
}

async function both(...args) {
	return Promise.all(["original", SUBJECT].map((program) => record(program, ...args)));
}

/** Entries by what they are of the conversation, messages without what newer versions say of them. */
function comparable({ event, context }) {
	const copy = structuredClone(event);
	if (copy.entries) {
		copy.entries = copy.entries.filter(({ type }) => ["session", "message"].includes(type)).map(({ type, message }) => message?.role ?? type);
	}
	for (const message of [copy.message, ...(copy.messages ?? []), ...(copy.toolResults ?? [])].filter(Boolean)) {
		for (const name of NEWER) delete message[name];
	}
	return { event: copy, context };
}

/** What both keep in their own way: how they count and price tokens and time, and where an answer came from. */
const NEWER = ["usage", "timestamp", "details", "responseId", "rawStopReason", "durationMs", "thinkingLevel"];

/** Everything that the original told is told, in the same order; there may be more to an event. */
function assertTold(actual, expected) {
	const names = ({ event }) => event.type;
	assert.deepEqual(actual.map(names), expected.map(names));
	const told = actual.map(({ event, context }, index) => {
		const same = Object.keys(expected[index].event).map((name) => [name, event[name]]);
		return { event: Object.fromEntries(same), context };
	});
	assert.deepEqual(told, expected);
}

/** What is heard last of a run. */
const LAST = ["turn_start", "turn_end", "agent_end"];

/** As hooks of the first versions were told: not before anything, and after a branch as after every other switch. */
function earlier(records) {
	const known = records.filter(({ event }) => !["before_clear", "before_switch", "before_branch"].includes(event.reason));
	return known.map(({ event, context }) => {
		if (event.reason !== "branch") return { event, context };
		const { targetTurnIndex, ...rest } = event;
		return { event: { ...rest, reason: "switch" }, context };
	});
}

describe("what a hook is told", () => {
	for (const [name, mode] of [["print", ["-p", "Hi"]], ["json", ["--mode", "json", "Hi"]]]) {
		test(`${name} mode`, async () => {
			const [original, tau] = await both("recorder", [WORK, say("Done.")], { mode });
			// The original may end before its hooks have heard everything.
			const heard = original.records.length;
			assert.ok(heard > 8, "the original ran");
			assertTold(tau.records.slice(0, heard).map(comparable), original.records.map(comparable));
			const rest = tau.records.slice(heard).map(({ event }) => event.type);
			if (!selfCheck) assert.deepEqual(rest, LAST.slice(LAST.length - rest.length));
		});
	}
	describe("RPC mode", () => {
		let original;
		let tau;
		const drive = async (client) => {
			await client.prompt("Hi");
			const first = await client.file();
			await client.prompt("Second?");
			const done = [await client.branch(1)];
			await client.prompt("Other");
			done.push(await client.clear(), await client.switchTo(first));
			return done;
		};
		before(async () => {
			[original, tau] = await both("recorder", [WORK, say("Done."), say("Second."), say("Third.")], { drive });
			assert.ok(original.records.length > 20, "the original ran");
		});
		test("the answers", () => assert.deepEqual(tau.driven, original.driven));
		test("events, their order and their contents", () => {
			assertTold(earlier(tau.records.map(comparable)), earlier(original.records.map(comparable)));
		});
	});
});

describe("reasons of the last versions", () => {
	const SCRIPT = [say("In the harbour."), say("In the shed."), { ...say("A summary."), unseen: true }, say("Three.")];
	const drive = async (client) => {
		await client.prompt("Where is the boat?");
		const first = await client.file();
		await client.prompt("And where are the oars?");
		const done = [await client.compact(), await client.branch(0), await client.clear()];
		await client.prompt("Third");
		done.push(await client.switchTo(first));
		return done;
	};
	for (const against of ["", "before_compact", "before_branch", "before_clear", "before_switch"]) {
		test(against ? `against ${against}` : "all of them", async () => {
			const script = against === "before_compact" ? SCRIPT.toSpliced(2, 1) : SCRIPT;
			const [original, tau] = await both("reasons", script, { drive, env: { AGAINST: against } });
			assert.ok(original.records.length > 4, "the original ran");
			// tau ends by itself and says so; the original does not in this mode.
			const told = tau.records.filter(({ reason }) => reason !== "shutdown");
			assert.deepEqual(told.map(({ reason, known, target }) => [reason, known, target]), original.records.map(({ reason, known, target }) => [reason, known, target]));
			for (const [index, { reason, brought, compaction }] of original.records.entries()) {
				const same = Object.keys(brought).map((name) => [name, told[index].brought[name]]);
				assert.deepEqual(Object.fromEntries(same), brought, reason);
				for (const name of compaction ?? []) assert.ok(told[index].compaction.includes(name), `${reason}: ${name}`);
			}
			assert.equal(tau.records.length - told.length, selfCheck ? 0 : 1);
			assert.deepEqual(tau.driven, original.driven);
		});
	}
});
