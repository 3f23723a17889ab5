// Which of the reference's example extensions are measured: those that both programs load, all in one run.

import { SETS } from "../../conformance/extensions/sets.mjs";
import { newHome, PROGRAMS, run } from "./program.mjs";
import { say, startServer } from "./server.mjs";

/**
 * The paths, in the order of their names. Of extensions that claim the same tool the reference loads one; those that a
 * program refuses are left out until nothing is refused.
 */
export async function loadable() {
	const { examples } = SETS.find(({ name }) => name === "reference");
	let paths = [...examples.keys()].sort().map((name) => examples.get(name));
	const server = await startServer([say("Hello.")]);
	try {
		for (;;) {
			const refused = new Set();
			for (const program of Object.keys(PROGRAMS)) {
				const { stderr } = await run(program, newHome(server.origin), paths);
				for (const [, path] of stderr.matchAll(/Failed to load extension "([^"]+)"/g)) {
					refused.add(paths.find((known) => path === known || path.startsWith(`${known}/`)));
				}
			}
			if (refused.size === 0) return paths;
			paths = paths.filter((path) => !refused.has(path));
		}
	} finally {
		await server.close();
	}
}
