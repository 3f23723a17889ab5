// pi's own client of RPC mode, of both versions, drives tau.

import assert from "node:assert/strict";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { environmentOf, indexOf } from "../lib/agents.mjs";
import { openRows, unlessOpen } from "../lib/differences.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { FILES } from "../lib/scripts.mjs";

const path = (name) => fileURLToPath(new URL(`../lib/${name}.mjs`, import.meta.url));

const SCRIPT = [
	{ text: ["Hello", " there."], usage: { input: 100, output: 5 } },
	{ text: "I look.", toolCalls: [{ id: "call_r", name: "read", args: { path: "notes.txt" } }], usage: { input: 120, output: 5 } },
	{ text: "Three words.", usage: { input: 140, output: 5 } },
	{ toolCalls: [{ id: "call_b", name: "bash", args: { command: "sleep 60" } }], usage: { input: 150, output: 5 } },
	// The part of the conversation that is cut begins in the middle of a turn.
	{ text: "The summary.", usage: { input: 50, output: 5 } },
	{ text: "Of the turn.", usage: { input: 40, output: 5 } },
	{ text: "By another model." },
	{ text: "On another way." },
	{ text: "In a new session." },
];

for (const version of ["reference", "previous"]) describe(`RpcClient of the ${version}`, () => {
	let server;
	let home;
	let client;
	const events = [];
	before(async () => {
		server = await startLoopback(SCRIPT);
		home = makeHome({ origin: server.origin, files: FILES, settings: { compaction: { keepRecentTokens: 5 } } });
		const { RpcClient } = await import(indexOf(version));
		client = new RpcClient({
			cliPath: path("launch"),
			cwd: home.work,
			model: MODELS.anthropic,
			args: ["--extension", path("extensions/gate")],
			// The client runs `node`.
			env: environmentOf(home, { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, TAU_BIN: process.env.TAU_BIN }),
		});
		client.onEvent((event) => {
			events.push(event);
			if (event.type === "extension_ui_request" && event.method === "confirm") {
				const answer = { type: "extension_ui_response", id: event.id, confirmed: true };
				client.process.stdin.write(`${JSON.stringify(answer)}\n`);
			}
		});
		await client.start();
	});
	after(async () => {
		await client?.stop();
		await server?.close();
		home?.remove();
	});
	/** While this is open, no more than the first test can be tried. */
	const skip = openRows("client").some(({ run }) => run === version);
	const kinds = (told) => told.map(({ type }) => type).filter((type) => type !== "message_update");

	test("a prompt", () =>
		unlessOpen("client", version, async () => {
			// The client would go on waiting for events after a prompt that fails.
			if (skip) return client.prompt("Say hello");
			const told = await client.promptAndWait("Say hello");
			assert.deepEqual(kinds(told).slice(0, 2), ["agent_start", "turn_start"]);
			assert.equal(await client.getLastAssistantText(), "Hello there.");
		}));

	test("a tool call, and a dialog before it", { skip }, async () => {
		const from = events.length;
		const told = await client.promptAndWait("What is in the notes?");
		assert.ok(kinds(told).includes("tool_execution_end"));
		const asked = events.slice(from).find(({ type }) => type === "extension_ui_request");
		assert.equal(asked.message, 'read {"path":"notes.txt"}');
		assert.equal(await client.getLastAssistantText(), "Three words.");
	});

	test("an abort", { skip }, async () => {
		await client.prompt("Wait");
		const started = () => events.some(({ type, toolCallId }) => type === "tool_execution_start" && toolCallId === "call_b");
		while (!started()) await new Promise((resolve) => setTimeout(resolve, 10));
		assert.equal((await client.getState()).isStreaming, true);
		await client.abort();
		assert.equal((await client.getState()).isStreaming, false);
	});

	test("a compaction", { skip }, async () => {
		const done = await client.compact("the notes");
		assert.match(done.summary, /The summary\./);
		assert.ok(kinds(events).includes("compaction_end"));
	});

	test("another model and another level", { skip }, async () => {
		const models = await client.getAvailableModels();
		assert.deepEqual(models.map(({ id }) => id), ["loop-a", "loop-o"]);
		assert.equal((await client.setModel("loop-openai", "loop-o")).id, "loop-o");
		await client.setThinkingLevel("low");
		await client.promptAndWait("Who are you?");
		assert.equal(server.requests.at(-1).path, "/v1/chat/completions");
		const { model, thinkingLevel } = await client.getState();
		assert.deepEqual([model.id, thinkingLevel], ["loop-o", "low"]);
		await assert.rejects(client.setModel("loop-openai", "nothing"), /Model not found: loop-openai\/nothing/);
	});

	test("a fork", { skip }, async () => {
		const points = await client.getForkMessages();
		assert.equal(points[0].text, "Say hello");
		assert.deepEqual(await client.fork(points[1].entryId), { text: "What is in the notes?", cancelled: false });
		await client.promptAndWait("Go another way");
		assert.equal(await client.getLastAssistantText(), "On another way.");
		const { entries, leafId } = await client.getEntries();
		assert.equal(entries.at(-1).id, leafId);
	});

	test("a new session", { skip }, async () => {
		const before = await client.getState();
		assert.deepEqual(await client.newSession(before.sessionFile), { cancelled: false });
		assert.notEqual((await client.getState()).sessionId, before.sessionId);
		await client.promptAndWait("Begin again");
		assert.equal(await client.getLastAssistantText(), "In a new session.");
		assert.deepEqual(await client.switchSession(before.sessionFile), { cancelled: false });
		assert.equal((await client.getState()).sessionId, before.sessionId);
	});

	test("the rest of what it can ask", { skip }, async () => {
		assert.equal((await client.bash("echo one")).output, "one\n");
		await client.setSessionName("Mine");
		assert.equal((await client.getState()).sessionName, "Mine");
		assert.equal((await client.getSessionStats()).userMessages, 2);
		assert.ok((await client.getTree()).tree.length > 0);
		assert.ok((await client.getMessages()).length > 0);
		assert.ok(Array.isArray(await client.getCommands()));
		assert.ok((await client.getAvailableThinkingLevels()).includes("low"));
		assert.deepEqual(await client.clearQueue(), { steering: [], followUp: [] });
		await client.setSteeringMode("all");
		await client.setAutoCompaction(false);
		const { level } = await client.cycleThinkingLevel();
		assert.equal((await client.getState()).thinkingLevel, level);
		const { model } = await client.cycleModel();
		assert.equal((await client.getState()).model.id, model.id);
		assert.match((await client.exportHtml()).path, /\.html$/);
		assert.deepEqual(await client.clone(), { cancelled: false });
		assert.equal(server.stepsLeft(), 0);
	});
});
