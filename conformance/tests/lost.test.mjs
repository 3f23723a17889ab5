// What published extensions rely on and tau once lost: each case runs in both programs and says the same.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { selfCheck } from "../lib/agents.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { Rpc } from "../lib/rpc.mjs";

const call = (name, args = {}) => ({ toolCalls: [{ id: `call_${name}`, name, args }] });
const NO_ARGUMENTS = `parameters: { type: "object", properties: {} }`;
const ADDED = `role: "custom", customType: "k", content: "added", timestamp: 1`;

/** `source` is the body of a factory, with `tell` to write down what is compared; prompts are said one after another. */
const CASES = [
	{
		name: "a tool without a label, with further fields in its result and its updates",
		script: [call("bare"), { text: "Done." }],
		source: `
			pi.registerTool({ name: "bare", description: "B.", ${NO_ARGUMENTS}, async execute(id, args, signal, onUpdate) {
				onUpdate({ content: [], details: {}, progress: 1 });
				return { content: [{ type: "text", text: "T" }], isError: false, more: { a: 1 }, nothing: null };
			} });
			pi.on("tool_execution_update", ({ partialResult }) => tell(partialResult));
			pi.on("tool_execution_end", ({ result, isError }) => tell(result, isError));`,
	},
	{
		name: "fields of a result that is an error, after a handler replaced its content",
		script: [call("fails"), { text: "Done." }],
		source: `
			pi.registerTool({ name: "fails", label: "F", description: "F.", ${NO_ARGUMENTS}, execute: async () => (
				{ content: [{ type: "text", text: "T" }], isError: true, more: 1 }) });
			pi.on("tool_result", () => ({ content: [{ type: "text", text: "other" }] }));
			pi.on("tool_execution_end", ({ result, isError }) => tell(result, isError));`,
	},
	{
		name: "kinds of notices",
		script: [],
		prompts: ["/tell"],
		source: `pi.registerCommand("tell", { description: "T", handler: async (_, ctx) => {
			for (const kind of ["success", "warning", undefined]) ctx.ui.notify("A notice", kind);
		} });`,
		records: ({ type, method, notifyType }) => (type === "extension_ui_request" ? [method, notifyType] : undefined),
	},
	{
		name: "keywords of schemas",
		script: [{ text: "Done." }],
		source: `
			const add = (name, parameters) => pi.registerTool({ name, label: name, description: name, parameters, async execute() {} });
			add("more", { type: "object", properties: { a: { type: "object", additionalProperties: true } }, additionalProperties: true });
			add("either", { anyOf: [{ type: "object", properties: { a: { type: "string" } } }] });
			add("referring", { type: "object", properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { type: "string" } }, title: "R" });`,
		requests: (bodies) => bodies[0].tools.filter(({ name }) => ["more", "either", "referring"].includes(name)),
	},
	{
		name: "skills without the agent's folder",
		script: [{ text: "Done." }],
		imports: `import { loadSkills } from "@earendil-works/pi-coding-agent";`,
		source: `pi.on("session_start", () => tell(loadSkills({ cwd: process.cwd(), skillPaths: [] })));`,
	},
	{
		name: "a program that is missing",
		script: [{ text: "Done." }],
		source: `pi.on("session_start", async () => { const { code, stderr, stdout } = await pi.exec("no-such-program", []); tell(code, stderr, stdout); });`,
	},
	{
		name: "the place of a tool that is replaced",
		script: [{ text: "Done." }],
		source: `
			pi.registerTool({ name: "bash", label: "B", description: "B.", ${NO_ARGUMENTS}, async execute() {} });
			pi.registerTool({ name: "own", label: "O", description: "O.", ${NO_ARGUMENTS}, async execute() {} });
			const known = ["read", "bash", "edit", "write", "own"];
			pi.on("session_start", () => tell(pi.getAllTools().map(({ name }) => name).filter((name) => known.includes(name)), pi.getActiveTools()));`,
		requests: (bodies) => bodies[0].tools.map(({ name }) => name),
	},
	{
		name: "colours",
		script: [{ text: "Done." }],
		source: `pi.on("session_start", (_, ctx) => tell(ctx.ui.theme.getColorMode()));`,
	},
	{
		name: "odd messages in a context",
		script: [{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }],
		prompts: ["One", "Two", "Three", "Four"],
		source: `
			const added = [{ ${ADDED}, display: null }, { ${ADDED} }, { ${ADDED}, timestamp: "now" }, { ${ADDED}, customType: null }];
			pi.on("context", ({ messages }) => ({ messages: [...messages.slice(-1), added.shift()] }));`,
		requests: (bodies) => bodies.map(({ messages }) => messages.map(({ role, content }) => [role, texts(content)])),
	},
	{
		name: "messages and entries without a kind",
		script: [{ text: "1" }],
		source: `
			pi.on("before_agent_start", () => ({ message: { content: "A", display: null } }));
			pi.on("turn_end", () => ({ entries: [{ type: "custom_message", content: "E" }] }));
			pi.on("extension_error", tell);`,
		requests: (bodies) => bodies.map(({ messages }) => messages.map(({ role, content }) => [role, texts(content)])),
		records: (record) => (record.type === "entry_appended" ? [record.entry.type, record.entry.content] : undefined),
	},
	{
		name: "display that is no boolean",
		script: [{ text: "1" }],
		source: `
			pi.on("before_agent_start", () => ({ message: { customType: "k", content: "A", display: "tool" } }));
			pi.on("session_start", () => { for (const display of ["tool", 1, {}]) pi.sendMessage({ customType: "k", content: "S", display }); });
			pi.on("extension_error", tell);`,
		requests: (bodies) => bodies.map(({ messages }) => messages.map(({ role, content }) => [role, texts(content)])),
	},
	...["message_start", "message_end"].map((event) => ({
		name: `steering in ${event} of the prompt's own message`,
		script: [{ text: "1" }],
		source: `let sent = false; pi.on("${event}", ({ message }) => {
			if (message.role !== "user" || sent) return;
			sent = true;
			pi.sendMessage({ customType: "k", content: "steered", display: true }, { deliverAs: "steer" });
		});`,
		requests: (bodies) => bodies.map(({ messages }) => messages.map(({ role, content }) => [role, texts(content)])),
	})),
	{
		name: "an entry at a boundary that cannot be appended",
		script: [{ text: "1" }],
		source: `pi.on("turn_end", () => ({ entries: [{ type: "context_edit", targetId: "nope", replacement: null }] }));`,
		records: ({ type, extensionPath, event, error }) =>
			type === "extension_error" ? [extensionPath.endsWith("extension.ts"), event, error.startsWith("Invalid boundary entries:")] : undefined,
	},
	{
		name: "an estimate with a fraction",
		settings: { compaction: { keepRecentTokens: 1 } },
		script: [{ text: "1" }, { text: "2" }],
		prompts: ["One", "Two"],
		last: "compact",
		source: `pi.on("session_before_compact", ({ preparation: { firstKeptEntryId } }) => (
			{ compaction: { summary: "S", firstKeptEntryId, tokensBefore: 10.5 } }));
			pi.on("session_compact", ({ compactionEntry }) => tell(compactionEntry.summary, Math.trunc(compactionEntry.tokensBefore)));`,
	},
];

