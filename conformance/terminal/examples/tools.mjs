// How tools of extensions draw their calls.

import { call, inRegular, lacks, press, sends, shows, until } from "../../lib/terminal/steps.mjs";

const NOTES = { "work/notes.txt": "alpha\nbeta\n" };

const EDIT = call("edit", { path: "notes.txt", edits: [{ oldText: "beta", newText: "gamma" }] });
const UNDO = call("edit", { path: "notes.txt", edits: [{ oldText: "gamma", newText: "beta" }] });

const BUILT_INS = [
	[call("read", { path: "notes.txt" }), call("bash", { command: "echo from bash" })],
	[EDIT, call("write", { path: "new.txt", content: "one\ntwo" })],
	[UNDO],
];

/**
 * Another row of the table for a tool whose calls end with `folded`, and show `texts` when they are unfolded: in the pager,
 * or, in full screen, where they stand.
 */
const unfolds = (row, folded, ...texts) => ({
	...row,
	what: "unfolds its calls",
	sizes: [[100, 60]],
	// A call that ended just now unfolds in its place, and stays so. Another answer behind it shows that it is final.
	start: [sends("Go"), shows(folded, "All is done."), sends("Again"), until("another answer", (screen) => screen.split("All is done.").length > 2)],
	steps: [
		press("ctrl+o"),
		shows(...texts),
		press("ctrl+o"),
		lacks(...texts),
		inRegular(press("escape")),
	],
	leaves: /( Tool output: (expanded|collapsed))*$/,
});

/** The model calls, then says how many times it was asked. */
const then = (...replies) => ({ loop: true, replies: [...replies, "All is done."] });

