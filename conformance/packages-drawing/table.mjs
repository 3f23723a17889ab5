// Published packages that draw, and how each is made to.

/** A key that only terminals with an extended keyboard send, as kitty writes it. */
const extended = (letter, modifiers) => `\x1b[${letter.charCodeAt(0)};${modifiers}u`;
const CTRL_SHIFT = 6;
/** Escape, as one sequence that keys can follow at once. */
const ESCAPE = "\x1b[27u";
const ALT_SLASH = "\x1b/";

/** Done again, until what should come comes. */
export const AGAIN = "again";

const say = (text) => ({ text });
const call = (name, args) => ({ toolCalls: [{ id: `call-${name}-${JSON.stringify(args).length}`, name, args }] });
/** An answer for each request of those that nobody counts. */
const always = (text) => Array.from({ length: 100 }, () => say(text));

const QUESTIONS = [
	{
		question: "Which database?",
		header: "Database",
		options: [
			{ label: "SQLite", description: "one file" },
			{ label: "Postgres", description: "a server" },
		],
	},
	{
		question: "Which parts?",
		header: "Parts",
		multiSelect: true,
		options: [
			{ label: "API", description: "the server" },
			{ label: "UI", description: "the screen" },
		],
	},
];

const SKILL = "---\nname: tides\ndescription: Tides\n---\n\n# Tides\n\nLook at the moon.\n";
const SERVER = {
	mcpServers: { everything: { command: "node", args: ["../everything.mjs"] } },
};

/**
 * A row: `package`, and other packages `with` it; `from`, where they are installed, by default in this folder; `what` is drawn;
 * `files` of the place, which is a `repository`, or has the MCP server `everything`; `args` of tau; `replies` of the model;
 * `steps`, each what is done and what is on the screen then. What is done is
 *   /command           typed, and enter
 *   > text             a prompt, and enter
 *   the name of a key  pressed
 *   anything else      typed
 * A text that begins with `no ` has gone, and one that begins with `closed ` has gone and the editor is back. With `AGAIN` it is
 * done until the text is there, for packages that take no keys at first. After the step
 * with the number `open` the terminal gets narrow and wide again. `footer` is in a footer that is not that of tau. `todo` says
 * why a row does not work yet.
 */
