// For both programs: writes down the order of events, and has a command that
// replaces the session or moves in its tree.

import { appendFileSync } from "node:fs";

const EVENTS = [
	...["session_start", "resources_discover", "session_before_switch", "session_before_fork", "session_before_tree"],
	...["session_tree", "session_shutdown", "session_info_changed", "input", "before_agent_start", "agent_start"],
	...["agent_end", "agent_before_settle", "agent_settled", "turn_start", "turn_end", "context"],
	...["context_with_system", "before_provider_headers", "before_provider_request", "after_provider_response"],
	...["message_start", "message_end", "tool_execution_start", "tool_execution_end", "tool_call", "tool_result"],
	...["model_select", "thinking_level_select"],
];

/** Names of files and entries, by their first appearance. Modules are kept when the session is replaced. */
const known = new Map();
const named = (kind, value) => {
	if (typeof value !== "string") return value;
	if (!known.has(value)) known.set(value, `${kind} ${known.size + 1}`);
	return known.get(value);
};

const note = (line) => appendFileSync(process.env.TRACE_FILE, `${JSON.stringify(line)}\n`);

function kinds(entries) {
	const kind = (entry) => (entry.type === "message" ? entry.message.role : entry.type);
	return entries.map(kind).filter((kind) => kind !== "system");
}

function brief(event) {
	const { type, reason, position, source, text, message, preparation, turnIndex } = event;
	const line = { type, reason, position, source, text, role: message?.role, turnIndex };
	for (const key of ["targetSessionFile", "previousSessionFile"]) line[key] = named("file", event[key]);
	for (const key of ["entryId", "newLeafId", "oldLeafId"]) line[key] = named("entry", event[key]);
	if (preparation) {
		line.preparation = {
			...preparation,
			targetId: named("entry", preparation.targetId),
			oldLeafId: named("entry", preparation.oldLeafId),
			commonAncestorId: named("entry", preparation.commonAncestorId),
			entriesToSummarize: kinds(preparation.entriesToSummarize),
		};
		line.signal = event.signal instanceof AbortSignal;
	}
	if (event.summaryEntry) {
		const { fromId, fromHook, details, summary } = event.summaryEntry;
		line.summary = { fromId: named("entry", fromId), fromHook, details, said: summary.trim().split("\n").at(-1) };
		line.fromExtension = event.fromExtension;
	}
	return line;
}

const stale = (use) => {
	try {
		use();
		return "works";
	} catch (error) {
		return error.message.split(".")[0];
	}
};

const GO = {
	new: async (ctx, note) => {
		const parentSession = ctx.sessionManager.getSessionFile();
		await ctx.newSession({
			parentSession,
			setup: async (sm) => {
				note({ setup: kinds(sm.getEntries()) });
				sm.appendMessage({ role: "user", content: [{ type: "text", text: "From before" }], timestamp: 1 });
			},
			withSession: async (next) => {
				note({ withSession: kinds(next.sessionManager.getBranch()), old: stale(() => ctx.cwd) });
			},
		});
	},
	resume: async (ctx, note) => {
		const old = ctx.sessionManager.getSessionFile();
		await ctx.newSession({
			withSession: async (next) => {
				const done = await next.switchSession(old, {
					withSession: async (again) => note({ withSession: kinds(again.sessionManager.getBranch()) }),
				});
				note({ done: done.cancelled });
			},
		});
	},
	"fork-before": async (ctx, note) => {
		const users = ctx.sessionManager.getBranch().filter((entry) => entry.message?.role === "user");
		const done = await ctx.fork(users[1].id, {
			withSession: async (next) => note({ withSession: kinds(next.sessionManager.getBranch()) }),
		});
		note({ done: done.cancelled });
	},
	"fork-at": async (ctx, note) => {
		const answers = ctx.sessionManager.getBranch().filter((entry) => entry.message?.role === "assistant");
		const withSession = async (next) => note({ withSession: kinds(next.sessionManager.getBranch()) });
		await ctx.fork(answers[0].id, { position: "at", withSession });
	},
	tree: async (ctx, note) => {
		const answers = ctx.sessionManager.getBranch().filter((entry) => entry.message?.role === "assistant");
		const done = await ctx.navigateTree(answers[0].id, { summarize: true, customInstructions: "names", label: "left" });
		note({ done: done.cancelled, branch: kinds(ctx.sessionManager.getBranch()) });
	},
	"tree-user": async (ctx, note) => {
		const users = ctx.sessionManager.getBranch().filter((entry) => entry.message?.role === "user");
		await ctx.navigateTree(users[0].id);
		note({ branch: kinds(ctx.sessionManager.getBranch()), leaf: ctx.sessionManager.getLeafId() === users[0].parentId });
	},
};

let loads = 0;

export default function (pi) {
	note({ factory: ++loads });
	for (const name of EVENTS) {
		pi.on(name, (event) => {
			// Prompts as messages are not part of tau's transcript.
			if (event.message?.role !== "system") note(brief(event));
		});
	}
	pi.registerCommand("go", { handler: async (where, ctx) => GO[where](ctx, note) });
}
