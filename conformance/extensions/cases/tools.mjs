// Examples that register or replace tools.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { call, say } from "../driver.mjs";

const DONE = say("Done.");
const NOTES = { "notes.txt": "alpha\nbeta\n" };

/** Stands in for a remote machine: runs the command here, and says that it was asked. */
const SSH = 'echo "$1" >> "$HOME/ssh.log"; shift; exec sh -c "$*"';

const USE_BUILT_INS = [
	call(["c1", "read", { path: "notes.txt" }], ["c2", "bash", { command: "echo from bash" }]),
	call(["c3", "edit", { path: "notes.txt", edits: [{ oldText: "beta", newText: "gamma" }] }], ["c4", "write", { path: "new.txt", content: "new" }]),
	DONE,
];

function checkBuiltIns(seen) {
	assert.match(seen.tool("c1").text, /alpha\nbeta/);
	assert.equal(seen.tool("c2").text.trim(), "from bash");
	assert.equal(seen.tool("c3").isError, false);
	assert.match(seen.tool("c3").details.diff, /gamma/);
	assert.equal(seen.file("work/notes.txt"), "alpha\ngamma\n");
	assert.equal(seen.file("work/new.txt"), "new");
}

const questions = (example, args) => ({
	example,
	script: [call(["c1", example, args]), DONE],
	check(seen) {
		assert.equal(seen.tool("c1").text, "Error: UI not available (running in non-interactive mode)");
	},
});

const AGENT = "---\nname: helper\ndescription: Helps\ntools: read\n---\nYou are the helper.\n";
const task = (name, words) => ({ agent: name, task: words });