export const ROWS = [
	{
		package: "pi-bar",
		footer: "❯",
		what: "a footer, and its settings in the place of the editor",
		steps: [
			["/bar", "pi-bar configuration"],
			["down", "→ Thinking level"],
			["escape", "closed pi-bar configuration"],
			["", "❯"],
		],
		open: 1,
	},
	{
		package: "pi-bar",
		what: "what is typed right behind the key that closes it",
		footer: "❯",
		steps: [
			["/bar", "pi-bar configuration"],
			[`${ESCAPE}ahead`, "\nahead\n"],
			["ctrl+u", "no ahead"],
		],
	},
	{
		package: "@juicesharp/rpiv-i18n",
		what: "a list",
		steps: [
			["/languages", "→ Deutsch (de)"],
			["down", "→ English (en)"],
			["enter", "Language: en"],
		],
		open: 1,
	},
	{
		package: "@juicesharp/rpiv-advisor",
		what: "a list that filters, and another one",
		steps: [
			["/advisor", "→ scripted  (loop)"],
			["enter", "Advisor: loop/scripted"],
		],
		open: 0,
	},
	{
		package: "@juicesharp/rpiv-btw",
		what: "an overlay with an answer",
		replies: [say("A side answer."), say("A main answer.")],
		steps: [
			["/btw What is this?", "A side answer."],
			["escape", "closed A side answer."],
			["> Hello", "A main answer."],
		],
		open: 0,
	},
	{
		package: "@juicesharp/rpiv-todo",
		what: "a widget that folds, and its tool's calls",
		replies: [
			call("todo", { action: "create", subject: "Write the tests" }),
			call("todo", { action: "update", id: 1, status: "in_progress", activeForm: "writing tests" }),
			say("Planned."),
		],
		steps: [
			["> Go", "└─ ◐ Write the tests (writing tests)"],
			[extended("t", CTRL_SHIFT), "└─ ctrl+shift+t to expand"],
			[extended("t", CTRL_SHIFT), "└─ ◐ Write the tests (writing tests)"],
		],
		open: 0,
	},
	{
		package: "@juicesharp/rpiv-ask-user-question",
		what: "questions on tabs while a tool waits",
		replies: [call("ask_user_question", { questions: QUESTIONS }), say("Thanks.")],
		steps: [
			["> Ask", "❯ 1. SQLite"],
			["down", "❯ 2. Postgres"],
			["enter", "❯ 1. [ ] API"],
			[" ", "1. [✔] API"],
			["tab", "Review your answers"],
			["enter", "Thanks."],
		],
		open: 1,
	},
	{
		package: "@juicesharp/rpiv-web-tools",
		what: "the calls of its tools",
		replies: [call("web_fetch", { url: "http://127.0.0.1:9/none" }), say("Fetched nothing.")],
		steps: [["> Go", "WebFetch http://127.0.0.1:9/none"]],
		open: 0,
	},
	{
		package: "@juicesharp/rpiv-web-tools",
		what: "a call that is unfolded when it is over",
		replies: [call("web_fetch", { url: "http://127.0.0.1:9/none" }), say("Fetched nothing."), say("Still nothing.")],
		steps: [
			["> Go", "Fetched nothing."],
			["> And now?", "Still nothing."],
			["ctrl+o", "Refusing to fetch private/loopback address"],
			["escape", "closed Refusing to fetch"],
		],
	},
	{
		package: "@juicesharp/rpiv-pi",
		with: ["@juicesharp/rpiv-workflow"],
		what: "a list that filters, in steps",
		steps: [
			["/rpiv-models", "Select scope."],
			["escape", "closed Select scope."],
		],
		open: 0,
	},
	{
		package: "@juicesharp/rpiv-pi",
		with: ["@juicesharp/rpiv-workflow"],
		what: "a widget, an editor of its own, and a console that it opens",
		replies: always("An answer."),
		steps: [
			["/wf vet the change", "↓ step in · /lanes"],
			["down", "↑/↓ lanes ·", AGAIN],
			["escape", "closed ↑/↓ lanes ·"],
		],
		open: 0,
	},
	{
		package: "@juicesharp/rpiv-pi",
		with: ["@juicesharp/rpiv-workflow"],
		what: "a conversation in its console",
		replies: always("An answer."),
		steps: [
			["/wf vet the change", "↓ step in · /lanes"],
			["down", "An answer.", AGAIN],
			["escape", "closed An answer."],
		],
	},
	{
		package: "pi-btw",
		what: "an overlay with an answer",
		replies: [say("A side answer.")],
		steps: [
			["/btw What is this?", "A side answer."],
			["", "What is this?  "],
			["escape", "closed A side answer."],
		],
		open: 0,
	},
	{
		package: "pi-btw",
		what: "an overlay that takes the keys, gives them back, and takes them again",
		replies: [say("A side answer.")],
		steps: [
			["/btw What is this?", "A side answer."],
			["inside", "│> inside"],
			[ALT_SLASH, "│> inside"],
			["outside", "\noutside"],
			["ctrl+u", "no outside"],
			[ALT_SLASH, "│> inside"],
			["!", "│> inside!"],
			["escape", "closed A side answer."],
		],
		open: 1,
	},
	{
		package: "pi-autoresearch",
		what: "a widget, the calls of its tools, and an overlay over the whole screen",
		replies: [
			call("init_experiment", { name: "speed", metric_name: "time", metric_unit: "ms", direction: "lower" }),
			call("run_experiment", { command: "echo METRIC time=12" }),
			call("log_experiment", { commit: "abc1234", metric: 12, status: "keep", description: "baseline" }),
			...always("Measured."),
		],
		repository: true,
		files: { "agent/extensions/pi-autoresearch.json": '{"shortcuts":{"fullscreenDashboard":"ctrl+shift+j"}}' },
		steps: [
			["/autoresearch make it fast", "Baseline: ★ time: 12ms"],
			["escape", "Baseline: ★ time: 12ms"],
			[extended("j", CTRL_SHIFT), "no ctrl+shift+j fullscreen"],
			["escape", "ctrl+shift+j fullscreen"],
			["/autoresearch off", "Autoresearch mode OFF"],
		],
		open: 2,
	},
	{
		package: "pi-lens",
		what: "a widget below the editor",
		steps: [
			["", "LSP Inactive"],
			["/lens-widget-toggle", "pi-lens widget hidden"],
			["/lens-widget-toggle", "pi-lens widget shown"],
		],
		open: 2,
	},
	{
		package: "pi-markdown-preview",
		what: "a list of answers",
		replies: [say("The first answer."), say("The second answer.")],
		steps: [
			["> Go", "The first answer."],
			["> Go on", "The second answer."],
			["/preview --pick", "Select Response to Preview"],
			["escape", "closed Select Response to Preview"],
		],
		open: 2,
	},
	{
		package: "pi-mcp-adapter",
		from: "conformance",
		what: "an overlay with the tools of a server, another one, and the calls of its tool",
		everything: true,
		files: { "work/.mcp.json": JSON.stringify(SERVER) },
		args: ["--approve"],
		replies: [call("mcp", { search: "echo" }), say("Found.")],
		steps: [
			["", "1 server enabled (1 connected)"],
			["/mcp", "▸ ○ everything"],
			["enter", "▾ ○ everything"],
			["escape", "closed ▾ ○ everything"],
			["/mcp setup", "› ● Add to this project"],
			["down", "› ○ Add globally"],
			["escape", "closed Add globally"],
			["> Go", 'mcp search echo → Found 1 tool matching "echo"'],
		],
		open: 2,
	},
	{
		package: "pi-mcp-adapter",
		from: "conformance",
		what: "a call in one row",
		everything: true,
		files: { "work/.mcp.json": JSON.stringify(SERVER) },
		args: ["--approve"],
		replies: [call("mcp", { search: "echo" }), say("Found.")],
		steps: [
			["", "1 server enabled (1 connected)"],
			["> Go", "✓ mcp search echo →"],
		],
	},
	{
		package: "pi-mermaid",
		from: "conformance",
		what: "messages of its own",
		replies: [say("Here:\n\n```mermaid\ngraph LR\n  A[Parse] --> B[Check]\n```\n"), say("Drawn.")],
		steps: [["> Draw", "│ Parse ├────►│ Check │"]],
		open: 0,
	},
	{
		package: "pi-prompt-template-model",
		from: "conformance",
		what: "messages of its own",
		files: {
			"agent/skills/tides/SKILL.md": SKILL,
			"agent/prompts/tide.md": "---\ndescription: Tide\nmodel: scripted\nskill: tides\n---\nWhen is high water? $@\n",
		},
		replies: [say("At noon.")],
		steps: [["/tide today", "Look at the moon."]],
		open: 0,
	},
	{
		package: "pi-web-access",
		from: "conformance",
		what: "a widget that a key opens, and the calls of its tools",
		replies: [call("fetch_content", { url: "http://127.0.0.1:9/none" }), say("Fetched nothing.")],
		steps: [
			[extended("w", CTRL_SHIFT), "Web Search Activity"],
			["> Go", "fetch http://127.0.0.1:9/none"],
			[extended("w", CTRL_SHIFT), "no Rate: "],
		],
		open: 0,
	},
	{
		package: "pi-subagents",
		what: "a list, the calls of its tool, and an overlay",
		replies: [call("subagent", { action: "list" }), say("Listed.")],
		steps: [
			["/subagents", "→ claude-code [builtin]"],
			["down", "→ claude-code-writer [builtin]"],
			["escape", "closed → claude-code-writer"],
			["> Go", "Executable agents:"],
			["/subagents-fleet", "Subagent fleet inspector"],
			["escape", "closed Subagent fleet inspector"],
		],
		open: 4,
	},
	{
		package: "pi-subagents",
		what: "a list that is as high as the screen",
		steps: [
			["/subagents", "\nSelect subagent\n"],
			["escape", "closed Select subagent"],
		],
	},
	{
		package: "@tintinweb/pi-subagents",
		what: "the call of its tool, and a widget with the agents that run",
		replies: [
			call("Agent", { prompt: "Say hi", description: "Say hi", subagent_type: "general-purpose", run_in_background: true }),
			...always("Said."),
		],
		steps: [
			["> Go", "⏺ main"],
			["/agents", "→ Running agents (1)"],
			["escape", "closed → Running agents (1)"],
		],
		open: 1,
	},
	{
		package: "@gotgenes/pi-permission-system",
		what: "settings in an overlay",
		steps: [
			["/permission-system", "→ YOLO mode"],
			["escape", "closed → YOLO mode"],
		],
		open: 0,
	},
	{
		package: "@gotgenes/pi-permission-system",
		what: "a question before a call",
		replies: [call("bash", { command: "echo hello" }), say("Called.")],
		steps: [
			["> Go", "Permission Required"],
			["enter", "Called.", AGAIN],
		],
		open: 0,
	},
	{
		package: "@baochunli/pi-collaborating-agents",
		what: "an overlay with tabs",
		steps: [
			["/agents", "▸ Agents │ Feed"],
			["tab", "Agents │ ▸ Feed"],
			["escape", "closed ▸ Feed"],
		],
		open: 1,
	},
	{
		package: "@aliou/pi-processes",
		what: "a list and an overlay with what processes write, a widget, and the calls of its tool",
		replies: [call("process", { action: "start", name: "ticker", command: "echo tick; sleep 300" }), say("Started.")],
		steps: [
			["> Go", "Process: start `ticker`"],
			["/ps", "> echo tick; sleep 300"],
			["escape", "closed > echo tick; sleep 300"],
			["/ps:logs", "Process Logs"],
			["escape", "closed Process Logs"],
			["/ps:dock", "── Processes ──"],
			["/ps:kill", "Killed ticker"],
		],
		open: 3,
	},
	{
		package: "@capyup/pi-goal",
		what: "questions on tabs while a tool waits, and the call of the tool",
		replies: [
			call("goal_questionnaire", {
				questions: [
					{ id: "scope", question: "How far?", options: ["All", "Some"] },
					{ id: "when", question: "When?", options: ["Now", "Later"] },
				],
			}),
			...always("Asked."),
		],
		steps: [
			["/goals Write the report", "> 1. All"],
			["down", "> 2. Some"],
			["enter", "> 1. Now"],
			["enter", "Ready to submit"],
			["enter", "Asked."],
		],
		open: 1,
	},
	{
		package: "@tmustier/pi-ralph-wiggum",
		what: "a widget of texts, and a status",
		replies: [say("Worked.")],
		steps: [
			["/ralph start feature", "Worked."],
			["", "Ralph Wiggum"],
			["/ralph-stop", "Stopped Ralph loop: feature"],
		],
		open: 1,
	},
	{
		package: "pi-system-theme",
		what: "lists",
		steps: [
			["/system-theme", "→ Dark theme: dark"],
			["down", "→ Light theme: light"],
			["escape", "closed Light theme: light"],
		],
		open: 1,
	},
	{
		package: "pi-sync-system-theme",
		what: "lists",
		steps: [
			["/system-theme", "→ Dark theme: dark"],
			["down", "→ Light theme: light"],
			["escape", "closed Light theme: light"],
		],
		open: 1,
	},
];
