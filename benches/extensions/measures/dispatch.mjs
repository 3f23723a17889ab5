// What one more handler costs per event: from the first of a hundred handlers to the last, seen from inside.

import { fileURLToPath } from "node:url";
import { call, say, startServer } from "../server.mjs";
import { microseconds, summary } from "../table.mjs";
import { both, each, mapped } from "./rounds.mjs";

const EXTENSION = fileURLToPath(new URL("../files/handlers.ts", import.meta.url));
const HANDLERS = 100;

/** `count` is how often the event comes in a run. */
const EVENTS = [
	// Each piece of text, and start and end of it.
	{ event: "message_update", answers: [say(...Array(500).fill("some words "))], count: 502 },
	{ event: "tool_call", answers: [...Array(5).fill(call("noop", 100)), say("Done.")], count: 500 },
	{ event: "context", answers: [...Array(100).fill(call("noop")), say("Done.")], count: 101 },
];

export async function dispatch({ table, rounds }) {
	for (const { event, answers, count } of EVENTS) {
		const server = await startServer(answers);
		const options = { env: { EVENT: event, HANDLERS: String(HANDLERS) }, args: ["--no-session"] };
		const expect = `handled ${count} in `;
		const results = await both({ rounds, origin: server.origin, extensions: [EXTENSION], options, expect });
		const perHandler = (run) => (Number(/in ([\d.]+) ms/.exec(run.stderr)[1]) * 1000) / (count * (HANDLERS - 1));
		table.compare(`per handler: ${event}`, mapped(each(results, perHandler), summary), microseconds);
		await server.close();
	}
}
