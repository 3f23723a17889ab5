// npm `pi-acp` puts an editor in front of pi by its RPC mode. Here the editor is a few lines, and pi is tau.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ClientSideConnection, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { commandOf, environmentOf } from "../lib/agents.mjs";
import { makeHome } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { FILES } from "../lib/scripts.mjs";

const GATE = fileURLToPath(new URL("../lib/extensions/gate.mjs", import.meta.url));
const ADAPTER = join(dirname(createRequire(import.meta.url).resolve("pi-acp/package.json")), "dist/index.js");

const SCRIPT = [
	{ text: ["Hello", " there."], usage: { input: 100, output: 5 } },
	{ toolCalls: [{ id: "call_r", name: "read", args: { path: "notes.txt" } }], usage: { input: 120, output: 5 } },
	{ text: "Three words.", usage: { input: 140, output: 5 } },
	{ toolCalls: [{ id: "call_b", name: "bash", args: { command: "sleep 60" } }], usage: { input: 150, output: 5 } },
	// The part of the conversation that is cut begins in the middle of a turn.
	{ text: "The summary.", usage: { input: 50, output: 5 } },
	{ text: "Of the turn.", usage: { input: 40, output: 5 } },
	{ text: "By another model." },
	{ text: "In a new session." },
];

/** An editor: keeps what it is told, and says yes. */
class Editor {
	updates = [];
	permissions = [];
	async sessionUpdate({ update }) {
		this.updates.push(update);
	}
	async requestPermission(params) {
		this.permissions.push(params);
		const yes = params.options.find(({ optionId }) => optionId === "yes");
		return { outcome: { outcome: "selected", optionId: yes.optionId } };
	}
	/** What the agent said since. */
	said(from) {
		const chunks = this.updates.slice(from).filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
		return chunks.map(({ content }) => content.text).join("");
	}
	async until(fits) {
		while (!this.updates.some(fits)) await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

describe("pi-acp", () => {
	let server;
	let home;
	let adapter;
	let agent;
	let sessionId;
	const editor = new Editor();
	const ask = (text) => agent.prompt({ sessionId, prompt: [{ type: "text", text }] });
	before(async () => {
		server = await startLoopback(SCRIPT);
		const settings = { defaultProvider: "loop-anthropic", defaultModel: "loop-a", compaction: { keepRecentTokens: 5 } };
		home = makeHome({ origin: server.origin, files: FILES, settings });
		mkdirSync(join(home.agent, "extensions"));
		copyFileSync(GATE, join(home.agent, "extensions/gate.js"));
		const bin = join(home.root, "bin");
		mkdirSync(bin);
		const program = (name, text) => {
			writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
			chmodSync(join(bin, name), 0o755);
		};
		const [command, head] = commandOf("tau");
		program("pi", `exec ${[command, ...head].map((word) => `'${word}'`).join(" ")} "$@"`);
		// It asks the registry for a newer version of pi.
		program("npm", "exit 1");
		adapter = spawn(process.execPath, [ADAPTER], {
			cwd: home.work,
			env: environmentOf(home, { PATH: `${bin}:${process.env.PATH}` }),
			stdio: ["pipe", "pipe", "inherit"],
		});
		const stream = ndJsonStream(Writable.toWeb(adapter.stdin), Readable.toWeb(adapter.stdout));
		agent = new ClientSideConnection(() => editor, stream);
		await agent.initialize({ protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
		({ sessionId } = await agent.newSession({ cwd: home.work, mcpServers: [] }));
	});
	after(async () => {
		adapter?.kill();
		await server?.close();
		home?.remove();
	});

	test("a prompt", async () => {
		const from = editor.updates.length;
		assert.deepEqual(await ask("Say hello"), { stopReason: "end_turn" });
		assert.match(editor.said(from), /Hello there\./);
	});

	test("a tool call, and a dialog before it", async () => {
		const from = editor.updates.length;
		assert.equal((await ask("What is in the notes?")).stopReason, "end_turn");
		assert.equal(editor.permissions.length, 1);
		assert.equal(editor.permissions[0].toolCall.title, "Allow?");
		const calls = editor.updates.slice(from).filter(({ toolCallId }) => toolCallId === "call_r");
		assert.equal(calls.at(-1).status, "completed");
		assert.match(JSON.stringify(calls.at(-1).content), /alpha/);
		assert.match(editor.said(from), /Three words\./);
	});

	test("a cancel", async () => {
		const waiting = ask("Wait");
		await editor.until(({ toolCallId, status }) => toolCallId === "call_b" && status === "in_progress");
		await agent.cancel({ sessionId });
		assert.equal((await waiting).stopReason, "cancelled");
	});

	test("a compaction", async () => {
		const from = editor.updates.length;
		assert.equal((await ask("/compact the notes")).stopReason, "end_turn");
		assert.match(editor.said(from), /Compaction completed\.[^]*The summary\./);
	});

	test("another model and another level", async () => {
		await agent.setSessionConfigOption({ sessionId, configId: "model", value: "loop-openai/loop-o" });
		await agent.setSessionMode({ sessionId, modeId: "low" });
		await ask("Who are you?");
		assert.equal(server.requests.at(-1).path, "/v1/chat/completions");
	});

	test("a new session, and the old one loaded again", async () => {
		const old = sessionId;
		({ sessionId } = await agent.newSession({ cwd: home.work, mcpServers: [] }));
		assert.notEqual(sessionId, old);
		const from = editor.updates.length;
		await ask("Begin again");
		assert.match(editor.said(from), /In a new session\./);
		const told = editor.updates.length;
		await agent.loadSession({ sessionId: old, cwd: home.work, mcpServers: [] });
		assert.match(editor.said(told), /By another model\./);
		assert.equal(server.stepsLeft(), 0);
	});
});
