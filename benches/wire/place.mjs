// Where the programs run: a home whose one model speaks a format to a server of this process.

import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelsJson } from "../../conformance/wire/formats.mjs";
import { environment, newHome, PROGRAMS } from "../extensions/program.mjs";
import { typeOf } from "./streams.mjs";

/** Starts a server; `respond(response)` writes each answer. */
export async function serve(format, respond) {
	const server = createServer(async (request, response) => {
		for await (const chunk of request) void chunk;
		response.writeHead(200, { "content-type": typeOf(format) });
		respond(response);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		origin: `http://127.0.0.1:${server.address().port}`,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** How a program is started with a format: the command, its arguments, and what else `spawn` takes. */
export function startOf(program, format, origin, args) {
	const home = newHome(origin);
	writeFileSync(join(home.agent, "models.json"), JSON.stringify(modelsJson(format, origin)));
	writeFileSync(join(home.agent, "settings.json"), JSON.stringify({ ...format.settings, compaction: { enabled: false }, retry: { enabled: false } }));
	const [command, ...head] = PROGRAMS[program];
	return {
		command,
		args: [...head, ...args, "--no-session", "--model", `${format.provider}/${format.model.id}`, "Speak."],
		options: { cwd: home.work, env: environment(home, format.env) },
	};
}
