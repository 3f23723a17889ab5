// A random session file: entries of a published session manager, with fields of today's and of later versions.

import { readFileSync, writeFileSync } from "node:fs";
import { parseLines } from "./agents.mjs";

const MODEL = { api: "anthropic-messages", provider: "loop-anthropic", model: "loop-a" };
const USAGE = {
	input: 10,
	output: 5,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: 15,
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0, totalFromProvider: false },
};
const text = (value) => ({ type: "text", text: value });

/** What later versions add to messages; versions before them have to leave it alone. */
const NEWS = {
	assistant: ({ value }) => ({ thinkingLevel: "high", durationMs: 12, providerThinkingLevel: "medium", later: value() }),
	toolResult: ({ value, word }) => ({
		durationMs: 3,
		nestedCalls: { calls: [{ id: "call/1", name: word(), status: "ok", arguments: { a: value() }, durationMs: 1 }], complete: true },
		later: value(),
	}),
	user: ({ value }) => ({ later: value() }),
};

/** Writes the file with the class `SessionManager` and returns its path. */
export function writeRandomSession(SessionManager, random, { work, directory }) {
	const { below, one, value, word } = random;
	let clock = 1_700_000_000_000;
	const now = () => (clock += 1000);
	const session = SessionManager.create(work, directory);
	const ids = [];
	const message = (fields) => ids.push(session.appendMessage({ ...fields, timestamp: now() }));
	const assistant = (content, stopReason = "stop") => message({ role: "assistant", content, ...MODEL, usage: USAGE, stopReason });
	const said = () => `Said: ${word()}`;
	const kinds = [
		() => (message({ role: "user", content: [text(said())] }), assistant([text(said())])),
		() => {
			const id = `call_${ids.length}`;
			message({ role: "user", content: [text(said())] });
			const call = { type: "toolCall", id, name: "read", arguments: { path: word(), later: value() } };
			assistant([{ type: "thinking", thinking: said(), thinkingSignature: "c2ln" }, text(said()), call], "toolUse");
			message({ role: "toolResult", toolCallId: id, toolName: "read", content: [text(said())], isError: below(2) === 0, details: value() });
			assistant([text(said())]);
		},
		() => session.appendCustomEntry("state", value(3)),
		() => session.appendCustomEntry("pi.virtual-model-state", { provider: "p", modelId: "m", state: value() }),
		() => session.appendCustomMessageEntry("note", said(), below(2) === 0, value()),
		() => session.appendSessionInfo(said().trim()),
		() => session.appendThinkingLevelChange(one(["low", "high"])),
		() => ids.length > 0 && session.appendLabelChange(one(ids), said()),
		() => message({ role: "system", content: "A stored prompt.", toolsAdded: [], timestamp: now() }),
	];
	kinds[0]();
	for (let count = 10 + below(10); count > 0; count -= 1) one(kinds)();
	kinds[0]();
	const file = session.getSessionFile();
	const lines = parseLines(readFileSync(file, "utf8")).map((entry, index) => {
		if (index === 0) return entry;
		const news = NEWS[entry.message?.role]?.(random);
		return { ...entry, ...(news && { message: { ...entry.message, ...news } }), "later field": value() };
	});
	writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	return file;
}
