// What the fixtures of a name say, in each format that has one.

const WHOLE = "Hello, wörld 🌍.\nSecond line.";
const CALLS = [{ name: "read", arguments: { path: "notes.txt" } }, { name: "read", arguments: { path: "other.txt" } }];

/**
 * `text`, `thinking` and `calls` are those of the first answer, `stop` is its reason. `status` is that of an answer without a
 * stream; `follows` says what the program asks for next. A client that reads a stream to its end accepts it if it is `whole`.
 * `of` has what is different in a format.
 */
export const CASES = {
	text: { text: WHOLE, stop: "stop", whole: true },
	thinking: { thinking: "Let me think.", text: WHOLE, stop: "stop", whole: true },
	redacted: { thinking: "[Reasoning redacted]", text: WHOLE, stop: "stop", whole: true },
	calls: { text: "I read both.", calls: CALLS, stop: "toolUse", whole: true, follows: ["text"] },
	"calls-in-one": { text: "I read both.", calls: CALLS, stop: "toolUse", whole: true, follows: ["text"] },
	"interleaved-calls": { text: "I read both.", calls: CALLS, stop: "toolUse", whole: true, follows: ["text"] },
	// A call whose arguments were cut off is never run.
	"cut-off": { text: "I write.", calls: [{ name: "write", arguments: {} }], stop: "length", follows: ["text"], of: { "google-generative-ai": { calls: [], follows: [] } } },
	malformed: { text: "I write.", stop: "error" },
	length: { text: "Hello, wörld 🌍", stop: "length", whole: true },
	refusal: { text: "I can", stop: "error", of: { "openai-responses": { text: "I cannot help with that.", stop: "stop" } } },
	filtered: { text: "I can", stop: "error" },
	blocked: { text: "", stop: "error" },
	image: { text: WHOLE, stop: "stop", whole: true },
	empty: { text: "", stop: "stop", whole: true },
	/** Events, fields and kinds of parts that nobody knows, comments, other ends of lines. */
	unknown: { text: WHOLE, stop: "stop", whole: true },
	"early-close": { text: "Hello", stop: "error" },
	dropped: { text: "Hello", stop: "error" },
	"stream-error": { text: "Hello", stop: "error" },
	failed: { text: "Hello", stop: "error" },
	throttled: { text: "Hello", stop: "error" },
	invalid: { text: "", stop: "error", status: 400, of: { "mistral-conversations": { status: 422 } } },
	unauthorized: { text: "", stop: "error", status: 401, of: { "google-generative-ai": { status: 400 }, "bedrock-converse-stream": { status: 403 } } },
	"rate-limit": { text: "", stop: "error", status: 429 },
	overloaded: { text: "", stop: "error", status: 503, of: { "anthropic-messages": { status: 529 } } },
	// Then a summary, that of the turn that is cut in two, and the answer to what was too long.
	overflow: { text: "", stop: "error", status: 400, follows: ["text", "text", "text"], long: true },
};

/** The case of a fixture in a format. */
export function caseOf(format, name) {
	const found = CASES[name];
	if (!found) throw new Error(`wire/cases.mjs does not say what "${name}" of ${format.fixtures} means`);
	return { thinking: "", calls: [], follows: [], ...found, ...found.of?.[format.fixtures] };
}

/** The fixtures that the server plays for a case, one for each request; an error is repeated as often as it is asked for. */
export function playedFor(format, name) {
	const { status, follows } = caseOf(format, name);
	return status && follows.length === 0 ? Array(8).fill(name) : [name, ...follows];
}

/** The text, thinking and calls of a message of the session. */
export function saidBy(message) {
	const parts = (type) => message.content.filter((block) => block.type === type);
	return {
		text: parts("text").map(({ text }) => text).join(""),
		thinking: parts("thinking").map(({ thinking }) => thinking).join(""),
		calls: parts("toolCall").map(({ name, arguments: args }) => ({ name, arguments: args })),
		stop: message.stopReason,
	};
}
