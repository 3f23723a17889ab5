// Long sessions, as whole processes: what a turn with a filter takes, what it takes to open one again, and what one more
// prompt takes in one that is open.

import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { newHome, PROGRAMS, rpc } from "../program.mjs";
import { call, say, startServer } from "../server.mjs";
import { megabytes, milliseconds, summary } from "../table.mjs";
import { both, each, mapped } from "./rounds.mjs";

const extension = (name) => fileURLToPath(new URL(`../files/${name}.ts`, import.meta.url));
const MB = 1e6;
/** The reference keeps a session in one string, which cannot be longer than half a gigabyte. */
const MOST_OF_REFERENCE = 400 * MB;

/** The most rounds: one of them takes seconds in the reference. */
const ROUNDS = 5;

export async function histories({ table, rounds: wanted }) {
	const rounds = Math.min(wanted, ROUNDS);
	const compare = (what, results, goals) => {
		table.compare(`${what}: processor time`, mapped(each(results, (run) => run.cpu), summary), milliseconds, goals.cpu);
		table.compare(`${what}: peak memory`, mapped(each(results, (run) => run.peakRss), summary), megabytes, goals.memory);
	};
	const measure = async (what, { answers, extensions = [], env = {}, history, goals, expect }) => {
		const server = await startServer(answers);
		const args = history ? (home) => ["--session", once(home, history)] : () => ["--no-session"];
		const options = (home) => ({ watched: true, env, args: args(home) });
		compare(what, await both({ rounds, origin: server.origin, extensions, options, expect }), goals);
		await server.close();
	};
	await measure("10 MB history, a filter, 5 turns", {
		answers: [...Array(4).fill(call("noop")), say("Done.")],
		extensions: ["handlers", "filter"].map(extension),
		env: { EVENT: "agent_start", HANDLERS: "0" },
		history: { kept: 10 * MB },
		goals: { cpu: { times: 7 }, memory: { times: 5 } },
	});
	await measure("resume of 100 MB, 8 MB in context", {
		answers: [say("Done.")],
		history: { before: 92 * MB, kept: 8 * MB },
		goals: { cpu: { times: 10 }, memory: { times: 4 } },
	});
	await measure("resume of 100 MB, all in context", {
		answers: [say("Done.")],
		history: { kept: 100 * MB },
		goals: { cpu: { times: 5 }, memory: { times: 2 } },
	});
	await measure("5,000 deltas, a handler", {
		answers: [say(...Array(5000).fill("some "))],
		extensions: [extension("deltas")],
		goals: { cpu: { times: 12 }, memory: {} },
		expect: "handled 25000",
	});
	await measure("10 tool calls, 5 observers", {
		answers: [call("noop", 10), say("Done.")],
		extensions: [extension("handlers")],
		env: { EVENT: "tool_call", HANDLERS: "5" },
		goals: { cpu: { times: 25 }, memory: {} },
		expect: "handled 10 in ",
	});
	await curve(table, rounds);
}

/** What one more prompt takes in an open session whose history stands behind a compaction. */
async function curve(table, rounds) {
	if (!existsSync("/proc/self/schedstat")) return console.log("The curve of one more prompt is measured where there is /proc.");
	const server = await startServer([say("Done.")]);
	let first;
	for (const size of [0.1, 1, 10, 100, 1000]) {
		const history = { before: size * MB, kept: 0.1 * MB };
		const results = {};
		for (const program of Object.keys(PROGRAMS)) {
			if (program === "reference" && history.before > MOST_OF_REFERENCE) continue;
			const home = newHome(server.origin);
			results[program] = [];
			for (let round = 0; round < rounds; round++) {
				results[program].push(await morePrompts(program, home, once(home, history)));
			}
			truncateSync(join(home.root, "history.jsonl"), 0);
		}
		const values = (pick) => mapped(each(results, pick), summary);
		const [cpu, memory] = [values((run) => run.cpu), values((run) => run.grown)];
		first ??= cpu.tau.median;
		const name = `one more prompt behind ${size} MB`;
		table.compare(`${name}: processor time`, cpu, milliseconds, { below: first * 1.2 });
		table.compare(`${name}: memory of the open session`, values((run) => run.rss), megabytes);
		table.compare(`${name}: memory that 20 prompts add`, memory, megabytes);
	}
	await server.close();
}

const PROMPTS = 20;

/** Opens a session over RPC and sends prompts; what each took but the first two. */
async function morePrompts(program, home, file) {
	const child = rpc(program, home, ["--session", file]);
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const prompt = async () => {
		child.stdin.write(`${JSON.stringify({ type: "prompt", message: "And?" })}\n`);
		for (;;) {
			const { value, done } = await lines.next();
			if (done) throw new Error(`${program} ended: ${child.told()}`);
			if (value.startsWith('{"type":"agent_settled"')) return;
		}
	};
	for (let warm = 0; warm < 2; warm++) await prompt();
	const [cpu, rss] = [spent(child.pid), resident(child.pid)];
	for (let count = 0; count < PROMPTS; count++) await prompt();
	const result = { cpu: (spent(child.pid) - cpu) / PROMPTS, rss, grown: Math.max(resident(child.pid) - rss, 1) };
	child.stdin.end();
	await new Promise((resolve) => child.once("close", resolve));
	return result;
}

/** Milliseconds of processor time of the threads of a process. */
function spent(pid) {
	const threads = readdirSync(`/proc/${pid}/task`);
	return threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]), 0) / 1e6;
}

function resident(pid) {
	return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) * 1024;
}

/** The session file of a home as it was before a run; made when it is first asked for. */
function once(home, history) {
	const file = join(home.root, "history.jsonl");
	home.history ??= write(file, history);
	truncateSync(file, home.history);
	return file;
}

/**
 * Writes a session file of questions, answers and messages of an extension, a third of the bytes each. What is `before`
 * stands behind a compaction; the rest is `kept`. Gives its size.
 */
function write(path, { before = 0, kept }) {
	const timestamp = "2026-01-01T00:00:00.000Z";
	const text = "All work and no play makes a long session. ".repeat(77);
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
	const from = { api: "anthropic-messages", provider: "loop-anthropic", model: "loop-a", usage, stopReason: "stop" };
	const content = [{ type: "text", text }];
	const file = openSync(path, "w");
	let [last, count, length] = [null, 0, 0];
	const add = (fields) => {
		const id = (count++).toString(16).padStart(8, "0");
		length += writeSync(file, `${JSON.stringify({ ...fields, id, parentId: last, timestamp })}\n`);
		last = id;
	};
	const message = (index) => {
		if (index % 3 === 0) add({ type: "message", message: { role: "user", content, timestamp: index } });
		if (index % 3 === 1) add({ type: "custom_message", customType: "note", content: text, display: true });
		if (index % 3 === 2) add({ type: "message", message: { role: "assistant", content, ...from, timestamp: index } });
	};
	const header = { type: "session", version: 3, id: "01a00000-0000-7000-8000-000000000000", timestamp, cwd: "/" };
	length += writeSync(file, `${JSON.stringify(header)}\n`);
	// Always whole thirds, so that what is kept begins with a question.
	for (let index = 0; length < before || index % 3 !== 0; index++) message(index);
	const firstKeptEntryId = count.toString(16).padStart(8, "0");
	for (let index = 0; length < before + kept || index % 3 !== 0; index++) message(index);
	if (before > 0) add({ type: "compaction", summary: "What was done.", firstKeptEntryId, tokensBefore: 1000 });
	closeSync(file);
	return statSync(path).size;
}
