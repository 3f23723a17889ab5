// Print mode: the same text on stdout, the same exit codes, the same prompts.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertSame } from "../lib/differences.mjs";
import { recordBoth } from "../lib/runs.mjs";
import { SCENARIOS, TOOLS } from "../lib/scripts.mjs";

const HELLO = [{ text: ["Hello", " there."] }];
const REFUSED = { error: { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "bad" } } } };

const RUNS = [
	{ name: "an answer", script: HELLO, args: ["Hi"] },
	{ name: "only the last answer after tools", script: TOOLS, args: ["Change beta"] },
	{ name: "several prompts", script: [{ text: "One." }, { text: "Two." }], args: ["First", "Second"] },
	{ name: "thinking is not printed", script: [{ thinking: "Hm.", text: "Hello." }], args: ["Hi"] },
	{ name: "a refused request", script: [REFUSED], args: ["Hi"] },
	{ name: "a refused request before a good one", script: [REFUSED, { text: "Two." }], args: ["First", "Second"] },
	{ name: "a good request before a refused one", script: [{ text: "One." }, REFUSED], args: ["First", "Second"] },
	{ name: "piped input only", script: HELLO, args: [], stdin: "piped\nlines\n" },
	{ name: "piped input and a prompt", script: HELLO, args: ["Summarise"], stdin: "  piped\nlines\n\n" },
	{ name: "empty piped input", script: HELLO, args: ["Hi"], stdin: "" },
	{ name: "a text file", script: HELLO, args: ["@notes.txt", "What is it?"] },
	{ name: "a text file without a prompt", script: HELLO, args: ["@notes.txt"] },
	{ name: "a text file, piped input, two prompts", script: [...HELLO, { text: "More." }], args: ["@notes.txt", "One", "Two"], stdin: "piped\n" },
	{ name: "an image", script: HELLO, args: ["@pixel.png", "What is it?"] },
	{ name: "a file that does not exist", script: [], args: ["@missing.txt", "What is it?"] },
	{ name: "no prompt", script: [], args: [] },
	{ name: "a prompt that begins with a dash", script: HELLO, args: ["--", "-v is a flag"] },
	{ name: "an unknown flag", script: [], args: ["--frobnicate", "Hi"] },
	{ name: "an unknown short flag", script: [], args: ["-z", "Hi"] },
	{ name: "an unknown session", script: [], args: ["--session", "00000000", "Hi"] },
	{ name: "an unknown model", script: [], args: ["--model", "no-such-provider/no-such-model", "Hi"] },
];

for (const run of RUNS) {
	test(run.name, async () => {
		const { reference, tau } = await recordBoth("anthropic", run, { mode: "text" });
		const outcome = ({ code, stdout, stderr, requests }) => ({
			code,
			stdout,
			silent: stderr === "",
			// What the model was asked, without the prompt and the tools.
			asked: requests.map(({ messages }) => messages),
		});
		assertSame("text", run.name, outcome(reference), outcome(tau), { run: run.name });
		assert.equal(reference.stepsLeft, 0, "the script fits the reference");
	});
}

// The words themselves are compared with the events of JSON mode.
describe("the error of a provider is told with its status and its message", () => {
	for (const format of ["anthropic", "openai"]) {
		test(format, async () => {
			const { reference, tau } = await recordBoth(format, { script: [REFUSED], args: ["Hi"] }, { mode: "text" });
			assert.match(reference.stderr, /400.*bad/s);
			assert.match(tau.stderr, / at 127\.0\.0\.1:\d+ answered with status 400 \(key from models\.json\): bad\n/);
		});
	}
});

describe("which tools are offered", () => {
	const offered = ({ requests }) => requests.map(({ tools = [] }) => tools.map(({ name }) => name));
	for (const args of [
		["--tools", "read,ls"],
		["--tools", "ls,read"],
		["--exclude-tools", "bash,edit"],
		["--no-tools"],
		["--no-builtin-tools"],
	]) {
		test(args.join(" "), async () => {
			// Without the extension that makes the reference sequential: it would count as a source of tools.
			const scenario = { script: HELLO, args: [...args, "Hi"] };
			const { reference, tau } = await recordBoth("anthropic", scenario, { mode: "text", parallel: true });
			assertSame("text", "tools", offered(reference), offered(tau));
		});
	}
});

test("every scenario has a name of its own", () => {
	for (const list of [RUNS, SCENARIOS]) assert.equal(new Set(list.map(({ name }) => name)).size, list.length);
});
