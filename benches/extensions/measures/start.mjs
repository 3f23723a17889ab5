// From the start of the process, by a launcher that weighs nothing, to its first JSON line, to `agent_start`, before
// which every extension is loaded and has seen `session_start`, and to the first answer in RPC mode.

import { say, startServer } from "../server.mjs";
import { milliseconds, summary } from "../table.mjs";
import { both, each, mapped } from "./rounds.mjs";

/** How many extensions are measured: fewer, where a program refuses too many. */
export const counts = (examples) => [0, 1, 10, Math.min(70, examples.length)];

/** How many times faster than the reference the first answer should be. */
const GOALS = { warm: { ten: { times: 35 }, all: { times: 20 } }, cold: { ten: { times: 20 } } };

export async function start({ table, examples, rounds }) {
	const server = await startServer([say("Hello.")]);
	for (const warm of [false, true]) {
		for (const count of counts(examples)) {
			const extensions = examples.slice(0, count);
			const results = await both({ rounds, origin: server.origin, extensions, warm, options: { watched: true } });
			const name = `${count} extension${count === 1 ? "" : "s"}, ${warm ? "warm" : "cold"} cache`;
			const row = (what, field, goal) =>
				table.compare(`${what}: ${name}`, mapped(each(results, (run) => run[field]), summary), milliseconds, goal);
			row("first JSON event", "first", {});
			row("agent_start", "agent", {});
			const answers = await both({ rounds, origin: server.origin, extensions, warm, options: { rpc: true } });
			const goal = count >= 10 ? (GOALS[warm ? "warm" : "cold"][count === 10 ? "ten" : "all"] ?? {}) : {};
			table.compare(`first RPC answer: ${name}`, mapped(each(answers, (run) => run.answer), summary), milliseconds, goal);
		}
	}
	await server.close();
}
