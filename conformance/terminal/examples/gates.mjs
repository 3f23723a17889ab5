// Extensions that ask before something is done, and what is shown of calls that they stop.

import assert from "node:assert/strict";
import { call, checks, lacks, press, sends, shows } from "../../lib/terminal/steps.mjs";

const REPOSITORY = "git init -q -b main .; git config user.email a@b; git config user.name n; echo one > f; git add .; git commit -qm first";

const bash = (command) => ({ loop: true, replies: [[call("bash", { command })], "All is done."] });

/** A second choice of a select is taken. */
const second = (name, ...more) => [press("down"), shows(`→ ${name}`), press("enter"), lacks(`→ ${name}`), ...more];

/** A row for each size: what was cancelled last is said in one place only. */
const apart = (row) => [[100, 30], [40, 20]].map((size) => ({ ...row, what: `at ${size.join("×")}`, sizes: [size] }));

export const GATES = [
	{
		example: "permission-gate",
		what: "says no",
		setup: "mkdir keep",
		script: bash("rm -rf keep"),
		steps: [
			sends("Go"),
			shows("⚠️ Dangerous command:", "rm -rf keep", "Allow?", "→ Yes"),
			...second("No"),
			shows("Blocked by user", "All is done."),
			checks((place) => assert.ok(place.has("work/keep"))),
		],
		leaves: /⊘ \$ rm -rf keep Blocked by .*permission-gate.*: Blocked by user All is done\.$/,
	},
	{
		example: "permission-gate",
		what: "says yes",
		setup: "mkdir keep",
		script: bash("rm -rf keep"),
		steps: [
			sends("Go"),
			shows("Allow?", "→ Yes"),
			press("down"),
			shows("→ No"),
			press("up"),
			shows("→ Yes"),
			press("enter"),
			lacks("→ Yes"),
			shows("All is done."),
			checks((place, _, seat) => seat.holds(async () => assert.ok(!place.has("work/keep")))),
		],
		leaves: /✓ \$ rm -rf keep .*All is done\.$/,
	},
	{
		example: "protected-paths",
		script: { loop: true, replies: [[call("write", { path: ".env", content: "x" })], "All is done."] },
		steps: [sends("Go"), shows("Warning: Blocked write to protected path: .env", "All is done.")],
		leaves: /⊘ write \.env .*Path "\.env" is protected.*All is done\.$/,
	},
	...apart({
		example: "confirm-destructive",
		start: [sends("Hello"), shows("You said: Hello")],
		steps: [sends("/new"), shows("Clear session?", "This will delete all messages", "→ Yes"), ...second("No"), shows("Clear cancelled")],
		leaves: "Clear cancelled Cancelled by an extension.",
	}),
	...apart({
		example: "dirty-repo-guard",
		setup: `${REPOSITORY}; echo two > f`,
		start: [shows("~/work (main)")],
		steps: [
			sends("/new"),
			shows("You have 1 uncommitted file(s). new session anyway?", "→ Yes, proceed anyway"),
			...second("No, let me commit first"),
			shows("Warning: Commit your changes first"),
		],
		leaves: "Warning: Commit your changes first Cancelled by an extension.",
	}),
	{
		example: "git-checkpoint",
		setup: `${REPOSITORY}; echo two > f`,
		start: [shows("~/work (main)")],
		script: bash("echo three > f"),
		steps: [sends("Go"), shows("All is done.")],
		leaves: "Go ✓ $ echo three > f (no output) All is done.",
	},
	{
		example: "project-trust",
		files: { "work/.pi/SYSTEM.md": "The project's own prompt." },
		// It asks before the program is ready.
		begin: [shows("Project trust for:", "→ Trust and remember", "Let built-in prompt decide"), press("down", "down"), shows("→ Trust this session"), press("enter")],
		start: [shows("project-trust example loaded after trust resolution")],
		steps: [sends("Hello"), shows("You said: Hello")],
		leaves: "Hello You said: Hello",
	},
	{
		example: "plan-mode",
		script: {
			replies: [
				[call("bash", { command: "touch x" })],
				"Plan:\n1. Look around the house\n2. Paint the wooden boat",
				{ when: { contains: "Execute the plan." }, repeat: "forever", steps: ["I looked. [DONE:1]"] },
			],
		},
		sizes: [[100, 40]],
		start: [
			sends("/plan"),
			shows("Plan mode enabled. Built-in write tools disabled.", /^⏸ plan$/m),
			press("ctrl+alt+p"),
			shows("Plan mode disabled. Full access restored."),
			lacks(/^⏸ plan$/m),
			press("ctrl+alt+p"),
			shows(/^⏸ plan$/m),
		],
		steps: [
			sends("Go"),
			shows("Plan mode: command blocked", "Plan mode - what next?", "→ Execute the plan (track progress)", "Refine the plan"),
			press("down", "down"),
			shows("→ Refine the plan"),
			press("enter"),
			shows("Refine the plan:"),
			press("escape"),
			lacks("Refine the plan:"),
		],
		leaves: /Go ⊘ \$ touch x .*Plan mode: command blocked .*Plan: 1\. Look around the house 2\. Paint the wooden boat$/,
	},
	{
		example: "plan-mode",
		what: "executes",
		args: ["--plan"],
		script: {
			replies: [
				{ when: { last_user_contains: "Execute the plan." }, repeat: "forever", steps: ["I looked. [DONE:1]"] },
				{ repeat: "forever", steps: ["Plan:\n1. Look around the house\n2. Paint the wooden boat"] },
			],
		},
		sizes: [[100, 40]],
		start: [shows(/^⏸ plan$/m)],
		steps: [
			sends("Go"),
			shows("→ Execute the plan (track progress)"),
			// Enter alone is no answer to a question that has just come.
			press("down"),
			shows("→ Stay in plan mode"),
			press("up"),
			shows("→ Execute"),
			press("enter"),
			shows("Plan Steps (2):", "I looked.", /^ ☑ Look around the house$/m, /^ ☐ Paint the wooden boat$/m, /^📋 1\/2$/m),
			sends("/todos"),
			shows("Plan Progress:", "1. ✓ Look around the house", "2. ○ Paint the wooden boat"),
		],
		dock: (before) => [...before.slice(0, 5), "📋 1/2"],
		leaves: /Plan Steps \(2\): .*Execute the plan\..*I looked\. \[DONE:1\] Plan Progress: 1\. ✓ Look around the house 2\. ○ Paint the wooden boat/,
	},
];
