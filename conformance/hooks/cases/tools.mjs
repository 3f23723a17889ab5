// Hooks that watch over tools, and those that show something.

import assert from "node:assert/strict";
import { call, say } from "../driver.mjs";

const DONE = say("Done.");
const DANGER = [call(["c1", "bash", { command: "rm -rf keep" }], ["c2", "bash", { command: "echo safe" }]), DONE];

const gate = (what, more) => ({ hook: "permission-gate", what, setup: "mkdir keep", script: DANGER, ...more });

export const TOOL_CASES = [
	gate("blocks where nobody can be asked", {
		prompts: ["Go"],
		check(test) {
			assert.deepEqual(test.tool("c1"), ["Dangerous command blocked (no UI for confirmation)", true]);
			assert.deepEqual(test.tool("c2"), ["safe", false]);
			assert.ok(test.exists("keep"));
		},
	}),
	gate("asks, and blocks what the user does not want", {
		terminal: true,
		answers: { select: ["No"] },
		play: ({ rpc }) => rpc.prompt("Go"),
		check(test) {
			assert.deepEqual(test.titles("select"), ["⚠️ Dangerous command:\n\n  rm -rf keep\n\nAllow?"]);
			assert.deepEqual(test.tool("c1"), ["Blocked by user", true]);
			assert.ok(test.exists("keep"));
		},
	}),
	gate("takes a closed dialog for a no", {
		terminal: true,
		answers: { select: [null] },
		play: ({ rpc }) => rpc.prompt("Go"),
		check: (test) => assert.deepEqual([test.tool("c1"), test.exists("keep")], [["Blocked by user", true], true]),
	}),
	gate("lets go what the user wants", {
		terminal: true,
		answers: { select: ["Yes"] },
		play: ({ rpc }) => rpc.prompt("Go"),
		check: (test) => assert.deepEqual([test.tool("c1")[1], test.exists("keep")], [false, false]),
	}),
	gate("is told by its dialect whether a client can be asked", {
		answers: { select: [] },
		play: async (test) => {
			if (test.set.dialect === "original") {
				await test.rpc.prompt("Go");
				assert.deepEqual(test.tool("c1"), ["Dangerous command blocked (no UI for confirmation)", true]);
				return;
			}
			const asked = test.rpc.record(({ method }) => method === "select", "the dialog");
			const done = test.rpc.prompt("Go");
			test.rpc.write({ type: "extension_ui_response", id: (await asked).id, value: "No" });
			await done;
			assert.deepEqual(test.tool("c1"), ["Blocked by user", true]);
		},
	}),
	{
		hook: "protected-paths",
		what: "blocks",
		terminal: true,
		files: { "a.txt": "one" },
		script: [
			call(
				["c1", "write", { path: ".env", content: "x" }],
				["c2", "edit", { path: "node_modules/a.js", edits: [{ oldText: "a", newText: "b" }] }],
				["c3", "edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] }],
			),
			DONE,
		],
		play: ({ rpc }) => rpc.prompt("Go"),
		check(test) {
			assert.deepEqual(test.tool("c1"), ['Path ".env" is protected', true]);
			assert.deepEqual(test.tool("c2"), ['Path "node_modules/a.js" is protected', true]);
			assert.deepEqual([test.exists(".env"), test.shell("cat a.txt")], [false, "two"]);
			const notice = (path) => [`Blocked write to protected path: ${path}`, "warning"];
			assert.deepEqual(test.notices(), [notice(".env"), notice("node_modules/a.js")]);
		},
	},
	{
		hook: "status-line",
		what: "counts turns, anew in a new session",
		script: [call(["c1", "bash", { command: "true" }]), DONE, DONE],
		play: async ({ rpc, renew }) => {
			await rpc.prompt("Go");
			await renew();
			await rpc.prompt("Again");
		},
		check(test) {
			const dots = test.set.scope === "@mariozechner" ? "..." : "…";
			const turn = (number) => [`● Turn ${number}${dots}`, `✓ Turn ${number} complete`];
			assert.deepEqual(test.statuses(), ["Ready", ...turn(1), ...turn(2), "Ready", ...turn(1)]);
		},
	},
	{
		hook: "todo",
		what: "draws the todos of the branch",
		terminal: true,
		keys: ["\x1b"],
		with: [new URL("../helpers/todos.ts", import.meta.url).pathname],
		script: [call(["c1", "todo", { todos: [{ id: 1, text: "Sow", done: true }, { id: 2, text: "Reap", done: false }] }]), DONE],
		play: async ({ rpc }) => {
			await rpc.prompt("Go");
			assert.equal((await rpc.send("prompt", { message: "/todos" })).success, true);
		},
		check(test) {
			const screen = test.drawn()[0];
			assert.match(screen[1], /─── Todos ─+/);
			assert.deepEqual(screen.slice(3, 7), ["  1/2 completed", "", "  ✓ #1 Sow", "  ○ #2 Reap"]);
		},
	},
	{
		hook: "snake",
		what: "plays in a terminal and saves",
		terminal: true,
		keys: ["w", "\x1b"],
		script: [DONE],
		play: async ({ rpc }) => {
			await rpc.prompt("Hi");
			assert.equal((await rpc.send("prompt", { message: "/snake" })).success, true);
		},
		check(test) {
			assert.match(test.drawn()[0][1], /SNAKE │ Score: 0 │ High: 0/);
			const [saved] = test.entries("snake-save");
			assert.deepEqual([saved.data.nextDirection, saved.data.snake[0]], ["up", { x: 20, y: 7 }]);
		},
	},
	{
		hook: "snake",
		what: "does nothing where nothing can be drawn",
		play: async ({ rpc }) => assert.equal((await rpc.send("prompt", { message: "/snake" })).success, true),
		check: (test) => assert.deepEqual([test.drawn(), test.notices()], [[], []]),
	},
];