const texts = (content) => (typeof content === "string" ? content : content.map(({ text }) => text).join());

/** What a case comes to in a program: what the extension told, what was recorded, what was sent. */
async function outcome(t, program, { script, source, imports = "", prompts = ["Go"], settings, last, records, requests }) {
	const server = await startLoopback(script);
	const home = makeHome({ origin: server.origin, settings });
	t.after(async () => {
		await server.close();
		home.remove();
	});
	const told = join(home.work, "told.jsonl");
	const tell = `const tell = (...what) => appendFileSync(${JSON.stringify(told)}, JSON.stringify(what) + "\\n");`;
	writeFileSync(
		join(home.work, "extension.ts"),
		`import { appendFileSync } from "node:fs";\n${imports}\nexport default (pi) => { ${tell} ${source} };`,
	);
	const rpc = new Rpc(program, home, ["--model", MODELS.anthropic, "-e", "./extension.ts"]);
	for (const prompt of prompts) {
		if (prompt.startsWith("/")) await rpc.send("prompt", { message: prompt });
		else await rpc.prompt(prompt);
	}
	if (last) await rpc.send(last);
	await rpc.close();
	return {
		told: existsSync(told) ? readFileSync(told, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line)) : [],
		records: records ? rpc.records.map(records).filter((record) => record !== undefined) : [],
		requests: requests?.(server.bodies()),
	};
}

describe("what extensions lost once", { skip: selfCheck }, () => {
	for (const item of CASES) {
		test(item.name, async (t) => {
			const expected = await outcome(t, "reference", item);
			const said = expected.told.length + expected.records.length > 0 || expected.requests !== undefined;
			assert.ok(said, "the case says something");
			assert.deepEqual(await outcome(t, "tau", item), expected);
		});
	}
});
