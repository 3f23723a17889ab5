// What one more handler costs per event: how much longer a run takes with 100 handlers than with 1.

import { fileURLToPath } from "node:url";
import { call, say, startServer } from "../server.mjs";
import { microseconds } from "../table.mjs";
import { both, each, mapped } from "./rounds.mjs";

const HANDLERS = fileURLToPath(new URL("../files/handlers.ts", import.meta.url));
const [FEW, MANY] = [1, 100];

/** `count` is how often the event comes in a run. */
const EVENTS = [
	// Each piece of text, and start and end of it.
	{ event: "message_update", answers: [say(...Array(2000).fill("some words "))], count: 2002 },
	{ event: "tool_call", answers: [...Array(10).fill(call("noop", 100)), say("Done.")], count: 1000 },
	{ event: "context", answers: [...Array(200).fill(call("noop")), say("Done.")], count: 201 },
];

export async function dispatch({ table, rounds }) {
	for (const { event, answers, count } of EVENTS) {
		const server = await startServer(answers);
		const times = async (handlers) => {
			const options = { env: { EVENT: event, HANDLERS: String(handlers) }, args: ["--no-session"] };
			const expect = `handled ${handlers * count}`;
			const results = await both({ rounds, origin: server.origin, extensions: [HANDLERS], options, expect });
			// The least: what a busy machine adds is far more than what is looked for.
			return mapped(each(results, (run) => run.work), (values) => Math.min(...values));
		};
		const [few, many] = [await times(FEW), await times(MANY)];
		const slope = (program) => ((many[program] - few[program]) * 1000) / ((MANY - FEW) * count);
		const value = (program) => ({ median: slope(program), least: slope(program) });
		table.compare(`per handler: ${event}`, { reference: value("reference"), tau: value("tau") }, microseconds);
		await server.close();
	}
}
