// Examples about sessions: what replaces them, what guards them, what compacts them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseLines } from "../../lib/agents.mjs";
import { MODELS } from "../../lib/home.mjs";
import { say } from "../driver.mjs";

const DONE = say("Done.");

/** All but the last exchange is old enough to be summarised. */
const LITTLE = { compaction: { keepRecentTokens: 5 } };

const texts = (seen) => seen.ui("notify").map(([text]) => text);
const went = (seen) => seen.records(({ went, cancelled }) => went && [went, cancelled]);
const header = (path) => parseLines(readFileSync(path, "utf8"))[0];

const REPOSITORY = "git init -q .; git config user.email a@b; git config user.name n; echo one > f; git add .; git commit -qm first; echo two > f";
const COMMIT = "git add .; git commit -qm changes";
const NO = "No, let me commit first";
const YES = "Yes, proceed anyway";
const OTHERS = ["/go new", "/go first", "/go fork"];

const guard = (what, more) => ({ example: "dirty-repo-guard", what, sessions: true, setup: REPOSITORY, script: [DONE], ...more });
const confirm = (what, more) => ({ example: "confirm-destructive", what, sessions: true, ...more });

/** A session that is left with `before`, and one compaction of it. */
const summarised = (what, more) => ({
	example: "custom-compaction",
	what,
	sessions: true,
	agentSettings: LITTLE,
	prompts: ["Where is the boat?", "And the oars?", "/go compact", "Go on"],
	...more,
});

const GEMINI = {
	id: "gemini-2.5-flash",
	name: "Gemini",
	reasoning: false,
	input: ["text"],
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	contextWindow: 200000,
	maxTokens: 8192,
};
/** The provider of the example's model, played by the loopback server in a format that it speaks. */
const google = (origin) => ({
	providers: { google: { baseUrl: origin, api: "anthropic-messages", apiKey: "google-key", models: [GEMINI] } },
});

const CONVERSATION = [say("In the harbour."), say("In the shed.")];
const summaryOf = (seen) => seen.entries("compaction").map(({ summary, fromHook = false }) => [summary.trim().split("\n").at(-1), fromHook]);

const handoff = (what, more) => ({
	example: "handoff",
	what,
	prompts: ["Where is the boat?", "/handoff paint the boat", "Do it"],
	...more,
});

const interactive = (what, command, more) => ({
	example: "interactive-shell",
	what,
	terminal: true,
	prompts: [`/bash ${command}`],
	...more,
});

