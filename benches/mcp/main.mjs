// What five servers of the Model Context Protocol add to the start of a session, in both programs: the time until the first
// prompt is accepted, as a client of RPC mode sees it. The servers are programs, which are connected in the background.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onNode, plenty } from "../../conformance/mcp/servers.mjs";
import { newHome, PROGRAMS, removeHomes, run } from "../extensions/program.mjs";
import { say, startServer } from "../extensions/server.mjs";
import { milliseconds, summary, Table } from "../extensions/table.mjs";

const SERVERS = 5;
/** Milliseconds that they may add. */
const MOST = 3;
const ROUNDS = process.argv.includes("--quick") ? 10 : 30;

const model = await startServer([say("Done.")]);

/** A home whose session has so many servers. */
function homeWith(count) {
	const home = newHome(model.origin);
	const servers = Array.from({ length: count }, (_, at) => [`server${at}`, onNode(plenty, `server${at}`, "40")]);
	writeFileSync(join(home.agent, "mcp.json"), JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
	return home;
}

const table = new Table();
try {
	const all = {};
	for (const program of Object.keys(PROGRAMS)) {
		const homes = { without: homeWith(0), with: homeWith(SERVERS) };
		const times = { without: [], with: [] };
		// The first one, which fills caches, does not count.
		for (let round = 0; round <= ROUNDS; round++) {
			for (const [which, home] of Object.entries(homes)) {
				const { answer, code, stderr } = await run(program, home, [], { rpc: true, command: { type: "prompt", message: "Hi" } });
				if (Number.isNaN(answer) || code !== 0) throw new Error(`${program} did not accept the prompt: ${stderr}`);
				if (round > 0) times[which].push(answer);
			}
		}
		all[program] = { without: summary(times.without), with: summary(times.with) };
	}
	const each = (value) => Object.fromEntries(Object.entries(all).map(([program, times]) => [program, value(times)]));
	table.compare("a prompt is accepted, no servers", each((times) => times.without), milliseconds);
	table.compare(`a prompt is accepted, ${SERVERS} servers`, each((times) => times.with), milliseconds);
	const added = (times) => ({ median: times.with.median - times.without.median, least: times.with.least - times.without.least });
	table.compare(`what ${SERVERS} servers add`, each(added), milliseconds, { below: MOST });
} finally {
	removeHomes();
	await model.close();
}
table.print();
