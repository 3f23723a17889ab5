// Examples that watch, change or block what goes on.

import assert from "node:assert/strict";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { call, say } from "../driver.mjs";

const DONE = say("Done.");
const TRIGGER = "/tmp/agent-trigger.txt";
const plain = (text) => text.replace(/\x1b\[[\d;]*m/g, "");

const lastId = (file) => JSON.parse(readFileSync(file, "utf8").trim().split("\n").at(-1)).id;

const dangerous = (example, reason) => ({
	example,
	what: "blocks",
	setup: "mkdir keep",
	script: [call(["c1", "bash", { command: "rm -rf keep" }], ["c2", "bash", { command: "echo safe" }]), DONE],
	check(seen) {
		assert.deepEqual([seen.tool("c1").isError, seen.tool("c1").text], [true, reason]);
		assert.equal(seen.tool("c2").text.trim(), "safe");
		assert.ok(seen.exists("work/keep"));
	},
});

/** An example whose only effect is what it asks the user interface to show. */
const shows = (example, method, expected, more = {}) => ({
	example,
	script: [DONE],
	...more,
	check(seen) {
		const shown = JSON.parse(plain(JSON.stringify(seen.ui(method)).replaceAll("\\u001b", "\x1b")));
		if (typeof expected === "function") expected(shown, seen);
		else assert.deepEqual(shown, expected);
	},
});

export const EVENT_CASES = [
	dangerous("permission-gate", "Dangerous command blocked (no UI for confirmation)"),
	dangerous("rpc-demo", "Dangerous command blocked (no UI)"),
	{
		example: "protected-paths",
		what: "blocks",
		script: [call(["c1", "write", { path: ".env", content: "x" }], ["c2", "write", { path: "free.txt", content: "x" }]), DONE],
		check(seen) {
			assert.deepEqual([seen.tool("c1").isError, seen.tool("c1").text], [true, 'Path ".env" is protected']);
			assert.deepEqual([seen.exists("work/.env"), seen.exists("work/free.txt")], [false, true]);
		},
	},
	{
		example: "pirate",
		what: "changes the system prompt",
		prompts: ["Hi", "/pirate", "Hi"],
		script: [say("Hello."), say("Arrr.")],
		check(seen) {
			assert.doesNotMatch(seen.system(0), /PIRATE MODE/);
			assert.match(seen.system(1), /You are now in PIRATE MODE/);
		},
	},
	{
		example: "claude-rules",
		what: "names the rules in the system prompt",
		files: { ".claude/rules/api.md": "Rule.", ".claude/rules/web/css.md": "Rule." },
		script: [DONE],
		check(seen) {
			assert.match(seen.system(0), /- \.claude\/rules\/api\.md\n- \.claude\/rules\/web\/css\.md/);
			assert.deepEqual(seen.ui("notify"), [["Found 2 rule(s) in .claude/rules/", "info"]]);
		},
	},
	{
		example: "prompt-customizer",
		sets: ["current"],
		what: "adds a section to the system prompt",
		script: [DONE],
		flags: ["--tools", "read,bash"],
		check(seen) {
			assert.match(seen.system(0), /- Use `bash` for file operations/);
			assert.doesNotMatch(seen.system(0), /- Use `edit` for precise/);
		},
	},
	{
		example: "input-transform",
		what: "transforms and handles input",
		prompts: ["?quick What is it?", "ping", "As it is"],
		script: [DONE, DONE],
		check(seen) {
			assert.equal(seen.user(0), "Respond briefly in 1-2 sentences: What is it?");
			assert.equal(seen.user(1), "As it is");
			assert.deepEqual(seen.ui("notify"), [["pong", "info"]]);
		},
	},
	{
		example: "input-transform-streaming",
		sets: ["current"],
		setup: "git init -q .; git config user.email a@b; git config user.name n; echo a > f; git add .; git commit -qm f; echo b >> f",
		prompts: ["Look at my changes", "Hi"],
		script: [DONE, DONE],
		check(seen) {
			assert.match(seen.user(0), /^Look at my changes\n\nCurrent uncommitted changes:\n```\nf \| 1 \+/);
			assert.equal(seen.user(1), "Hi");
		},
	},
	{
		example: "inline-bash",
		prompts: ["The sum is !{echo $((40 + 2))}, the error !{echo bad >&2; exit 1}"],
		script: [DONE],
		check: (seen) => assert.equal(seen.user(0), "The sum is 42, the error bad"),
	},
	{
		example: "provider-payload",
		what: "sees the request",
		setup: "mkdir .pi",
		script: [DONE],
		flags: ["--no-approve"],
		check(seen, set) {
			const log = seen.file("work/.pi/provider-payload.log");
			assert.equal(JSON.parse(log.split("\n\n")[0]).model, "loop-a");
			if (set === "current") assert.match(log, /^\[200\] \{.*"content-type":"text\/event-stream"/m);
		},
	},
	{
		example: "debug-provider",
		what: "keeps what the provider sends",
		sets: ["reference"],
		prompts: ["/debug-provider on", "Hi"],
		script: [DONE],
		check(seen) {
			const [{ data }] = seen.entries("debug-provider-events");
			assert.deepEqual([data.provider, data.api, data.model], ["loop-anthropic", "anthropic-messages", "loop-a"]);
			const kinds = data.events.map(({ type }) => type);
			assert.deepEqual([kinds[0], kinds.at(-1)], ["message_start", "message_stop"]);
			assert.ok(kinds.includes("content_block_delta"));
		},
	},
	{
		example: "notify",
		what: "writes to the terminal without harm to the output",
		script: [DONE],
		check: (seen) => assert.ok(seen.events.some(({ type }) => type === "agent_end")),
	},
	{
		example: "plan-mode",
		what: "allows reading only",
		flags: ["--plan"],
		script: [call(["c1", "bash", { command: "touch x" }], ["c2", "bash", { command: "ls" }]), say("Plan:\n1. Look around"), DONE],
		prompts: ["Go", "/plan", "Go"],
		check(seen, set) {
			assert.ok(seen.tools(0).includes("bash") && !seen.tools(0).includes("edit") && !seen.tools(0).includes("write"));
			assert.match(seen.tool("c1").text, /^Plan mode: command blocked/);
			assert.equal(seen.tool("c2").isError, false);
			assert.match(seen.messages(0), /\[PLAN MODE ACTIVE\]/);
			assert.ok(seen.tools(2).includes("edit"));
			assert.doesNotMatch(seen.messages(2), /\[PLAN MODE ACTIVE\]/);
			if (set === "current") assert.equal(seen.entries("plan-mode").at(-1).data.enabled, false);
		},
	},
	{
		example: "preset",
		what: "sets model, thinking, tools and instructions",
		files: {
			".pi/presets.json": JSON.stringify({
				plan: { provider: "loop-openai", model: "loop-o", thinkingLevel: "high", tools: ["read", "none"], instructions: "Only plan." },
			}),
		},
		prompts: ["/preset nothing", "/preset plan", "Go"],
		flags: ["--no-approve"],
		script: [DONE],
		check(seen) {
			assert.equal(seen.requests[0].path, "/v1/chat/completions");
			assert.equal(seen.requests[0].body.reasoning_effort, "high");
			assert.deepEqual(seen.tools(0), ["read"]);
			assert.match(seen.system(0), /\n\nOnly plan\.$/);
			assert.deepEqual(seen.entries("preset-state").map(({ data }) => data), [{ name: "plan" }]);
			const notes = seen.ui("notify").map(([text]) => text);
			assert.deepEqual(notes, [
				'Unknown preset "nothing". Available: plan',
				'Preset "plan": Unknown tools: none',
				'Preset "plan" activated',
			]);
		},
	},
	{
		example: "model-status",
		with: ["preset"],
		what: "hears of a new model",
		agentFiles: { "presets.json": JSON.stringify({ other: { provider: "loop-openai", model: "loop-o" } }) },
		prompts: ["/preset other", "Go"],
		script: [DONE],
		check(seen) {
			assert.ok(seen.ui("notify").some(([text]) => text === "Model: loop-openai/loop-o"));
			assert.ok(seen.ui("setStatus").some(([key, text]) => key === "model" && text === "🤖 loop-o"));
		},
	},
	{
		example: "tools",
		what: "restores the choice of a session",
		runs: [{ script: [DONE] }, { flags: ["-c"], script: [DONE] }],
		before(home, number) {
			if (number === 0) return;
			const [file] = home.sessions();
			const entry = { type: "custom", customType: "tools-config", data: { enabledTools: ["read", "gone"] } };
			appendFileSync(file, `${JSON.stringify({ ...entry, id: "aaaaaaaa", parentId: lastId(file), timestamp: new Date().toISOString() })}\n`);
		},
		check(seen) {
			assert.ok(seen.tools(0).length > 1);
			assert.deepEqual(seen.tools(1), ["read"]);
		},
	},
	{
		example: "dynamic-resources",
		what: "adds a skill and a prompt",
		prompts: ["/dynamic"],
		script: [DONE],
		check(seen) {
			assert.match(seen.system(0), /Example skill loaded from resources_discover/);
			assert.match(seen.user(0), /^Summarize the current repository structure/);
		},
	},
	{
		example: "file-trigger",
		what: "brings a file's text into the conversation",
		// The example watches this very file; the reference does not end while it does.
		alone: true,
		unlessReference: true,
		before: () => writeFileSync(TRIGGER, ""),
		after: () => rmSync(TRIGGER, { force: true }),
		script: [call(["c1", "bash", { command: `echo Run the tests > ${TRIGGER}; sleep 0.5` }]), DONE, DONE],
		stepsLeft: true,
		check(seen) {
			assert.match(seen.messages(1), /External trigger: Run the tests/);
			assert.equal(seen.entries("file-trigger")[0].content, "External trigger: Run the tests");
		},
	},
	{
		example: "project-trust",
		sets: ["current"],
		what: "is asked before the project is used",
		files: { ".pi/SYSTEM.md": "The project's own prompt." },
		script: [DONE],
		check(seen) {
			const notes = seen.ui("notify").map(([text]) => text);
			assert.deepEqual(notes, [
				`project_trust fired for ${seen.home.work} (mode: json, load: 1)`,
				`project-trust example loaded after trust resolution in ${seen.home.work}`,
			]);
			assert.doesNotMatch(seen.system(0), /The project's own prompt/);
		},
	},
	{
		example: "github-issue-autocomplete",
		sets: ["current"],
		what: "reads the issues",
		bin: { gh: 'echo "$@" > "$HOME/gh.log"; echo "[]"' },
		setup: "git init -q .; git remote add origin git@github.com:a/b.git",
		script: [call(["c1", "bash", { command: "until [ -e ~/gh.log ]; do sleep 0.05; done" }]), DONE],
		check(seen) {
			assert.match(seen.file("gh.log"), /^issue list --repo a\/b /);
			assert.equal(seen.ui("addAutocompleteProvider").length, 1);
		},
	},
	shows("status-line", "setStatus", [["status-demo", "Ready"], ["status-demo", "● Turn 1..."], ["status-demo", "✓ Turn 1 complete"]]),
	shows("system-prompt-header", "setStatus", (shown, seen) => {
		assert.equal(shown[0][1], `System: ${seen.system(0).length} chars`);
	}),
	shows("titlebar-spinner", "setTitle", (shown) => {
		assert.deepEqual([shown[0], shown.at(-1)], [["π - work"], ["π - work"]]);
		assert.ok(shown.some(([title]) => title === "⠋ π - work"));
	}, { animated: true, script: [call(["c1", "bash", { command: "sleep 0.5" }]), DONE] }),
	shows("mac-system-theme", "setTheme", [["dark"]], { bin: { osascript: "echo true" } }),
	shows("working-indicator", "setStatus", (shown) => {
		assert.deepEqual(shown.map(([, text]) => text), ["Indicator: custom spinner", "Indicator: static dot"]);
	}, { sets: ["current"], prompts: ["/working-indicator dot"], script: [] }),
	shows("working-message-test", "setWorkingMessage", [["Working... (custom)"]], { sets: ["current"] }),
	shows("hidden-thinking-label", "setHiddenThinkingLabel", [["Pondering..."], ["Musing"]], {
		sets: ["current"],
		prompts: ["/thinking-label Musing"],
		script: [],
	}),
];