export const SESSION_CASES = [
	guard("keeps the session while there are changes", {
		prompts: ["Hi", ...OTHERS],
		check(seen) {
			assert.deepEqual(went(seen), [["new", true], ["first", true], ["fork", true]]);
			assert.equal(seen.home.sessions().length, 1);
			assert.deepEqual(seen.probed("session_start"), ["startup"]);
		},
	}),
	guard("lets a clean repository go", {
		setup: `${REPOSITORY}; ${COMMIT}`,
		prompts: ["Hi", ...OTHERS],
		check(seen) {
			assert.deepEqual(went(seen), [["new", false], ["first", false], ["fork", false]]);
			assert.deepEqual(seen.probed("session_start"), ["startup", "new", "resume", "fork"]);
		},
	}),
	guard("asks in a terminal", {
		terminal: true,
		prompts: ["Hi", "/go fork", "/go new", "/go first", "/go first"],
		answers: { select: [NO, YES, NO, YES] },
		check(seen) {
			const asked = seen.ui("select").map(([question]) => question);
			const actions = ["fork", "new session", "switch session", "switch session"];
			assert.deepEqual(asked, actions.map((what) => `You have 1 uncommitted file(s). ${what} anyway?`));
			assert.deepEqual(seen.ui("notify"), [["Commit your changes first", "warning"], ["Commit your changes first", "warning"]]);
			assert.deepEqual(went(seen), [["fork", true], ["new", false], ["first", true], ["first", false]]);
		},
	}),

	confirm("is silent without a terminal", {
		prompts: ["Hi", ...OTHERS],
		script: [DONE],
		check(seen) {
			assert.deepEqual(went(seen), [["new", false], ["first", false], ["fork", false]]);
			assert.deepEqual([seen.ui("confirm"), seen.ui("select")], [[], []]);
		},
	}),
	confirm("asks before the session is left or forked", {
		terminal: true,
		prompts: ["Hi", "/go fork", "/go new", "/go first", "/go first", "/go fork", "/go new"],
		script: [DONE],
		answers: { select: ["No, stay in current session", "Yes, create fork"], confirm: [false, false, true, true] },
		check(seen) {
			assert.deepEqual(went(seen), [["fork", true], ["new", true], ["first", true], ["first", false], ["fork", false], ["new", false]]);
			const user = seen.entries("message").find(({ message }) => message.role === "user");
			assert.equal(seen.ui("select")[0][0], `Fork from entry ${user.id.slice(0, 8)}?`);
			const [clear, switches] = ["Clear session?", "Switch session?"];
			assert.deepEqual(seen.ui("confirm").map(([title]) => title), [clear, switches, switches, clear]);
			assert.deepEqual(texts(seen), ["Fork cancelled", "Clear cancelled", "Switch cancelled"]);
			assert.deepEqual(seen.probed("session_start"), ["startup", "resume", "fork", "new"]);
		},
	}),

	summarised("lets another model summarise everything", {
		redirect: google,
		// Asks the registry for a key in a way that the reference no longer knows.
		unlessReference: "first",
		script: [...CONVERSATION, say("A boat in the harbour, oars in the shed."), DONE],
		check(seen) {
			const request = seen.requests[2];
			assert.equal(request.body.model, "gemini-2.5-flash");
			assert.equal(request.headers["x-api-key"], "google-key");
			assert.equal(request.body.max_tokens, 8192);
			assert.match(seen.user(2), /<conversation>\n\[User\]: Where is the boat\?\n\n\[Assistant\]: In the harbour\.\n<\/conversation>/);
			assert.deepEqual(summaryOf(seen), [["A boat in the harbour, oars in the shed.", true]]);
			assert.deepEqual(seen.probe("compacted"), [true]);
			assert.match(seen.messages(3), /A boat in the harbour, oars in the shed\./);
			assert.doesNotMatch(seen.messages(3), /Where is the boat/);
			assert.equal(texts(seen)[0], "Custom compaction extension triggered");
			assert.match(texts(seen)[1], /^Custom compaction: summarizing \d+ messages \([\d,]+ tokens\) with gemini-2\.5-flash\.\.\.$/);
		},
	}),
	summarised("leaves it to the agent when that model fails", {
		redirect: google,
		unlessReference: "first",
		script: [...CONVERSATION, { error: { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "No." } } } }, say("The agent's summary."), DONE],
		check(seen) {
			assert.deepEqual(seen.requests.map(({ body }) => body.model).slice(2), ["gemini-2.5-flash", "loop-a", "loop-a"]);
			assert.deepEqual(summaryOf(seen), [["The agent's summary.", false]]);
			assert.deepEqual(seen.probe("compacted"), [false]);
		},
	}),

	{
		example: "trigger-compact",
		what: "compacts on request",
		sessions: true,
		agentSettings: LITTLE,
		prompts: ["Where is the boat?", "And the oars?", "/trigger-compact keep the oars", "/go compacted", "Go on"],
		script: [...CONVERSATION, say("Oars."), DONE],
		check(seen) {
			assert.match(seen.user(2), /keep the oars/);
			assert.deepEqual(summaryOf(seen), [["Oars.", false]]);
			assert.match(seen.messages(3), /Oars\./);
			assert.doesNotMatch(seen.messages(3), /Where is the boat/);
			assert.deepEqual(texts(seen), []);
		},
	},
	{
		example: "trigger-compact",
		what: "compacts when the context has grown past its threshold",
		sessions: true,
		terminal: true,
		agentSettings: LITTLE,
		prompts: ["Where is the boat?", "And the oars?", "/go compacted", "Go on"],
		script: [CONVERSATION[0], { ...CONVERSATION[1], usage: { input: 120000, output: 5 } }, say("Oars."), DONE],
		check(seen) {
			const [start] = seen.events.filter(({ type }) => type === "compaction_start");
			assert.equal(start.reason, "manual");
			assert.deepEqual(summaryOf(seen), [["Oars.", false]]);
			assert.deepEqual(texts(seen), ["Compaction started", "Compaction completed"]);
			assert.doesNotMatch(seen.messages(3), /Where is the boat/);
		},
	},

	handoff("needs a terminal", {
		script: [DONE, DONE],
		check(seen) {
			assert.deepEqual(seen.ui("notify"), [["handoff requires interactive mode", "error"]]);
			assert.equal(seen.home.sessions().length, 1);
		},
	}),
	handoff("goes on in a new session with what matters", {
		terminal: true,
		sets: ["current"],
		script: [CONVERSATION[0], say("Paint the boat in the harbour."), DONE],
		answers: { editor: ["Paint the boat in the harbour, in red."] },
		check(seen) {
			assert.match(seen.user(1), /\[User\]: Where is the boat\?\n\n\[Assistant\]: In the harbour\.\n\n## User's Goal for New Thread\n\npaint the boat$/);
			assert.match(seen.system(1), /^You are a context transfer assistant/);
			assert.match(seen.probe("drawn")[0].join("\n"), /Generating handoff prompt\.\.\./);
			assert.deepEqual(seen.ui("editor"), [["Edit handoff prompt", "Paint the boat in the harbour."]]);
			assert.deepEqual(seen.ui("setEditorText"), [["Paint the boat in the harbour, in red."]]);
			assert.deepEqual(seen.ui("notify"), [["Handoff ready. Submit when ready.", "info"]]);
			const [old, now] = seen.home.sessions();
			assert.equal(header(now).parentSession, old);
			assert.doesNotMatch(seen.messages(2), /harbour/);
		},
	}),
	handoff("goes on in a new session with what matters", {
		terminal: true,
		sets: ["first"],
		unlessReference: true,
		commandFails: true,
		script: [CONVERSATION[0], say("Paint the boat in the harbour."), DONE],
		answers: { editor: ["Paint the boat in the harbour, in red."] },
		check(seen) {
			assert.match(seen.user(1), /\[User\]: Where is the boat\?\n\n\[Assistant\]: In the harbour\.\n\n## User's Goal for New Thread\n\npaint the boat$/);
			const [old, now] = seen.home.sessions();
			assert.equal(header(now).parentSession, old);
			assert.doesNotMatch(seen.messages(2), /harbour/);
			// Its last words are for the editor, by a context of the old session; since then such a context is refused.
			assert.match(seen.outputs[0].stderr, /command:handoff.*This extension ctx is stale after session replacement/);
			assert.deepEqual(seen.ui("setEditorText"), []);
		},
	}),
	handoff("stays when the user takes it back", {
		terminal: true,
		unlessReference: "first",
		prompts: ["/handoff paint the boat", "Where is the boat?", "/handoff", "/handoff paint the boat"],
		script: [CONVERSATION[0], say("Paint the boat in the harbour.")],
		check(seen) {
			assert.deepEqual(texts(seen), ["No conversation to hand off", "Usage: /handoff <goal for new thread>", "Cancelled"]);
			assert.equal(seen.home.sessions().length, 1);
		},
	}),

	interactive("gives the terminal to programs that need it", "vi notes", {
		bin: { vi: 'echo "$@" > "$HOME/vi.log"' },
		check(seen) {
			assert.equal(seen.file("vi.log"), "notes\n");
			assert.deepEqual(seen.probe("terminal"), ["stopped", "started"]);
			const output = "(interactive command completed successfully)";
			assert.deepEqual(seen.probe("bash"), [{ result: { output, exitCode: 0, cancelled: false, truncated: false } }]);
		},
	}),
	interactive("gives the terminal to what the user says needs it", "i exit 3", {
		check(seen) {
			const output = "(interactive command exited with code 3)";
			assert.deepEqual(seen.probe("bash"), [{ result: { output, exitCode: 3, cancelled: false, truncated: false } }]);
		},
	}),
	interactive("leaves other commands to the agent", "echo hi", {
		check: (seen) => assert.deepEqual(seen.probe("bash"), ["undecided"]),
	}),
	{
		example: "interactive-shell",
		what: "says in RPC mode that it needs a terminal",
		sets: ["current"],
		rpc: [{ type: "bash", command: "vi notes" }, { type: "bash", command: "echo hi" }],
		check(seen) {
			const [refused, echoed] = seen.answers();
			assert.deepEqual(refused, { output: "(interactive commands require TUI)", exitCode: 1, cancelled: false, truncated: false });
			assert.deepEqual([echoed.output.trim(), echoed.exitCode], ["hi", 0]);
		},
	},
	{
		example: "interactive-shell",
		what: "runs nothing in RPC mode, where a part of the screen is drawn by nobody",
		sets: ["first"],
		rpc: [{ type: "bash", command: "touch made; vi notes | vi" }, { type: "bash", command: "echo hi" }],
		check(seen) {
			const [refused, echoed] = seen.answers();
			assert.deepEqual(refused, { output: "(interactive command exited with code undefined)", exitCode: 1, cancelled: false, truncated: false });
			assert.equal(seen.exists("work/made"), false);
			assert.deepEqual([echoed.output.trim(), echoed.exitCode], ["hi", 0]);
		},
	},
];
