// The conversations that the tests replay.

import { fileURLToPath } from "node:url";

/** Files of the working directory that the conversations look at. */
export const FILES = {
	"notes.txt": "alpha\nbeta\ngamma\n",
	"pixel.png": Buffer.from(
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
		"base64",
	),
};

/** Two calls in one message, one of which fails; an edit; an answer. */
export const TOOLS = [
	{
		text: ["I will look ", "at the file."],
		toolCalls: [
			{ id: "call_read", name: "read", args: { path: "notes.txt" } },
			{ id: "call_bash", name: "bash", args: { command: "echo out; exit 3" } },
		],
	},
	{
		toolCalls: [
			{ id: "call_edit", name: "edit", args: { path: "notes.txt", edits: [{ oldText: "beta", newText: "BETA" }] } },
		],
	},
	{ text: ["The file ", "is changed."], usage: { cacheRead: 60, input: 40, output: 9 } },
];

export const THINKING = [
	{ thinking: ["First I ", "think."], signature: "c2lnbmF0dXJl", text: "Then I answer." },
	{ text: "A second answer." },
];

/** All but the last exchange is old enough to be summarised. */
const LITTLE = { compaction: { keepRecentTokens: 5 } };

const TOO_LONG = {
	type: "error",
	error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
};

/** Has a command that compacts, and waits until it is done. */
const COMPACTING = fileURLToPath(new URL("./extensions/compacting.mjs", import.meta.url));

/**
 * Name, arguments and answers of every run whose events and requests are compared.
 * `pending` says what tau does not do yet: the run is listed as open and compares nothing.
 */
export const SCENARIOS = [
	{ name: "a plain answer", script: [{ text: ["Hello", " there", "."] }], args: ["Say hello"] },
	{ name: "two tool calls, one failing, then an edit", script: TOOLS, args: ["Change beta"] },
	{ name: "thinking, and a second prompt", script: THINKING, args: ["--thinking", "high", "Think", "And again"] },
	{ name: "thinking off", script: [{ text: "Ok." }], args: ["--thinking", "off", "Go"] },
	{
		name: "an unknown tool",
		script: [{ toolCalls: [{ id: "call_u", name: "frobnicate", args: { a: 1 } }] }, { text: "There is none." }],
		args: ["Try it"],
	},
	{
		name: "invalid arguments",
		script: [
			{
				toolCalls: [
					{ id: "call_i", name: "read", args: { offset: "x" } },
					{ id: "call_j", name: "read", args: { path: "notes.txt", limit: 1 } },
				],
			},
			{ text: "Understood." },
		],
		args: ["Try it"],
	},
	{
		name: "arguments that end early",
		script: [
			{ toolCalls: [{ id: "call_e", name: "read", rawArgs: '{"path": "notes.txt", "limit":' }] },
			{ text: "Understood." },
		],
		args: ["Try it"],
	},
	{
		name: "an image read by a tool",
		script: [{ toolCalls: [{ id: "call_p", name: "read", args: { path: "pixel.png" } }] }, { text: "One pixel." }],
		args: ["Look"],
	},
	{
		name: "an image and a text file as arguments",
		script: [{ text: "Seen." }],
		args: ["@pixel.png", "@notes.txt", "What is it?"],
	},
	{ name: "piped input and a prompt", script: [{ text: "Read." }], args: ["Summarise"], stdin: "piped\nlines\n" },
	{
		// grep and find only as definitions: the reference runs external programs for them.
		name: "write and ls, with grep and find offered",
		script: [
			{ toolCalls: [{ id: "call_w", name: "write", args: { path: "sub/new.txt", content: "one\nneedle\n" } }] },
			{ toolCalls: [{ id: "call_l", name: "ls", args: {} }] },
			{ text: "Both work." },
		],
		args: ["--tools", "write,grep,find,ls", "Use them"],
	},
	{
		name: "an answer cut by the token limit",
		script: [{ text: "Cut o", stop: "max_tokens", usage: { output: 8192 } }],
		args: ["Talk"],
	},
	{
		// Fewer tokens than were asked for: the context was full, and the reference tries to make room.
		name: "an answer cut below the token limit",
		script: [{ text: "Cut o", stop: "max_tokens" }],
		args: ["Talk"],
	},
	{
		name: "a tool call cut by the token limit",
		script: [
			{ toolCalls: [{ id: "call_m", name: "bash", args: { command: "echo hi" } }], stop: "max_tokens" },
			{ text: "Again." },
		],
		args: ["Talk"],
	},
	{
		name: "a refused request",
		script: [{ error: { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "bad" } } } }],
		args: ["Hi"],
	},
	{
		name: "an overloaded provider that recovers",
		script: [
			{ error: { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } } },
			{ text: "Here I am." },
		],
		args: ["Hi"],
		settings: { retry: { baseDelayMs: 10 } },
	},
	{
		name: "a provider that stays overloaded",
		script: Array.from({ length: 2 }, () => ({
			error: { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } },
		})),
		args: ["Hi"],
		settings: { retry: { baseDelayMs: 10, maxRetries: 1 } },
	},
	{
		name: "a context that is nearly full",
		script: [
			{ text: "Three words.", usage: { input: 100, output: 5 } },
			{ text: "Nothing.", usage: { input: 190000, output: 5 } },
			{ text: "The summary.", unseen: true, usage: { input: 50, output: 5 } },
			{ text: "Fine.", usage: { input: 60, output: 5 } },
		],
		args: ["What is in the notes?", "And what follows?", "Go on."],
		settings: LITTLE,
	},
	{
		name: "a context that was too large",
		script: [
			{ text: "Three words.", usage: { input: 100, output: 5 } },
			{ error: { status: 400, body: TOO_LONG } },
			{ text: "The summary.", unseen: true, usage: { input: 50, output: 5 } },
			{ text: "Of the turn.", unseen: true, usage: { input: 40, output: 5 } },
			{ text: "Nothing.", usage: { input: 60, output: 5 } },
		],
		args: ["What is in the notes?", "And what follows?"],
		settings: LITTLE,
	},
	{
		name: "a context that stays too large",
		script: [
			{ text: "Three words.", usage: { input: 100, output: 5 } },
			{ error: { status: 400, body: TOO_LONG } },
			{ text: "The summary.", unseen: true, usage: { input: 50, output: 5 } },
			{ text: "Of the turn.", unseen: true, usage: { input: 40, output: 5 } },
			{ error: { status: 400, body: TOO_LONG } },
		],
		args: ["What is in the notes?", "And what follows?"],
		settings: LITTLE,
	},
	{
		name: "a compaction that an extension asks for",
		script: [
			{ text: "Three words.", usage: { input: 100, output: 5 } },
			{ text: "Nothing.", usage: { input: 120, output: 5 } },
			{ text: "The summary.", unseen: true, usage: { input: 50, output: 5 } },
			{ text: "Fine.", usage: { input: 60, output: 5 } },
		],
		args: ["--extension", COMPACTING, "What is in the notes?", "And what follows?", "/shrink the notes", "Go on."],
		settings: LITTLE,
	},
];
