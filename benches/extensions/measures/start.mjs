// From the start of the process, by a launcher that weighs nothing, to its first JSON line, and to `agent_start`, before
// which every extension is loaded and has seen `session_start`.

import { say, startServer } from "../server.mjs";
import { milliseconds, summary } from "../table.mjs";
import { both, each, mapped } from "./rounds.mjs";

/** How many extensions are measured: fewer, where a program refuses too many. */
export const counts = (examples) => [0, 1, 10, Math.min(70, examples.length)];

export async function start({ table, examples, rounds }) {
	const server = await startServer([say("Hello.")]);
	for (const warm of [false, true]) {
		for (const count of counts(examples)) {
			const extensions = examples.slice(0, count);
			const results = await both({ rounds, origin: server.origin, extensions, warm, options: { watched: true } });
			const name = `${count} extension${count === 1 ? "" : "s"}, ${warm ? "warm" : "cold"} cache`;
			const row = (what, field, goal) =>
				table.compare(`${what}: ${name}`, mapped(each(results, (run) => run[field]), summary), milliseconds, goal);
			row("first JSON event", "first", count === 10 ? { times: 40 } : {});
			row("agent_start", "agent", {});
		}
	}
	await server.close();
}
