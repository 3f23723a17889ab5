// A session file for each format with everything that a conversation can hold.

import { FILES } from "../lib/scripts.mjs";

const TIME = "2026-01-01T00:00:00.000Z";
const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost: NO_COST };
const IMAGE = { type: "image", data: FILES["pixel.png"].toString("base64"), mimeType: "image/png" };

const text = (value, signature) => ({ type: "text", text: value, ...(signature ? { textSignature: signature } : {}) });
const thinking = (value, signature) => ({ type: "thinking", thinking: value, ...(signature ? { thinkingSignature: signature } : {}) });
const user = (...content) => ({ role: "user", content });
const result = (toolCallId, toolName, content, isError = false) => ({ role: "toolResult", toolCallId, toolName, content, isError });

/** Answers of the row's own model, and of others. */
function speakers(format) {
	const answer = (from) => (content, more = {}) => {
		const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
		return { role: "assistant", content, ...from, usage: USAGE, stopReason, ...more };
	};
	const own = { api: format.api, provider: format.provider, model: format.model.id };
	return {
		own: answer(own),
		sibling: answer({ ...own, model: "another-model" }),
		foreign: answer({ api: "openai-responses", provider: "elsewhere", model: "elsewhere-1" }),
		foreignAnthropic: answer({ api: "anthropic-messages", provider: "elsewhere", model: "elsewhere-2" }),
	};
}

/** A name for each history and its messages. */
export function histories(format) {
	const { own, sibling, foreign, foreignAnthropic } = speakers(format);
	const { signed } = format;
	const [first, second, third] = signed.calls;
	const call = (id, name, args) => ({ type: "toolCall", id, name, arguments: args, ...(signed.call ? { thoughtSignature: signed.call } : {}) });
	const plainCall = (id, name, args) => ({ type: "toolCall", id, name, arguments: args });
	return {
		"plain text": [user(text("Hello, wörld 🌍")), own([text("Hello.")])],
		"thinking and calls": [
			user(text("Look at both files."), IMAGE),
			own([thinking("I should look.", signed.thinking), text("I look twice.", signed.text), call(first, "read", { path: "notes.txt" }), call(second, "bash", { command: "exit 3" })]),
			result(first, "read", [text("Some notes.")]),
			result(second, "bash", [text("Command exited with code 3")], true),
			own([text("One has notes.", signed.text)]),
		],
		"images in results": [
			user(text("What is on it?")),
			own([call(first, "read", { path: "pixel.png" }), call(second, "read", { path: "pixel.png" })]),
			result(first, "read", [text("Read image file [image/png]"), IMAGE]),
			result(second, "read", [IMAGE]),
			own([call(third, "read", { path: "pixel.png" })]),
			result(third, "read", [text("It broke."), IMAGE], true),
			own([text("One pixel.")]),
		],
		"results without text": [
			user(text("Do both.")),
			own([call(first, "bash", { command: "true" }), call(second, "bash", { command: "echo" })]),
			result(first, "bash", []),
			result(second, "bash", [text(" \n")]),
			own([text("Done.")]),
		],
		...(format.redacted
			? {
					"redacted thinking": [
						user(text("Think.")),
						own([{ type: "thinking", thinking: "[Reasoning redacted]", thinkingSignature: format.redacted, redacted: true }, text("I did.")]),
					],
				}
			: {}),
		"thinking without a signature": [user(text("Think.")), own([thinking("I think."), text("I did.")]), user(text("More.")), own([thinking("Only thought.")])],
		"answers of other models": [
			user(text("One.")),
			sibling([thinking("A sibling thinks.", signed.thinking), text("A sibling speaks.", signed.text), call("call_of/a sibling", "read", { path: "notes.txt" })]),
			result("call_of/a sibling", "read", [text("Some notes.")]),
			foreign([
				thinking("A stranger thinks.", JSON.stringify({ id: "rs_9", type: "reasoning", summary: [], encrypted_content: "eA==" })),
				text("A stranger speaks.", JSON.stringify({ v: 1, id: "msg_9" })),
				plainCall(LONG_ID, "read", { path: "notes.txt" }),
			]),
			result(LONG_ID, "read", [text("Some notes.")]),
			foreignAnthropic([thinking("Another thinks.", "c2lnbmVk"), plainCall("toolu_9", "bash", { command: "ls" })]),
			result("toolu_9", "bash", [text("notes.txt")]),
			foreignAnthropic([{ type: "thinking", thinking: "[Reasoning redacted]", thinkingSignature: "c2VhbGVk", redacted: true }, text("All read.")]),
		],
		"answers that failed": [
			user(text("One.")),
			own([text("I was ab")], { stopReason: "aborted", errorMessage: "Request was aborted" }),
			user(text("Two.")),
			own([thinking("Hm.", signed.thinking)], { stopReason: "error", errorMessage: "500 broken" }),
			user(text("Three.")),
			own([text("I write."), call(first, "write", { path: "out.txt" })], { stopReason: "length" }),
			result(first, "write", [text("The call was cut off.")], true),
			own([text("I give up.")]),
		],
		"calls without results": [
			user(text("One.")),
			own([text("I look."), call(first, "read", { path: "notes.txt" }), call(second, "read", { path: "other.txt" })]),
			result(second, "read", [text("Some notes.")]),
			user(text("Two.")),
			own([call(third, "read", { path: "notes.txt" })]),
			user(text("Three.")),
			own([text("Never mind.")]),
		],
		"what is no plain message": [
			user(text("One.")),
			own([text("A."), text(""), text("B.")]),
			{ role: "bashExecution", command: "ls", output: "notes.txt\n", exitCode: 0, cancelled: false, truncated: false },
			user(text("")),
			own([]),
			user(text("Two.")),
			user(text("Three.")),
		],
		"arguments that were no JSON": [
			user(text("One.")),
			own([{ ...call(first, "bash", {}), argumentsError: 'Unexpected end of JSON input in {"command": "ls' }]),
			result(first, "bash", [text("The arguments are no JSON.")], true),
			own([text("Again, then.")]),
		],
	};
}

/** Some turns that a compaction can shorten. */
export function longHistory(format) {
	const { own } = speakers(format);
	return Array.from({ length: 5 }, (_, index) => [user(text(`Question ${index}. ${"Words. ".repeat(60)}`)), own([text(`Answer ${index}. ${"Words. ".repeat(60)}`)])]).flat();
}

/** An id as the Responses interface makes them, longer than others take. */
const LONG_ID = `call_${"0123456789".repeat(6)}|fc_${"abcdefghij".repeat(9)}+/=`;

/** The session file of a history, which chooses the model and its level. */
export function sessionFile(format, messages, level, number) {
	const id = `01a00000-0000-7000-8000-${String(number).padStart(12, "0")}`;
	const entries = [
		{ type: "model_change", provider: format.provider, modelId: format.model.id },
		{ type: "thinking_level_change", thinkingLevel: level },
		...messages.map((message, index) => ({ type: "message", message: { ...message, timestamp: 1700000000000 + index * 1000 } })),
	];
	const name = (index) => index.toString(16).padStart(8, "0");
	const lines = entries.map(({ type, ...fields }, index) => ({ type, id: name(index), parentId: index ? name(index - 1) : null, timestamp: TIME, ...fields }));
	return [{ type: "session", version: 3, id, timestamp: TIME, cwd: "/" }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}
