// tau with all modules of its suite, and the reference with ten extensions: the first answer in RPC mode, and the most memory, of that and of a prompt.
// A second row has the same ten extensions in tau beside the suite.

import { say, startServer } from "../server.mjs";
import { megabytes, milliseconds, summary } from "../table.mjs";
import { both, each, mapped } from "./rounds.mjs";

const SUITE = "builtin:orchestrator";

export async function suite({ table, examples, rounds }) {
	const server = await startServer([say("Hello.")]);
	const ten = examples.slice(0, 10);
	const ways = [
		["the suite, and ten extensions", [SUITE], { times: 30 }, { times: 7 }],
		["the suite and ten extensions, and these", [SUITE, ...ten], {}, {}],
	];
	for (const [name, tau, faster, smaller] of ways) {
		const extensions = { tau, reference: ten };
		const answers = await both({ rounds, origin: server.origin, extensions, options: { rpc: true } });
		table.compare(`first RPC answer: ${name}`, mapped(each(answers, (run) => run.answer), summary), milliseconds, faster);
		table.compare(`peak memory of a start: ${name}`, mapped(each(answers, (run) => run.peakRss), summary), megabytes, smaller);
		const runs = await both({ rounds, origin: server.origin, extensions });
		table.compare(`peak memory of a prompt: ${name}`, mapped(each(runs, (run) => run.peakRss), summary), megabytes, smaller);
	}
	await server.close();
}
