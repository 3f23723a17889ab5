// tau and llama.cpp's own server: an answer as it comes, a context that is too long in the server's own words, recovery, and
// a stop in the middle.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeHome } from "../lib/home.mjs";
import { Rpc } from "../lib/rpc.mjs";

const python = process.env.TAU_LOCAL_PYTHON;
if (!python) throw new Error("TAU_LOCAL_PYTHON is not set: start the tests with conformance/local-server/run");

const script = (name) => fileURLToPath(new URL(name, import.meta.url));
const SENTENCE = "Hello from a tiny model. It says so word by another!";
const folder = mkdtempSync(join(tmpdir(), "tau-local-"));
const model = (kind) => join(folder, `${kind}.gguf`);

before(() => {
	for (const kind of ["short", "endless"]) {
		const { status, stderr } = spawnSync(python, [script("model.py"), model(kind), kind], { encoding: "utf8" });
		assert.equal(status, 0, stderr);
	}
});
after(() => rmSync(folder, { recursive: true }));

/** Starts a server with so large a context. */
async function serve(kind, tokens) {
	const child = spawn(python, [script("serve.py"), model(kind), String(tokens)], { stdio: ["pipe", "pipe", "pipe"] });
	let log = "";
	child.stderr.on("data", (chunk) => (log += chunk));
	const ended = new Promise((resolve) => child.on("close", resolve));
	for await (const line of createInterface({ input: child.stdout })) {
		return {
			origin: line,
			log: () => log,
			close: () => {
				child.stdin.end();
				return ended;
			},
		};
	}
	throw new Error(`the server did not start: ${log}`);
}

/** tau at the server. It takes the context for larger than it is, so that only the server can say so. */
function start(origin) {
	const home = makeHome({ origin, settings: { retry: { enabled: false }, compaction: { enabled: true, keepRecentTokens: 100 } } });
	const models = [{ id: "tiny", contextWindow: 100_000, maxTokens: 4000 }];
	const compat = { supportsStore: false, supportsDeveloperRole: false, supportsReasoningEffort: false, maxTokensField: "max_tokens" };
	const providers = { local: { baseUrl: `${origin}/v1`, api: "openai-completions", apiKey: "none", compat, models } };
	writeFileSync(join(home.agent, "models.json"), JSON.stringify({ providers }));
	const rpc = new Rpc("tau", home, ["--model", "local/tiny", "--no-tools", "--system-prompt", "Be brief."]);
	return { home, rpc };
}

const answersIn = (records) => records.filter(({ type, message }) => type === "message_end" && message.role === "assistant").map(({ message }) => message);
const textOf = (message) => message.content.map(({ text }) => text ?? "").join("");

for (const tokens of [2048, 8192]) {
	describe(`a context of ${tokens} tokens`, () => {
		let server, home, rpc;
		before(async () => {
			server = await serve("short", tokens);
			({ home, rpc } = start(server.origin));
		});
		after(async () => {
			rpc.child.kill("SIGKILL");
			await server.close();
			home.remove();
		});

		test("an answer comes piece by piece", async () => {
			const from = rpc.records.length;
			await rpc.prompt("Who are you?");
			const records = rpc.records.slice(from);
			const deltas = records.flatMap(({ assistantMessageEvent: event }) => (event?.type === "text_delta" ? [event.delta] : []));
			const [answer] = answersIn(records);
			assert.equal(textOf(answer), SENTENCE, answer.errorMessage);
			assert.equal(answer.stopReason, "stop");
			assert.equal(deltas.join(""), SENTENCE);
			assert.ok(deltas.length >= 5, `pieces: ${JSON.stringify(deltas)}`);
			assert.ok(answer.usage.output > 0 && answer.usage.input + answer.usage.cacheRead > 0, JSON.stringify(answer.usage));
		});

		test("a context that is too long is recognised by the server's words, shortened, and answered", async () => {
			// Two do not fit; one fits beside what asks for a summary of it.
			const words = "word and more of it ".repeat(tokens / 9);
			const from = rpc.records.length;
			for (let turn = 0; turn < 4; turn += 1) await rpc.prompt(`Turn ${turn}: ${words}`);
			const records = rpc.records.slice(from);
			const answers = answersIn(records);
			const refused = answers.filter(({ stopReason }) => stopReason === "error").map(({ errorMessage }) => errorMessage);
			assert.ok(refused.length > 0, "the server refused something");
			for (const message of refused) assert.match(message, new RegExp(`request \\(\\d+ tokens\\) exceeds the available context size \\(${tokens} tokens\\)`));
			const compactions = records.filter(({ type }) => type === "compaction_end");
			assert.deepEqual(compactions.map(({ reason, errorMessage }) => ({ reason, errorMessage })), refused.map(() => ({ reason: "overflow", errorMessage: undefined })));
			assert.equal(textOf(answers.at(-1)), SENTENCE);
		});
	});
}

describe("an answer without an end", () => {
	let server, home, rpc;
	before(async () => {
		server = await serve("endless", 32768);
		({ home, rpc } = start(server.origin));
	});
	after(async () => {
		rpc.child.kill("SIGKILL");
		await server.close();
		home.remove();
	});

	test("is stopped where it is, and so is the server", async () => {
		const from = rpc.records.length;
		const prompted = rpc.prompt("Who are you?");
		await rpc.record(({ assistantMessageEvent: event }) => event?.type === "text_delta", "the first piece", from);
		await rpc.send("abort");
		await prompted;
		const [answer] = answersIn(rpc.records.slice(from));
		assert.equal(answer.stopReason, "aborted");
		assert.ok(SENTENCE.startsWith(textOf(answer).slice(0, 5)) && textOf(answer).length > 0, textOf(answer));
		// The server has one place: it answers again only when the first answer is over.
		const again = rpc.records.length;
		const next = rpc.prompt("And now?");
		await rpc.record(({ assistantMessageEvent: event }) => event?.type === "text_delta", "a piece of the next answer", again);
		await rpc.send("abort");
		await next;
		assert.match(server.log(), /cancel task/);
	});
});