const ROWS = [
	{
		example: "built-in-tool-renderer",
		files: NOTES,
		script: then(...BUILT_INS),
		steps: [sends("Go"), shows("All is done.")],
		leaves: "Go ✓ read notes.txt 3 lines ✓ $ echo from bash done (1 lines) ✓ edit notes.txt +1 / -1 ✓ write new.txt (2 lines) Written ✓ edit notes.txt +1 / -1 All is done.",
	},
	{
		example: "minimal-mode",
		files: { ...NOTES, "work/more.txt": "alpha\n" },
		args: ["--tools", "read,bash,edit,write,ls,grep,find"],
		script: then(
			[call("read", { path: "notes.txt" }), call("bash", { command: "echo from bash" }), call("ls", { path: "." })],
			[call("find", { pattern: "*.txt" }), call("grep", { pattern: "alpha" })],
		),
		steps: [sends("Go"), shows("All is done.")],
		leaves: "Go ✓ read notes.txt ✓ $ echo from bash ✓ ls . → 2 entries ✓ find *.txt in . → 2 files ✓ grep /alpha/ in . → 2 matches All is done.",
	},
	{
		example: "tool-override",
		files: { ...NOTES, "work/.env": "SECRET=1\n" },
		script: then([call("read", { path: ".env" }), call("read", { path: "notes.txt" })]),
		start: [sends("Go"), shows("✓ read .env", "✓ read notes.txt", "All is done.")],
		steps: [sends("/read-log"), shows("Recent file access:", "BLOCKED", "ALLOWED")],
		leaves: /Recent file access: \[\S+\] BLOCKED: .*\.env \(matches blocked pattern\) \[\S+\] ALLOWED: .*notes\.txt$/,
	},
	{
		example: "truncated-tool",
		bin: { rg: 'for i in $(seq 3000); do echo "notes.txt:$i:line $i"; done' },
		script: then([call("rg", { pattern: "line", path: ".", glob: "*.txt" })]),
		steps: [
			sends("Go"),
			shows('rg "line" in . --glob *.txt', "3000 matches (truncated)", "All is done."),
			lacks("notes.txt:1:"),
		],
		leaves: 'Go ✓ rg "line" in . --glob *.txt 3000 matches (truncated) All is done.',
	},
	{
		example: "structured-output",
		script: { loop: true, replies: [[call("structured_output", { headline: "A headline", summary: "In short.", actionItems: ["Look", "Leap"] })]] },
		steps: [sends("Go"), shows("A headline", "In short.", /1\. Look\n.*2\. Leap/)],
		leaves: /Go .*A headline In short\. 1\. Look 2\. Leap$/,
	},
	{
		example: "todo",
		what: "draws its calls",
		script: then(
			[1, 2, 3, 4, 5, 6].map((id) => call("todo", { action: "add", text: `Thing ${id}` })),
			[call("todo", { action: "toggle", id: 2 }), call("todo", { action: "toggle", id: 70 }), call("todo", { action: "list" })],
			[call("todo", { action: "clear" })],
		),
		steps: [sends("Go"), shows("All is done.")],
		leaves: 'Go ✓ todo add "Thing 1" ✓ Added #1 Thing 1 ✓ todo add "Thing 2" ✓ Added #2 Thing 2 ✓ todo add "Thing 3" ✓ Added #3 Thing 3 ✓ todo add "Thing 4" ✓ Added #4 Thing 4 ✓ todo add "Thing 5" ✓ Added #5 Thing 5 ✓ todo add "Thing 6" ✓ Added #6 Thing 6 ✓ todo toggle #2 ✓ Todo #2 completed ✓ todo toggle #70 Error: #70 not found ✓ todo list 6 todo(s): ○ #1 Thing 1 ✓ #2 Thing 2 ○ #3 Thing 3 ○ #4 Thing 4 ○ #5 Thing 5 ... 1 more ✓ todo clear ✓ Cleared all todos All is done.',
		sizes: [[100, 60], [40, 60], [40, 20]],
	},
	{
		example: "subagent",
		files: {
			"agent/agents/helper.md": "---\nname: helper\ndescription: Helps\ntools: read\n---\nYou are the helper.\n",
			"agent/settings.json": JSON.stringify({ defaultProvider: "loop", defaultModel: "scripted" }),
		},
		sizes: [[100, 30]],
		answers: [
			{ toolCalls: [{ id: "c1", name: "subagent", args: { agent: "helper", task: "Look around" } }] },
			{ text: "I looked." },
			{ toolCalls: [{ id: "c2", name: "subagent", args: { chain: [{ agent: "helper", task: "First" }, { agent: "helper", task: "Then {previous}" }] } }] },
			{ text: "First answer." },
			{ text: "Second answer." },
			{ toolCalls: [{ id: "c3", name: "subagent", args: { agent: "nobody", task: "Look" } }] },
			{ text: "All is done." },
		],
		steps: [sends("Go"), shows("subagent helper [user]", "✓ helper (user)", "I looked."), shows("All is done.")],
		leaves: /subagent chain \(2 steps\) \[user\].*✓ chain 2\/2 steps.*subagent nobody .*All is done\.$/,
	},
	{
		example: "bash-spawn-hook",
		setup: "echo 'export FROM_PROFILE=profile' > ~/.profile",
		script: then([call("bash", { command: "echo $FROM_PROFILE $PI_SPAWN_HOOK" })]),
		steps: [sends("Go"), shows("profile 1", "All is done.")],
		leaves: /Go ✓ \$ .*profile 1 .*All is done\.$/,
	},
	{
		example: "hello",
		script: then([call("hello", { name: "Ada" })]),
		steps: [sends("Go"), shows("Hello, Ada!", "All is done.")],
		leaves: /Go ✓ hello name="Ada" .*Hello, Ada! .*All is done\.$/,
	},
	{
		example: "with-deps",
		script: then([call("parse_duration", { duration: "2 days" }), call("parse_duration", { duration: "soon" })]),
		steps: [sends("Go"), shows("172800000 milliseconds", 'Invalid duration: "soon"', "All is done.")],
		leaves: /2 days = 172800000 milliseconds .*✗ parse_duration .*Invalid duration: "soon".*All is done\.$/,
	},
	{
		example: "dynamic-tools",
		script: then([call("echo_session", { message: "ho" })]),
		steps: [sends("/add-echo-tool shout"), sends("Go"), shows("[session] ho", "All is done.")],
		leaves: /\[session\] ho .*All is done\.$/,
	},
	{
		example: "ssh",
		what: "runs commands elsewhere",
		bin: { ssh: 'shift; exec sh -c "$*"' },
		setup: "mkdir ~/remote",
		args: (place) => ["--ssh", `me@there:${place.root}/remote`],
		start: [shows(/^SSH: me@there:/m)],
		script: then([call("bash", { command: "basename $PWD" })]),
		steps: [sends("Go"), shows("remote", "All is done.")],
		leaves: /✓ \$ basename \$PWD remote .*All is done\.$/,
	},
];

const row = (name) => ROWS.find(({ example }) => example === name);

export const TOOLS = [
	...ROWS,
	unfolds(row("built-in-tool-renderer"), "Written", /^ +\+2 gamma/m, /^ +from bash/m),
	unfolds(row("minimal-mode"), "2 matches", /^ +beta/m, /^ +from bash/m),
	unfolds(row("truncated-tool"), "3000 matches", "... (use read tool to see full output)", "notes.txt:1:line 1"),
];
