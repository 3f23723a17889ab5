// Components that are drawn by both programs, and which rows of the screen are theirs.

import { press, sends, shows, types } from "../../lib/terminal/steps.mjs";

/** The rows from one to another, without spaces at their ends. */
const between = (first, last) => (rows) => {
	const from = rows.findIndex((row) => first.test(row));
	const to = rows.findLastIndex((row) => last.test(row));
	return rows.slice(from, to + 1);
};

/** A box with a title over other rows, and where it is. */
const box = (title) => (rows) => {
	const row = rows.findIndex((one) => one.includes(title));
	const top = rows.slice(0, row + 1).findLastIndex((one) => one.includes("╭"));
	const column = [...rows[top]].indexOf("╭");
	const width = [...rows[top]].indexOf("╮") + 1 - column;
	const under = rows.slice(top).map((one) => [...one].slice(column, column + width).join("").trimEnd());
	const height = under.findIndex((one) => one.startsWith("╰")) + 1 || under.findIndex((one, at) => at > 0 && !one.startsWith("│"));
	return [`${column},${top}`, ...under.slice(0, height)];
};

/** What calls show, without the look of a block: marks in front, blank rows. */
const calls = (rows) =>
	between(/^ ?Go$/, /^ ?All is done\.$/)(rows)
		.map((row) => row.replace(/^[✓✗⊘ ]+/, "").trim())
		.filter((row) => row !== "" && !/^Took/.test(row));

const tool = (name, args, id) => ({ id, name, args });
const used = (...groups) => [...groups.map((toolCalls) => ({ toolCalls })), { text: "All is done." }];

const QUESTION = { question: "Which colour?", options: [{ label: "Red", description: "As a rose" }, { label: "Blue" }] };
const QUESTIONS = {
	questions: [
		{ id: "scope", label: "Scope", prompt: "How much?", options: [{ value: "all", label: "All" }, { value: "some", label: "Some" }] },
		{ id: "speed", label: "Speed", prompt: "How fast?", options: [{ value: "slow", label: "Slow" }] },
	],
};

const NOTES = { "work/notes.txt": "alpha\nbeta\n", "work/more.txt": "alpha\n" };

/** The reference paints from top to bottom. */
const WHOLE = shows(/╰─+╯/);

const overlay = (command, title, ...steps) => ({ example: "overlay-qa-tests", what: command, steps: [sends(`/overlay-${command}`), shows(title), ...steps, WHOLE], take: box(title) });

