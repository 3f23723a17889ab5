// Hooks that ask a model, run git or wake the agent.

import assert from "node:assert/strict";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseLines } from "../../lib/agents.mjs";
import { call, say } from "../driver.mjs";

const DONE = say("Done.");
const TRIGGER = "/tmp/agent-trigger.txt";
const isOriginal = (set) => set.dialect === "original";
const original = ({ set }) => isOriginal(set);
const linesOf = (path) => parseLines(readFileSync(path, "utf8"));

const GEMINI = {
	id: "gemini-2.5-flash",
	name: "Gemini",
	reasoning: false,
	input: ["text"],
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	contextWindow: 200000,
	maxTokens: 8192,
};
/** The provider of the hook's model, played by the loopback server in a format that it speaks. */
const google = (origin) => ({ google: { baseUrl: origin, api: "anthropic-messages", apiKey: "google-key", models: [GEMINI] } });
const REFUSED = { status: 400, body: { type: "error", error: { type: "invalid_request_error", message: "No." } } };

const compaction = (what, more) => ({
	hook: "custom-compaction",
	what,
	settings: { compaction: { keepRecentTokens: 5 } },
	play: async ({ rpc }) => {
		for (const text of ["Where is the boat?", "And the oars?"]) await rpc.prompt(text);
		const { success, error } = await rpc.send("compact");
		assert.ok(success, error);
		await rpc.prompt("Go on");
	},
	...more,
});
const CONVERSATION = [say("In the harbour."), say("In the shed.")];
const summaries = (test) =>
	test.entries("compaction").map(({ summary, fromHook = false }) => [summary.trim().split("\n").at(-1), fromHook]);

/** A run of eight turns: seven write their number into a file, the last one waits. */
const TURNS = [1, 2, 3, 4, 5, 6, 7].map((n) => call([`c${n}`, "bash", { command: `echo ${n} > version` }]));
const WAITING = call(["c8", "bash", { command: "touch waiting; while true; do sleep 1; done" }]);

const checkpoint = (what, more) => ({
	hook: "git-checkpoint",
	what,
	terminal: true,
	setup: "git init -q .; git config user.email a@b; git config user.name n; echo 0 > version; git add .; git commit -qm first",
	script: [...TURNS, WAITING],
	...more,
});
/** Begins the run and waits for its last turn; the file is as it was committed. */
async function untilTheLastTurn({ rpc, shell }) {
	const from = rpc.records.length;
	assert.equal((await rpc.send("prompt", { message: "Go" })).success, true);
	await rpc.record(({ type, toolCallId }) => type === "tool_execution_start" && toolCallId === "c8", "the last turn", from);
	shell("git checkout -q -- version");
}

