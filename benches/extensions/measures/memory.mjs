// Resident memory: when the first line comes, and the most of a whole run.

import { existsSync } from "node:fs";
import { say, startServer } from "../server.mjs";
import { megabytes, summary } from "../table.mjs";
import { both, each, mapped } from "./rounds.mjs";
import { counts } from "./start.mjs";

export async function memory({ table, examples }) {
	if (!existsSync("/proc/self/status")) return console.log("Memory is measured where there is /proc.");
	const server = await startServer([say("Hello.")]);
	for (const count of counts(examples)) {
		const results = await both({ rounds: 5, origin: server.origin, extensions: examples.slice(0, count) });
		const row = (what, field, goal) =>
			table.compare(`${what}: ${count} extension${count === 1 ? "" : "s"}`, mapped(each(results, (run) => run[field]), summary), megabytes, goal);
		row("memory at the first event", "firstRss", {});
		row("peak memory", "peakRss", count === 10 ? { below: 20e6 } : {});
	}
	await server.close();
}
