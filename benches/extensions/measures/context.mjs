// Requests of a session with ten megabytes of history, a third of which a `context` handler takes out by role.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { call, say, startServer } from "../server.mjs";
import { megabytes, milliseconds, summary } from "../table.mjs";
import { both, each, mapped } from "./rounds.mjs";

const FILES = ["handlers", "filter"].map((name) => fileURLToPath(new URL(`../files/${name}.ts`, import.meta.url)));
const REQUESTS = 10;
const BYTES = 10e6;
const MESSAGES = 3000;

export async function contextOfLongHistory({ table, rounds }) {
	const server = await startServer([...Array(REQUESTS - 1).fill(call("noop")), say("Done.")]);
	const history = longHistory();
	const options = (home) => {
		const file = join(home.root, "history.jsonl");
		writeFileSync(file, history);
		return { env: { EVENT: "agent_start", HANDLERS: "0" }, args: ["--session", file] };
	};
	for (const [what, extensions] of [["no handler", FILES.slice(0, 1)], ["a handler filters by role", FILES]]) {
		const bytes = server.bytes();
		const results = await both({ rounds: Math.min(rounds, 5), origin: server.origin, extensions, options });
		console.log(`context, ${what}: ${megabytes((server.bytes() - bytes) / ((Math.min(rounds, 5) + 2) * 2 * REQUESTS))} per request`);
		const row = (name, unit, pick) => table.compare(`10 MB history, ${what}: ${name}`, mapped(each(results, pick), summary), unit);
		row("per request", milliseconds, (run) => run.work / REQUESTS);
		row("peak memory", megabytes, (run) => run.peakRss);
	}
	await server.close();
}

/** A session file of questions, answers and messages of an extension, a third of the bytes each. */
function longHistory() {
	const timestamp = "2026-01-01T00:00:00.000Z";
	const text = "All work and no play makes a long session. ".repeat(Math.round(BYTES / MESSAGES / 43));
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
	const from = { api: "anthropic-messages", provider: "loop-anthropic", model: "loop-a", usage, stopReason: "stop" };
	const content = [{ type: "text", text }];
	const lines = [{ type: "session", version: 3, id: "01a00000-0000-7000-8000-000000000000", timestamp, cwd: "/" }];
	for (let index = 0; index < MESSAGES; index++) {
		const entry = { id: index.toString(16).padStart(8, "0"), parentId: index ? lines[index].id : null, timestamp };
		if (index % 3 === 0) lines.push({ type: "message", ...entry, message: { role: "user", content, timestamp: index } });
		if (index % 3 === 1) lines.push({ type: "custom_message", ...entry, customType: "note", content: text, display: true });
		if (index % 3 === 2) lines.push({ type: "message", ...entry, message: { role: "assistant", content, ...from, timestamp: index } });
	}
	return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
