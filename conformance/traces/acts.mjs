// For both programs: what extensions do in the scenarios. `TRACE_ACT` names the act of the run; the tool `work` and the
// command `go` are always there.

import { readFileSync } from "node:fs";
import { note } from "./recorder.mjs";

const text = (text) => ({ content: [{ type: "text", text }], details: {} });

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until the trace shows as many lines that begin so. */
async function shown(line, count = 1) {
	while (readFileSync(process.env.TRACE_FILE, "utf8").split(`\n${line}`).length <= count) await later(5);
}

/** Something must be left to wait for, or Node ends. */
const aborted = async (signal) => {
	const awake = setInterval(() => {}, 1000);
	await new Promise((resolve) => signal.addEventListener("abort", resolve));
	clearInterval(awake);
};

/** Tells a half of its work, then waits for what it is told to wait for. */
const WORK = {
	name: "work",
	label: "Work",
	description: "Works.",
	parameters: {
		type: "object",
		properties: { say: { type: "string" }, after: { type: "string" }, fail: { type: "boolean" } },
		required: ["say"],
	},
	async execute(id, { say, after, fail }, signal, onUpdate) {
		// Of calls side by side nobody promises whose first word is heard first.
		if (say === "fast") await shown(`{"type":"tool_execution_update","toolCallId":"call_1"`);
		onUpdate({ content: [{ type: "text", text: `half of ${say}` }], details: { half: true } });
		if (after === "ever") await aborted(signal);
		else if (after) await shown(`{"type":"tool_execution_end","toolCallId":"${after}"`);
		if (fail) throw new Error(`no ${say}`);
		return text(say);
	},
};

/** Runs once in each session. */
const once = (pi, event, act) => {
	let ran = false;
	pi.on(event, (...args) => {
		if (ran) return undefined;
		ran = true;
		return act(...args);
	});
};

/** What an extension does at an event. */
const ACTS = {
	block: (pi) =>
		pi.on("tool_call", ({ input }) => (input.say === "harm" ? { block: true, reason: "Not this." } : undefined)),
	change: (pi) => {
		pi.on("tool_result", ({ isError }) =>
			isError ? { content: [{ type: "text", text: "mended" }], details: { by: "act" }, isError: false } : undefined,
		);
	},
	steer: (pi) => once(pi, "tool_execution_start", () => pi.sendUserMessage("Quicker!", { deliverAs: "steer" })),
	"follow-up": (pi) => once(pi, "turn_start", () => pi.sendUserMessage("And then?", { deliverAs: "followUp" })),
	notes: (pi) => {
		const draft = (content) => ({ customType: "note", content, display: true, details: { from: "act" } });
		once(pi, "session_start", () => pi.sendMessage(draft("For the next turn."), { deliverAs: "nextTurn" }));
		once(pi, "before_agent_start", ({ systemPrompt }) => ({
			message: draft("From before the start."),
			systemPrompt: `${systemPrompt}\nBe brief.`,
		}));
		once(pi, "tool_execution_start", () => {
			pi.sendMessage(draft("Steered."), { deliverAs: "steer" });
			pi.sendMessage(draft("Recorded."), { triggerTurn: false });
			pi.sendMessage(draft("Followed."), { deliverAs: "followUp" });
		});
	},
	boundaries: (pi) => {
		once(pi, "turn_end", ({ messageEntryId }) => ({
			entries: [
				{ type: "context_edit", targetId: messageEntryId, replacement: { content: "Said, in other words." } },
				{ type: "custom_message", customType: "note", content: "Say that again.", display: false },
				{ type: "custom", customType: "state", data: { step: 1 } },
			],
			continue: true,
		}));
		once(pi, "agent_before_settle", () => ({
			entries: [{ type: "custom_message", customType: "note", content: "One more.", display: true }],
			continue: true,
		}));
	},
};

const kinds = (entries) =>
	entries.map((entry) => (entry.type === "message" ? entry.message.role : entry.type)).filter((kind) => kind !== "system");
const of = (ctx, role) => ctx.sessionManager.getBranch().filter((entry) => entry.message?.role === role);
const branch = (ctx) => kinds(ctx.sessionManager.getBranch());
const told = (name) => async (next) => note({ [name]: branch(next) });

/** What an extension does by command: `/go new`. */
const COMMANDS = {
	new: async (ctx) => {
		const done = await ctx.newSession({
			parentSession: ctx.sessionManager.getSessionFile(),
			setup: async (manager) => {
				note({ setup: kinds(manager.getEntries()) });
				manager.appendMessage({ role: "user", content: [{ type: "text", text: "From before" }], timestamp: 1 });
			},
			withSession: told("withSession"),
		});
		note({ done });
	},
	resume: async (ctx) => {
		const old = ctx.sessionManager.getSessionFile();
		await ctx.newSession({
			withSession: async (next) => note({ done: await next.switchSession(old, { withSession: told("withSession") }) }),
		});
	},
	"fork-before": async (ctx) => note({ done: await ctx.fork(of(ctx, "user")[1].id, { withSession: told("withSession") }) }),
	"fork-at": async (ctx) => {
		const options = { position: "at", withSession: told("withSession") };
		note({ done: await ctx.fork(of(ctx, "assistant")[0].id, options) });
	},
	tree: async (ctx) => {
		const how = { summarize: true, customInstructions: "names", label: "left" };
		note({ done: await ctx.navigateTree(of(ctx, "assistant")[0].id, how), branch: branch(ctx) });
	},
	"tree-user": async (ctx) => note({ done: await ctx.navigateTree(of(ctx, "user")[1].id), branch: branch(ctx) }),
	compact: (ctx) =>
		new Promise((resolve) => {
			const finish = (outcome) => (note(outcome), resolve());
			const onComplete = ({ firstKeptEntryId, ...result }) => finish({ compacted: Object.keys(result).sort() });
			ctx.compact({ customInstructions: "the notes", onComplete, onError: ({ message }) => finish({ failed: message }) });
		}),
	reload: async (ctx) => {
		await ctx.reload();
		note({ reloaded: true });
	},
	choose: async (ctx, pi) => {
		pi.setSessionName("Kettle");
		await shown('{"hook":"session_info_changed"');
		pi.setThinkingLevel("minimal");
		await shown('{"hook":"thinking_level_select"');
		const other = ctx.model.id === "loop-o" ? ["loop-anthropic", "loop-a"] : ["loop-openai", "loop-o"];
		note({ changed: await pi.setModel(ctx.modelRegistry.find(...other)) });
		pi.setLabel(of(ctx, "user")[0].id, "first");
		pi.appendEntry("state", { step: 1 });
	},
	say: async (ctx, pi) => {
		pi.sendMessage({ customType: "note", content: "While idle.", display: true });
		await shown('{"type":"message_end","message":{"role":"custom"');
		pi.sendMessage({ customType: "note", content: "Now!", display: true }, { triggerTurn: true });
		await shown('{"type":"agent_settled"', 2);
		pi.sendUserMessage("Of the extension.");
		await shown('{"type":"agent_settled"', 3);
		note({ idle: ctx.isIdle() });
	},
};

export default function (pi) {
	pi.registerTool(WORK);
	pi.registerCommand("go", { description: "Acts.", handler: (what, ctx) => COMMANDS[what](ctx, pi) });
	ACTS[process.env.TRACE_ACT]?.(pi);
}