export const TOOL_CASES = [
	{
		example: "hello",
		script: [call(["c1", "hello", { name: "Ada" }]), DONE],
		check(seen) {
			assert.ok(seen.tools(0).includes("hello"));
			const { text, details } = seen.tool("c1");
			assert.deepEqual({ text, details }, { text: "Hello, Ada!", details: { greeted: "Ada" } });
		},
	},
	{
		example: "todo",
		what: "its state survives in a resumed session",
		runs: [
			{
				script: [
					call(["c1", "todo", { action: "add", text: "milk" }]),
					call(["c2", "todo", { action: "add", text: "bread" }]),
					call(["c3", "todo", { action: "toggle", id: 2 }]),
					DONE,
				],
			},
			{ flags: ["-c"], script: [call(["c4", "todo", { action: "list" }]), call(["c5", "todo", { action: "clear" }]), DONE] },
		],
		check(seen) {
			assert.equal(seen.tool("c2").text, "Added todo #2: bread");
			assert.equal(seen.tool("c4").text, "[ ] #1: milk\n[x] #2: bread");
			assert.equal(seen.tool("c5").text, "Cleared 2 todos");
		},
	},
	{
		example: "dynamic-tools",
		what: "adds a tool in the middle of a session",
		prompts: ["Hi", "/add-echo-tool shout", "Go"],
		script: [
			say("Hello."),
			call(["c1", "shout", { message: "hey" }], ["c2", "echo_session", { message: "ho" }]),
			DONE,
		],
		check(seen) {
			assert.ok(seen.tools(0).includes("echo_session") && !seen.tools(0).includes("shout"));
			assert.ok(seen.tools(1).includes("shout"));
			assert.deepEqual([seen.tool("c1").text, seen.tool("c2").text], ["[shout] hey", "[session] ho"]);
		},
	},
	{
		example: "structured-output",
		sets: ["current"],
		what: "ends the run",
		script: [call(["c1", "structured_output", { headline: "H", summary: "S", actionItems: ["a"] }])],
		check(seen) {
			assert.deepEqual(seen.tool("c1").details, { headline: "H", summary: "S", actionItems: ["a"] });
			assert.equal(seen.requests.length, 1);
		},
	},
	{
		example: "tool-override",
		what: "replaces read",
		files: { ...NOTES, ".env": "SECRET=1\n" },
		prompts: ["Go", "/read-log"],
		script: [call(["c1", "read", { path: ".env" }], ["c2", "read", { path: "notes.txt", offset: 2, limit: 1 }]), DONE],
		check(seen) {
			assert.match(seen.tool("c1").text, /^Access denied: "\.env"/);
			assert.equal(seen.tool("c2").text, "beta");
			assert.match(seen.file("agent/read-access.log"), /BLOCKED: .*\.env .*\n.*ALLOWED: .*notes\.txt\n/);
			assert.match(seen.ui("notify")[0][0], /^Recent file access:\n.*BLOCKED/);
		},
	},
	{ example: "built-in-tool-renderer", files: NOTES, script: USE_BUILT_INS, check: checkBuiltIns },
	{
		example: "minimal-mode",
		files: NOTES,
		script: [...USE_BUILT_INS.slice(0, 2), call(["c5", "ls", { path: "." }]), DONE],
		flags: ["--tools", "read,bash,edit,write,ls"],
		check(seen) {
			checkBuiltIns(seen);
			assert.match(seen.tool("c5").text, /new\.txt\nnotes\.txt/);
		},
	},
	{
		example: "bash-spawn-hook",
		what: "changes the command and the environment",
		setup: "echo 'export FROM_PROFILE=profile' > ~/.profile",
		script: [call(["c1", "bash", { command: "echo $FROM_PROFILE $PI_SPAWN_HOOK" }]), DONE],
		check: (seen) => assert.equal(seen.tool("c1").text.trim(), "profile 1"),
	},
	{
		example: "ssh",
		what: "runs the built-in tools on another machine",
		bin: { ssh: SSH },
		files: NOTES,
		setup: "mkdir ~/remote; cp notes.txt ~/remote",
		script: [
			call(["c1", "bash", { command: "pwd" }], ["c2", "read", { path: "notes.txt" }]),
			call(
				["c3", "edit", { path: "notes.txt", edits: [{ oldText: "beta", newText: "gamma" }] }],
				["c4", "write", { path: "sub/new.txt", content: "new" }],
				["c5", "bash", { command: "exit 3" }],
			),
			DONE,
		],
		flags: (home) => ["--ssh", `me@there:${home.root}/remote`],
		check(seen) {
			assert.equal(seen.tool("c1").text.trim(), `${seen.home.root}/remote`);
			assert.match(seen.tool("c2").text, /alpha\nbeta/);
			assert.equal(seen.file("remote/notes.txt"), "alpha\ngamma\n");
			assert.equal(seen.file("remote/sub/new.txt"), "new");
			assert.equal(seen.file("work/notes.txt"), NOTES["notes.txt"]);
			assert.match(seen.tool("c5").text, /exited with code 3/);
			assert.match(seen.file("ssh.log"), /^(me@there\n)+$/);
			assert.equal(seen.ui("setStatus")[0][0], "ssh");
		},
	},
	{
		example: "truncated-tool",
		bin: { rg: 'for i in $(seq 3000); do echo "notes.txt:$i:line $i"; done' },
		script: [call(["c1", "rg", { pattern: "line" }]), DONE],
		check(seen) {
			const { text, details } = seen.tool("c1");
			const [, file] = /\[Output truncated: showing 2000 of 3000 lines .* Full output saved to: (.*)\]$/.exec(text);
			assert.equal(readFileSync(file, "utf8").split("\n").length, 3001);
			assert.deepEqual([details.matchCount, details.truncation.outputLines], [3000, 2000]);
		},
	},
	questions("question", { question: "Which?", options: [{ label: "A" }] }),
	questions("questionnaire", { questions: [{ id: "q", prompt: "Which?", options: [{ value: "a", label: "A" }] }] }),
	{
		example: "tic-tac-toe",
		sets: ["current"],
		what: "its calls run one after another",
		script: [
			call(
				["c1", "tic_tac_toe", { action: "move_right" }],
				["c2", "tic_tac_toe", { action: "move_down" }],
				["c3", "tic_tac_toe", { action: "play" }],
				["c4", "tic_tac_toe_see_board"],
			),
			DONE,
		],
		check(seen) {
			assert.equal(seen.tool("c2").text, "Moved down. Cursor: (1, 1)");
			assert.deepEqual([seen.tool("c3").isError, seen.tool("c3").text], [true, "It is not your turn."]);
			assert.match(seen.tool("c4").text, /Your cursor: \(row=1, col=1\)/);
		},
	},
	{
		example: "with-deps",
		what: "uses an npm package",
		script: [call(["c1", "parse_duration", { duration: "2 days" }], ["c2", "parse_duration", { duration: "soon" }]), DONE],
		check(seen) {
			assert.equal(seen.tool("c1").text, "2 days = 172800000 milliseconds");
			assert.deepEqual([seen.tool("c2").isError, seen.tool("c2").text], [true, 'Invalid duration: "soon"']);
		},
	},
	{
		example: "shutdown-command",
		script: [call(["c1", "deploy_and_exit", { environment: "staging" }]), DONE],
		check(seen) {
			assert.equal(seen.tool("c1").text, "Done! Shutdown requested.");
			const updates = seen.events.filter(({ type }) => type === "tool_execution_update");
			assert.deepEqual(
				updates.map(({ partialResult }) => partialResult.content[0].text),
				["Deploying to staging...", "Deployment complete, exiting..."],
			);
			assert.deepEqual(seen.probed("session_shutdown"), ["quit"]);
		},
	},
	{
		example: "reload-runtime",
		sets: ["first", "previous"],
		prompts: ["Hi", "/reload-runtime", "Go"],
		// The last one answers the command, where it reaches the model as a text.
		script: [say("Hello."), call(["c1", "reload_runtime"]), DONE, DONE],
		stepsLeft: true,
		check(seen) {
			assert.equal(seen.tool("c1").text, "Queued /reload-runtime as a follow-up command.");
			assert.deepEqual(seen.probed("session_start").slice(0, 2), ["startup", "reload"]);
			assert.equal(seen.probed("session_shutdown")[0], "reload");
		},
	},
	{
		example: "reload-runtime",
		what: "runs its own command once all is settled",
		sets: ["reference"],
		prompts: ["Go"],
		script: [call(["c1", "reload_runtime"])],
		check(seen) {
			assert.equal(seen.tool("c1").text, "Reload requested. Pi reloads after this response.");
			assert.deepEqual(seen.probed("session_start").slice(0, 2), ["startup", "reload"]);
			assert.equal(seen.probed("session_shutdown")[0], "reload");
		},
	},
	{
		example: "subagent",
		atOnce: true,
		what: "spawns the agent itself: one task, several at once, a chain",
		agentFiles: { "agents/helper.md": AGENT },
		// The helper finds its model in the settings.
		agentSettings: { defaultProvider: "loop-anthropic", defaultModel: "loop-a" },
		script: [
			call(["c1", "subagent", task("helper", "Look around")]),
			say("I looked around."),
			call(["c2", "subagent", { tasks: [task("helper", "One"), task("helper", "Two")] }]),
			say("Parallel."),
			say("Parallel."),
			call(["c3", "subagent", { chain: [task("helper", "First"), task("helper", "Then {previous}")] }]),
			say("First answer."),
			say("Second answer."),
			call(["c4", "subagent", task("nobody", "Look around")]),
			DONE,
		],
		check(seen) {
			assert.equal(seen.tool("c1").text, "I looked around.");
			assert.match(seen.system(1), /You are the helper\./);
			assert.deepEqual(seen.tools(1), ["read"]);
			assert.equal(seen.user(1), "Task: Look around");
			assert.match(seen.tool("c2").text, /^Parallel: 2\/2 succeeded/);
			assert.equal(seen.tool("c3").text, "Second answer.");
			assert.equal(seen.user(7), "Task: Then First answer.");
			assert.match(seen.tool("c4").text, /Unknown agent: "nobody"\. Available agents: "helper"/);
		},
	},
];
