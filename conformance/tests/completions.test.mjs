// The bodies that servers of Chat Completions get from tau are those that they get from the reference. The Rust test
// `wire::providers` makes tau's and keeps them in a snapshot.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { PACKAGES } from "../lib/agents.mjs";

const wire = new URL("../../crates/ai/tests/wire/", import.meta.url);
const { tools, conversation, servers } = JSON.parse(readFileSync(new URL("providers.json", wire), "utf8"));

/** Texts of one's own, in the place of the reference's. */
const OWN_WORDS = new Map([["I have processed the tool results.", "Tool results received."]]);
const AFFINITY = /^(session_id|x-session-id|x-session-affinity|x-client-request-id)$/;

/** The bodies of the snapshot, by what stands above each. */
function ours() {
	const [, , text] = readFileSync(new URL("snapshots/it__wire__providers__providers.snap", wire), "utf8").split(/^---\n/m);
	const lines = text.trimEnd().split("\n");
	return new Map(lines.flatMap((line, at) => (at % 2 ? [] : [[line, JSON.parse(lines[at + 1])]])));
}

const chunks = `${PACKAGES.reference}/dist/bundle/chunks`;
const file = readdirSync(chunks).find((name) => name.startsWith("openai-completions-"));
const { streamSimple } = await import(`${chunks}/${file}`);

let sent;
const server = createServer(async (request, response) => {
	let body = "";
	for await (const piece of request) body += piece;
	sent = { body: JSON.parse(body), headers: request.headers };
	response.writeHead(200, { "content-type": "text/event-stream" });
	response.end('data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
});
before(() => new Promise((listening) => server.listen(0, "127.0.0.1", listening)));
after(() => server.close());

/** What the reference sends to a server. */
async function theirs({ provider, host = "", id = "m", model, cache = "short", tools: has = true }, level) {
	const base = {
		id, name: id, api: "openai-completions", provider, baseUrl: `http://127.0.0.1:${server.address().port}/${host}/v1`,
		reasoning: true, input: ["text", "image"], contextWindow: 200_000, maxTokens: 8192,
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	};
	const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: {} };
	const said = (message) => (message.role === "assistant" ? { ...message, provider, model: id, usage } : message);
	const system = { role: "system", content: [{ type: "text", text: "Be brief." }], timestamp: 0 };
	if (has) system.toolsAdded = structuredClone(tools);
	const options = { apiKey: "key", sessionId: "session-1", cacheRetention: cache };
	if (level !== "off") options.reasoning = level;
	for await (const event of streamSimple({ ...base, ...model }, { messages: [system, ...conversation.map(said)] }, options)) {
		assert.notEqual(event.type, "error", event.error?.errorMessage);
	}
	const words = (message) => ({ ...message, content: OWN_WORDS.get(message.content) ?? message.content });
	const headers = Object.entries(sent.headers).filter(([name]) => AFFINITY.test(name));
	return {
		...sent.body,
		messages: sent.body.messages.map(words),
		...Object.fromEntries(headers.map(([name, value]) => [`header ${name}`, value])),
	};
}

const bodies = ours();
for (const entry of servers) {
	for (const level of ["off", "high"]) {
		const name = `${entry.name}, thinking ${level}`;
		test(name, async () => assert.deepEqual(bodies.get(name), await theirs(entry, level)));
	}
}
