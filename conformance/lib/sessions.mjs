// Helpers for the tests that pass session files from one program to the other.

import { readFileSync } from "node:fs";
import { indexOf, parseLines, run } from "./agents.mjs";
import { MODELS } from "./home.mjs";
import { startLoopback } from "./loopback.mjs";

/**
 * Runs one program in print mode against a server that plays `script`.
 * Returns its result with the bodies of the requests it made.
 */
export async function ask(program, home, format, script, args, { model = true, env } = {}) {
	const server = await startLoopback(script);
	home.connect(server.origin);
	try {
		const result = await run(program, home, [...(model ? ["--model", MODELS[format]] : []), ...args], { env });
		return { ...result, bodies: server.bodies(), stepsLeft: server.stepsLeft() };
	} finally {
		await server.close();
	}
}

/** The conversation in a request body: no system prompt, no cache marks. */
export function conversation(body) {
	const spoken = body.messages.filter(({ role }) => role !== "system" && role !== "developer");
	return JSON.parse(JSON.stringify(spoken, (key, value) => (key === "cache_control" ? undefined : value)));
}

/** How a plain assistant text and a plain prompt look in a request. */
export const wire = {
	anthropic: {
		assistant: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
		user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
	},
	openai: {
		assistant: (text) => ({ role: "assistant", content: text }),
		user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
	},
};

/** The file's lines as values, header first. */
export function readSession(file) {
	return parseLines(readFileSync(file, "utf8"));
}

/** The session managers of the published versions. */
export const MANAGERS = {
	reference: (await import(indexOf("reference"))).SessionManager,
	previous: (await import(indexOf("previous"))).SessionManager,
};

/** The file as the session manager of a published version sees it. */
export function openIn(program, file) {
	const manager = MANAGERS[program].open(file);
	const context = manager.buildSessionContext();
	return {
		manager,
		entries: manager.getEntries(),
		/** Messages for the model. The prompt, which only they store, is left out. */
		messages: context.messages.filter(({ role }) => role !== "system"),
		thinkingLevel: context.thinkingLevel,
		model: context.model,
	};
}

/** Entries without stored prompts, their children linked to their parents. */
export function withoutSystemEntries(entries) {
	const parents = new Map();
	const isSystem = (entry) => entry.type === "message" && entry.message.role === "system";
	for (const entry of entries) if (isSystem(entry)) parents.set(entry.id, entry.parentId);
	const parentOf = (id) => (parents.has(id) ? parentOf(parents.get(id)) : id);
	return entries
		.filter((entry) => !isSystem(entry))
		.map((entry) => ("parentId" in entry ? { ...entry, parentId: parentOf(entry.parentId) } : entry));
}
