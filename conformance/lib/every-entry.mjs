// A session file with every type of entry, written by a published session
// manager: two branches, a compaction, context edits, labels.

import { FILES } from "./scripts.mjs";

const APIS = {
	anthropic: { api: "anthropic-messages", provider: "loop-anthropic", model: "loop-a" },
	openai: { api: "openai-completions", provider: "loop-openai", model: "loop-o" },
};

const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const USAGE = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost: COST };
const IMAGE = { type: "image", data: FILES["pixel.png"].toString("base64"), mimeType: "image/png" };
const text = (value) => ({ type: "text", text: value });

/**
 * Writes the file with the class `SessionManager` of a published version and returns its path and the ids of some entries.
 * `leaf` is "main" or "side": the branch on which the file ends.
 */
export function writeEveryEntry(SessionManager, { work, directory, format, leaf }) {
	let clock = 1700000000000;
	const now = () => (clock += 1000);
	const session = SessionManager.create(work, directory);
	const user = (content) => session.appendMessage({ role: "user", content, timestamp: now() });
	const assistant = (content, more = {}) =>
		session.appendMessage({
			role: "assistant",
			content,
			...APIS[format],
			usage: USAGE,
			stopReason: content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop",
			timestamp: now(),
			...more,
		});
	const toolResult = (toolCallId, toolName, content, more = {}) =>
		session.appendMessage({ role: "toolResult", toolCallId, toolName, content, isError: false, timestamp: now(), ...more });
	const call = (id, name, args) => ({ type: "toolCall", id, name, arguments: args });

	session.appendModelChange(APIS[format].provider, APIS[format].model);
	session.appendThinkingLevelChange("low");
	session.appendMessage({ role: "system", content: "A stored prompt.", toolsAdded: [], timestamp: now() });
	const forgotten = user("Words from before the compaction.");
	assistant([text("An answer from before the compaction.")]);
	session.appendSessionInfo("first name");
	const kept = user([text("The first kept question."), IMAGE]);
	assistant([
		{ type: "thinking", thinking: "Thoughts.", thinkingSignature: format === "anthropic" ? "c2ln" : "reasoning_content" },
		text("I look twice."),
		call("call_1", "read", { path: "pixel.png" }),
		call("call_2", "bash", { command: "exit 3" }),
	]);
	toolResult("call_1", "read", [text("Read image file [image/png]"), IMAGE]);
	toolResult("call_2", "bash", [text("(no output)\n\nCommand exited with code 3")], { isError: true, details: {} });
	assistant([text("One pixel.")]);
	session.appendCompaction("They talked about pixels.", kept, 1234, { readFiles: ["pixel.png"], modifiedFiles: [] });
	session.appendCustomEntry("state", { nested: { list: [1, null, "three"] }, "key with space": true });
	session.appendCustomMessageEntry("note", "A note for the model.", true, { shown: 1 });
	session.appendCustomMessageEntry("blocks", [text("A hidden note with a picture."), IMAGE], false);
	session.appendMessage({ role: "bashExecution", command: "ls", output: "notes.txt\n", exitCode: 0, cancelled: false, truncated: false, timestamp: now() });
	session.appendMessage({ role: "bashExecution", command: "false", output: "", exitCode: 1, cancelled: false, truncated: false, timestamp: now() });
	session.appendMessage({ role: "bashExecution", command: "env", output: "SECRET\n", exitCode: 0, cancelled: false, truncated: false, excludeFromContext: true, timestamp: now() });
	const crossroads = user("Where do we go?");
	const edited = assistant([text("Said before it was edited.")]);
	const omitted = user("A question that is left out.");
	assistant([text("An answer that stays.")]);
	session.appendContextEdit(edited, { content: "Said after it was edited." });
	session.appendContextEdit(omitted, null);
	assistant([text("Half a sen")], { stopReason: "aborted", errorMessage: "Request was aborted" });
	user("After the abort.");
	assistant([], { stopReason: "error", errorMessage: "529 overloaded" });
	session.appendUsage("cache_warm", APIS[format].provider, APIS[format].model, USAGE, "kept warm");
	session.appendLabelChange(crossroads, "crossroads");
	session.appendLabelChange(forgotten, "to be cleared");
	session.appendLabelChange(forgotten, undefined);
	session.appendSessionInfo("a session with everything");
	const mainLeaf = assistant([text("The end of the main branch.")]);

	session.branchWithSummary(crossroads, "The main branch ended well.", { readFiles: [], modifiedFiles: ["notes.txt"] });
	user("On the side branch.");
	session.appendThinkingLevelChange("high");
	const sideLeaf = assistant([text("The end of the side branch.")]);
	if (leaf === "main") {
		session.branch(mainLeaf);
		user("Back on the main branch.");
		assistant([text("Welcome back.")]);
	}
	return { file: session.getSessionFile(), crossroads, sideLeaf };
}

/** Types that the file must contain; a new type of the reference would have to be added above. */
export const ENTRY_TYPES = [
	"branch_summary",
	"compaction",
	"context_edit",
	"custom",
	"custom_message",
	"label",
	"message",
	"model_change",
	"session_info",
	"thinking_level_change",
	"usage",
];
