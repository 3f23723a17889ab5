// An answer of five thousand pieces, with and without a handler that sees each of them.

import { fileURLToPath } from "node:url";
import { say, startServer } from "../server.mjs";
import { megabytes, milliseconds, summary } from "../table.mjs";
import { both, each, mapped } from "./rounds.mjs";

const DELTAS = fileURLToPath(new URL("../files/deltas.ts", import.meta.url));
const PIECES = Array(5000).fill("some ");

export async function stream({ table, rounds }) {
	const server = await startServer([say(...PIECES)]);
	for (const [what, extensions, expect] of [["no handler", []], ["a handler", [DELTAS], `handled ${PIECES.join("").length}`]]) {
		const options = { args: ["--no-session"] };
		const results = await both({ rounds, origin: server.origin, extensions, options, expect });
		const row = (name, unit, pick) => table.compare(`5,000 deltas, ${what}: ${name}`, mapped(each(results, pick), summary), unit);
		row("whole answer", milliseconds, (run) => run.work);
		row("processor time", milliseconds, (run) => run.cpu);
		row("peak memory", megabytes, (run) => run.peakRss);
	}
	await server.close();
}