export const WORK_CASES = [
	compaction("lets another model summarise", {
		redirect: google,
		script: [...CONVERSATION, say("A boat in the harbour, oars in the shed."), DONE],
		check(test) {
			const { body, headers } = test.server.requests[2];
			assert.deepEqual([body.model, headers["x-api-key"], body.max_tokens], ["gemini-2.5-flash", "google-key", 8192]);
			assert.deepEqual(summaries(test), [["A boat in the harbour, oars in the shed.", true]]);
			const rest = JSON.stringify(test.server.bodies()[3].messages);
			assert.match(rest, /A boat in the harbour, oars in the shed\./);
			assert.doesNotMatch(rest, /Where is the boat/);
			// The original example throws everything away, the later ones keep what is recent.
			assert.equal(/And the oars/.test(rest), !original(test));
			const [[first], [second]] = test.notices();
			assert.equal(first, "Custom compaction hook triggered");
			const counted = original(test) ? 4 : 2;
			assert.match(second, new RegExp(`^Custom compaction: summarizing ${counted} messages \\([\\d,]+ tokens\\) with gemini-2\\.5-flash\\.\\.\\.$`));
		},
	}),
	compaction("leaves it to the agent when that model fails", {
		redirect: google,
		script: [...CONVERSATION, { error: REFUSED }, say("The agent's summary."), DONE],
		check(test) {
			assert.deepEqual(test.server.bodies().map(({ model }) => model).slice(2), ["gemini-2.5-flash", "loop-a", "loop-a"]);
			assert.deepEqual(summaries(test), [["The agent's summary.", false]]);
		},
	}),
	compaction("leaves it to the agent without a key", {
		models: { google: { baseUrl: "http://127.0.0.1:9", api: "anthropic-messages", models: [GEMINI] } },
		script: [...CONVERSATION, say("The agent's summary."), DONE],
		check(test) {
			assert.deepEqual(test.notices().at(-1), ["No API key for google, using default compaction", "warning"]);
			assert.deepEqual(summaries(test), [["The agent's summary.", false]]);
		},
	}),

	checkpoint("offers the files of that time back, and restores them", {
		sets: isOriginal,
		answers: { select: ["Yes, restore code to that point"] },
		play: async (test) => {
			await untilTheLastTurn(test);
			assert.equal(await test.fork(), false);
		},
		check(test) {
			// What is looked up is the place of the message in the list of entries: the turn of that number has a checkpoint.
			const place = linesOf(test.home.sessions()[0]).findIndex(({ message }) => message?.role === "user");
			assert.equal(test.shell("cat version"), `${place}\n`);
			assert.deepEqual(test.notices(), [["Code restored to checkpoint", "info"]]);
		},
	}),
	checkpoint("keeps the files when the user wants that", {
		sets: isOriginal,
		answers: { select: ["No, keep current code"] },
		play: async (test) => {
			await untilTheLastTurn(test);
			assert.equal(await test.fork(), false);
		},
		check: (test) => assert.deepEqual([test.shell("cat version"), test.notices()], ["0\n", []]),
	}),
	checkpoint("offers the files of an entry back, and restores them", {
		sets: (set) => !isOriginal(set),
		with: [new URL("../helpers/fork.ts", import.meta.url).pathname],
		answers: { select: ["Yes, restore code to that point"] },
		play: async (test) => {
			await untilTheLastTurn(test);
			// Checkpoints are kept by the entry that was last when a result came: here the answer that called for the third.
			const { success, error } = await test.rpc.send("prompt", { message: "/fork-at c3" });
			assert.ok(success, error);
		},
		check(test) {
			assert.equal(test.shell("cat version"), "3\n");
			assert.deepEqual(test.notices(), [["Code restored to checkpoint", "info"]]);
		},
	}),

	{
		hook: "file-trigger",
		what: "wakes the agent",
		alone: true,
		terminal: true,
		script: [say("Tested."), say("And again.")],
		play: async ({ rpc, renew, notices }) => {
			writeFileSync(TRIGGER, "");
			const woken = async (text) => {
				const from = rpc.records.length;
				// One change of the file: some of the hooks read it a moment after each.
				appendFileSync(TRIGGER, `${text}\n`);
				await rpc.event("agent_settled", from);
				// Some of the hooks empty it without waiting for that.
				while (readFileSync(TRIGGER, "utf8") !== "") await new Promise((resolve) => setTimeout(resolve, 5));
			};
			try {
				await rpc.send("get_state");
				assert.deepEqual(notices(), [[`Watching ${TRIGGER}`, "info"]]);
				await woken("Run the tests");
				// The hook lives on in the next session.
				await renew();
				await woken("Once more");
			} finally {
				rmSync(TRIGGER, { force: true });
			}
		},
		check(test) {
			assert.deepEqual([test.user(0), test.user(1)], ["External trigger: Run the tests", "External trigger: Once more"]);
			const custom = test.entries("custom_message").map(({ customType }) => customType);
			assert.deepEqual(custom, original(test) ? [] : ["file-trigger", "file-trigger"]);
		},
	},

	{
		hook: "handoff",
		what: "writes a prompt for a new session",
		terminal: true,
		answers: { editor: ["Paint the boat in the harbour."] },
		script: [say("In the harbour."), say("## Task\nPaint the boat."), DONE],
		play: async (test) => {
			const { rpc } = test;
			await rpc.prompt("Where is the boat?");
			const first = await test.file();
			const { success, error } = await rpc.send("prompt", { message: "/handoff paint the boat" });
			assert.ok(success, error);
			assert.notEqual(await test.file(), first);
			await rpc.prompt("Do it");
			assert.equal(linesOf(await test.file())[0].parentSession, first);
		},
		check(test) {
			assert.match(test.user(1), /Where is the boat\?[^]*In the harbour\.[^]*## User's Goal for New Thread\n\npaint the boat$/);
			assert.match(JSON.stringify(test.server.bodies()[1].system), /context transfer assistant/);
			const [editor] = test.shown("editor");
			assert.equal(editor.prefill, "## Task\nPaint the boat.");
			assert.deepEqual(test.shown("set_editor_text").map(({ text }) => text), ["Paint the boat in the harbour."]);
			assert.deepEqual(test.notices().at(-1), ["Handoff ready. Submit when ready.", "info"]);
			assert.match(test.drawn()[0].join("\n"), /Generating handoff prompt/);
			assert.equal(JSON.stringify(test.server.bodies()[2].messages).includes("harbour"), false);
		},
	},
	{
		hook: "handoff",
		what: "says how it is used, and stops when the user does",
		terminal: true,
		answers: { editor: [null] },
		script: [say("In the harbour."), say("Paint.")],
		play: async (test) => {
			const command = (message) => test.rpc.send("prompt", { message });
			await command("/handoff");
			await command("/handoff paint");
			await test.rpc.prompt("Where is the boat?");
			const first = await test.file();
			await command("/handoff paint");
			assert.equal(await test.file(), first);
		},
		check(test) {
			const expected = [
				["Usage: /handoff <goal for new thread>", "error"],
				["No conversation to hand off", "error"],
				["Cancelled", "info"],
			];
			assert.deepEqual(test.notices(), expected);
		},
	},
	{
		hook: "handoff",
		what: "hands over what the user writes where nothing can be drawn",
		answers: { editor: ["Paint the boat."] },
		script: [say("In the harbour.")],
		play: async (test) => {
			await test.rpc.prompt("Where is the boat?");
			const first = await test.file();
			await test.rpc.send("prompt", { message: "/handoff paint the boat" });
			assert.notEqual(await test.file(), first);
		},
		check: (test) => assert.deepEqual(test.shown("set_editor_text").map(({ text }) => text), ["Paint the boat."]),
	},
	{
		hook: "qna",
		what: "puts the questions of the last answer into the editor",
		terminal: true,
		script: [say("Which colour? And which boat?"), say("Q: Which colour?\nA: \n\nQ: Which boat?\nA: ")],
		play: async ({ rpc }) => {
			await rpc.prompt("Paint it");
			assert.equal((await rpc.send("prompt", { message: "/qna" })).success, true);
		},
		check(test) {
			assert.equal(test.user(1), "Which colour? And which boat?");
			assert.deepEqual(test.shown("set_editor_text").map(({ text }) => text), ["Q: Which colour?\nA: \n\nQ: Which boat?\nA: "]);
			assert.deepEqual(test.notices(), [["Questions loaded. Edit and submit when ready.", "info"]]);
			assert.match(test.drawn()[0].join("\n"), /Extracting questions using loop-a/);
		},
	},
	{
		hook: "qna",
		what: "says that there is nothing to look at",
		terminal: true,
		play: async ({ rpc }) => rpc.send("prompt", { message: "/qna" }),
		check: (test) => assert.deepEqual(test.notices(), [["No assistant messages found", "error"]]),
	},
];