export const COMPARED = [
	{
		example: "snake",
		steps: [sends("/snake"), shows("SNAKE", "WASD")],
		take: (rows) => between(/^ ╭/, /^ ╰/)(rows).map((row) => row.replace(/[█▓◆]/g, " ")),
	},
	{ example: "tic-tac-toe", steps: [sends("/tic-tac-toe"), shows("ENTER play"), press("left")], take: between(/─ Tic-Tac-Toe ─/, /ENTER play/) },
	{
		example: "todo",
		what: "list",
		answers: used([tool("todo", { action: "add", text: "Buy milk" }, "c1"), tool("todo", { action: "toggle", id: 1 }, "c2"), tool("todo", { action: "add", text: "Buy bread" }, "c3")]),
		steps: [sends("Go"), shows("All is done."), sends("/todos"), shows("Press Escape to close")],
		take: between(/─── Todos ─/, /Press Escape/),
	},
	{
		example: "tools",
		args: ["--tools", "read,bash,edit"],
		steps: [sends("/tools"), shows("Tool Configuration"), press("down", "enter"), shows(/→ \S+ +disabled/)],
		take: between(/Tool Configuration/, /(enabled|disabled)$/),
	},
	{
		example: "preset",
		files: { "agent/presets.json": JSON.stringify({ plan: { tools: ["read"], instructions: "Only plan." }, work: { tools: ["read", "bash"] } }) },
		steps: [sends("/preset"), shows("Select Preset"), press("down"), shows("→ work")],
		take: between(/Select Preset/, /enter select/),
	},
	{ example: "question", answers: used([tool("question", QUESTION, "c1")]), steps: [sends("Go"), shows("> 1. Red"), press("down"), shows("> 2. Blue")], take: between(/^ Which colour\?/, /Enter to select/) },
	{
		example: "question",
		what: "with a text",
		answers: used([tool("question", QUESTION, "c1")]),
		steps: [sends("Go"), shows("> 1. Red"), press("down", "down"), shows("> 3."), press("enter"), shows("Your answer:"), types("Green"), shows("Green")],
		take: between(/^ Which colour\?/, /Enter to submit/),
	},
	{
		example: "questionnaire",
		answers: used([tool("questionnaire", QUESTIONS, "c1")]),
		steps: [sends("Go"), shows("> 1. All"), press("down"), shows("> 2. Some"), press("enter"), shows("How fast?"), press("tab"), shows("Unanswered: Speed")],
		take: between(/□ Speed/, /Enter confirm/),
	},
	{ example: "overlay-test", steps: [sends("/overlay-test"), shows("Overlay Test"), types("hey"), shows("hey")], take: (rows) => between(/╭/, /╰/)(rows).map((row) => /[╭│╰].*[╮│╯]/.exec(row)[0]) },
	overlay("anchors", "Anchor Test", press("right"), shows("top-center"), press("right"), shows("top-right"), press("right"), shows("left-center"), press("right"), shows(": center")),
	overlay("margins", "Margin Test", types(" "), shows("3 all sides"), types(" "), shows("top=5")),
	overlay("edge", "Edge Test"),
	overlay("percent", "Percent Test", types(" "), shows("rowPercent: 50")),
	overlay("sidepanel", "Responsive Sidepanel", press("down"), shows("→ Messages")),
	overlay("toggle", "Toggle Demo"),
	overlay("focus", "Focus + Input Demo", shows("Current focus: Controller")),
	{ example: "custom-header", steps: [shows("coding agent")], take: between(/█▌ {2}█▌/, /coding agent/) },
	{ example: "custom-footer", steps: [sends("/footer"), shows("Custom footer enabled", /^↑0 ↓0/m)], take: between(/^↑0 ↓0/, /scripted$/) },
	{ example: "modal-editor", steps: [shows(/INSERT$/m), types("abc"), press("escape"), shows(/NORMAL$/m)], take: between(/^─{100}$/, /NORMAL$/) },
	{
		example: "border-status-editor",
		setup: "git init -q -b main .; git config user.email a@b; git config user.name n; git commit -qm first --allow-empty",
		steps: [shows("(main)"), types("abc"), shows("abc")],
		take: between(/^─{100}$/, /\(main\)/),
	},
	{ example: "widget-placement", steps: [shows("Below editor widget")], take: (rows) => ["", ...between(/Above editor widget/, /~\/work/)(rows)] },
	{ example: "message-renderer", steps: [sends("/status warn Take care"), shows("[WARN] Take care")], take: between(/\[WARN\]/, /\[WARN\]/) },
	{ example: "entry-renderer", steps: [sends("/status-card Look here"), shows("[status] Look here")], take: between(/\[status\]/, /\[status\]/) },
	{
		example: "built-in-tool-renderer",
		files: NOTES,
		answers: used(
			[tool("read", { path: "notes.txt" }, "c1"), tool("bash", { command: "echo from bash" }, "c2")],
			[tool("edit", { path: "notes.txt", edits: [{ oldText: "beta", newText: "gamma" }] }, "c3"), tool("write", { path: "new.txt", content: "one\ntwo" }, "c4")],
		),
		steps: [sends("Go"), shows("All is done.")],
		take: calls,
	},
	{
		example: "minimal-mode",
		files: NOTES,
		args: ["--tools", "read,bash,edit,write,ls"],
		answers: used([tool("read", { path: "notes.txt", offset: 1, limit: 1 }, "c1"), tool("bash", { command: "echo from bash" }, "c2")], [tool("ls", { path: "." }, "c3")]),
		steps: [sends("Go"), shows("All is done.")],
		take: calls,
	},
	{
		example: "truncated-tool",
		bin: { rg: 'case "$1" in --version) echo ripgrep 14;; *) for i in $(seq 3000); do echo "notes.txt:$i:line $i"; done;; esac' },
		answers: used([tool("rg", { pattern: "line", path: "." }, "c1")]),
		steps: [sends("Go"), shows("All is done.")],
		take: calls,
	},
	{
		example: "todo",
		what: "calls",
		answers: used([tool("todo", { action: "add", text: "Buy milk" }, "c1"), tool("todo", { action: "toggle", id: 7 }, "c2"), tool("todo", { action: "list" }, "c3")]),
		steps: [sends("Go"), shows("All is done.")],
		take: calls,
	},
	{
		example: "structured-output",
		answers: [{ toolCalls: [tool("structured_output", { headline: "A headline", summary: "In short.", actionItems: ["Look", "Leap"] }, "c1")] }],
		steps: [sends("Go"), shows("2. Leap")],
		take: (rows) => between(/^ *A headline/, /2\. Leap/)(rows).map((row) => row.trim()),
	},
];
