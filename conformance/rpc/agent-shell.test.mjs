// The Emacs client `agent-shell` drives `tau acp`: here are the messages that it sends, in its order and its form, without
// Emacs. It names its version of the protocol and itself, lists sessions before it opens one, answers questions before it
// cancels, and gives a reason with that. Every prompt must get its answer.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { commandOf, environmentOf, selfCheck } from "../lib/agents.mjs";
import { makeHome } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { FILES } from "../lib/scripts.mjs";

const bash = (id, command) => ({ toolCalls: [{ id, name: "bash", args: { command } }] });
const SCRIPT = [
	{ text: "Hello." },
	{ text: "After built-ins." },
	bash("wait", "sleep 60"),
	{ text: "After the stop." },
	{ text: "Behind the reload." },
	bash("gated", "echo gated"),
	{ text: "After the question." },
	{ text: "In a new session." },
	{ text: "From the command." },
];

const EXTENSION = `export default (pi) => {
	pi.registerCommand("quiet", { handler: async () => {} });
	pi.registerCommand("send", { handler: async () => { pi.sendUserMessage("Go on"); } });
	pi.registerCommand("ask", { handler: async (_, ctx) => { ctx.ui.notify(String(await ctx.ui.input("Name?"))); } });
	pi.on("tool_call", async ({ input }, ctx) => {
		if (input.command?.includes("gated") && !(await ctx.ui.confirm("Allow?", input.command))) return { block: true, reason: "no" };
	});
	pi.on("input", ({ text }) => (text === "swallow" ? { action: "handled" } : undefined));
};`;

/** The client's end: JSON lines, answers by id, questions answered by `answer`. */
class Emacs {
	updates = [];
	questions = [];
	strange = [];
	#watchers = new Set();
	#waiting = new Map();
	#id = 0;
	constructor(child) {
		this.child = child;
		createInterface({ input: child.stdout }).on("line", (line) => this.#hear(JSON.parse(line)));
		child.on("close", (code) => {
			for (const { reject } of this.#waiting.values()) reject(new Error(`tau ended with ${code}`));
		});
	}
	#write(message) {
		this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}
	#hear(message) {
		const { id, method, params, result, error } = message;
		if (method && id !== undefined) this.questions.push({ method, params, answer: (value) => this.#write({ id, result: value }) });
		else if (method === "session/update") this.updates.push(params.update);
		else if (this.#waiting.has(id)) {
			const { resolve, reject } = this.#waiting.get(id);
			this.#waiting.delete(id);
			if (error) reject(Object.assign(new Error(error.message), { code: error.code }));
			else resolve(result);
		} else if (method !== "$/cancel_request") this.strange.push(message);
		for (const look of [...this.#watchers]) look();
	}
	request(method, params) {
		const id = ++this.#id;
		this.#write({ method, id, params });
		return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
	}
	prompt(text) {
		return this.request("session/prompt", { sessionId: this.sessionId, prompt: [{ type: "text", text }] }).then(({ stopReason }) => stopReason);
	}
	cancel() {
		this.#write({ method: "session/cancel", params: { sessionId: this.sessionId, reason: "User cancelled" } });
	}
	/** Waits until `look` finds something. */
	until(look) {
		return new Promise((resolve) => {
			const watch = () => {
				const found = look();
				if (found === undefined) return;
				this.#watchers.delete(watch);
				resolve(found);
			};
			this.#watchers.add(watch);
			watch();
		});
	}
	said(from) {
		const chunks = this.updates.slice(from).filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk");
		return chunks.map(({ content }) => content.text).join("");
	}
}

describe("agent-shell", { skip: selfCheck }, () => {
	let server;
	let home;
	let emacs;
	before(async () => {
		server = await startLoopback(SCRIPT);
		home = makeHome({ origin: server.origin, files: FILES, settings: { defaultProvider: "loop-anthropic", defaultModel: "loop-a" } });
		mkdirSync(join(home.agent, "extensions"));
		writeFileSync(join(home.agent, "extensions/emacs.js"), EXTENSION);
		const [command, head] = commandOf("tau");
		emacs = new Emacs(spawn(command, [...head, "acp"], { cwd: home.work, env: environmentOf(home), stdio: ["pipe", "pipe", "inherit"] }));
		const { agentCapabilities } = await emacs.request("initialize", {
			clientInfo: { name: "agent-shell", title: "Emacs Agent Shell", version: "0.60.1" },
			protocolVersion: 1,
			clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, elicitation: { form: {} }, _meta: { terminal_output: true } },
		});
		assert.ok(agentCapabilities.loadSession && agentCapabilities.sessionCapabilities.list);
		assert.deepEqual(await emacs.request("session/list", { cwd: home.work }), { sessions: [] });
		const { sessionId, modes } = await emacs.request("session/new", { cwd: home.work, mcpServers: [] });
		emacs.sessionId = sessionId;
		await emacs.request("session/set_mode", { sessionId, modeId: modes.availableModes.at(-1).id });
		await emacs.request("session/set_config_option", { sessionId, configId: "model", value: "loop-anthropic/loop-a" });
	});
	after(async () => {
		emacs?.child.kill();
		await server?.close();
		home?.remove();
	});

	test("built-in commands end like prompts", async () => {
		assert.equal(await emacs.prompt("Say hello"), "end_turn");
		for (const text of ["/thinking", "/tree", "/name Work", "/session", "/settings", "/hotkeys", "/trust", "/model", "/export"]) {
			const from = emacs.updates.length;
			assert.equal(await emacs.prompt(text), "end_turn", text);
			assert.notEqual(emacs.said(from), "", text);
		}
		const from = emacs.updates.length;
		assert.equal(await emacs.prompt("And now?"), "end_turn");
		assert.equal(emacs.said(from), "After built-ins.");
	});

	test("a stop in the middle of a tool", async () => {
		const waiting = emacs.prompt("Wait");
		await emacs.until(() => emacs.updates.find(({ toolCallId, status }) => toolCallId === "wait" && status === "in_progress"));
		emacs.cancel();
		assert.equal(await waiting, "cancelled");
		assert.equal(await emacs.prompt("Go on"), "end_turn");
	});

	test("a prompt sent right behind a reload", async () => {
		const from = emacs.updates.length;
		assert.deepEqual(await Promise.all([emacs.prompt("/reload"), emacs.prompt("And now?")]), ["end_turn", "end_turn"]);
		assert.match(emacs.said(from), /^Reloaded\.[^]*Behind the reload\.$/);
	});

	test("a stop while a question is open, which is answered first", async () => {
		const waiting = emacs.prompt("Gate");
		const { method, answer } = await emacs.until(() => emacs.questions.shift());
		assert.equal(method, "session/request_permission");
		answer({ outcome: { outcome: "cancelled" } });
		emacs.cancel();
		assert.equal(await waiting, "cancelled");
		assert.equal(await emacs.prompt("Go on"), "end_turn");
	});

	test("forms, answered and left open", async () => {
		const from = emacs.updates.length;
		const answered = emacs.prompt("/ask");
		const form = await emacs.until(() => emacs.questions.shift());
		assert.equal(form.method, "elicitation/create");
		const names = Object.keys(form.params.requestedSchema.properties);
		form.answer({ action: "accept", content: Object.fromEntries(names.map((name) => [name, "Ada"])) });
		assert.equal(await answered, "end_turn");
		assert.match(emacs.said(from), /Ada/);
		const stopped = emacs.prompt("/ask");
		await emacs.until(() => emacs.questions.shift());
		emacs.cancel();
		assert.equal(await stopped, "cancelled");
	});

	test("a new session, commands that begin no run or one, and the session again", async () => {
		assert.equal(await emacs.prompt("/new"), "end_turn");
		assert.equal(await emacs.prompt("Begin again"), "end_turn");
		for (const text of ["swallow", "/quiet"]) assert.equal(await emacs.prompt(text), "end_turn", text);
		const from = emacs.updates.length;
		assert.equal(await emacs.prompt("/send"), "end_turn");
		assert.equal(emacs.said(from), "From the command.");
		assert.equal(server.stepsLeft(), 0);
		const { sessions } = await emacs.request("session/list", { cwd: home.work });
		assert.deepEqual(sessions.map(({ title }) => title), ["Begin again", "Work"]);
		const told = emacs.updates.length;
		await emacs.request("session/load", { sessionId: sessions[1].sessionId, cwd: home.work, mcpServers: [] });
		assert.match(emacs.said(told), /^Hello\./);
		assert.deepEqual(emacs.strange, []);
	});
});
