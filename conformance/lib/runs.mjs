// One scenario through both programs, recorded and made comparable.

import { fileURLToPath } from "node:url";
import { parseLines, run, selfCheck } from "./agents.mjs";
import { makeHome, MODELS } from "./home.mjs";
import { startLoopback } from "./loopback.mjs";
import { firstAndLastUpdates, normaliser } from "./normalise.mjs";
import { Progress } from "./progress.mjs";
import { FILES } from "./scripts.mjs";

const SEQUENTIAL = fileURLToPath(new URL("./extensions/sequential.ts", import.meta.url));

/** Headers that carry meaning for a provider. */
const HEADERS = ["content-type", "authorization", "x-api-key", "anthropic-version", "anthropic-beta"];

/**
 * Runs one scenario with one program.
 * @param program "reference" or "tau"
 * @param format "anthropic" or "openai"
 * @param parallel run the calls of one message at the same time
 */
export async function record(program, format, scenario, { mode = "json", parallel = false } = {}) {
	const progress = mode === "json" ? new Progress() : undefined;
	const server = await startLoopback(scenario.script, { progress });
	const settings = { ...scenario.settings };
	if (program === "tau" && parallel) settings.tau = { toolExecution: "parallel" };
	const home = makeHome({ origin: server.origin, files: scenario.files ?? FILES, settings });
	scenario.prepare?.(home);
	const sequential = (program === "reference" || selfCheck) && !parallel;
	const args = [
		...["--model", MODELS[format]],
		...(sequential ? ["--extension", SEQUENTIAL] : []),
		...(mode === "json" ? ["--mode", "json"] : ["-p"]),
		...scenario.args,
	];
	try {
		const result = await run(program, home, args, {
			stdin: scenario.stdin,
			env: scenario.env,
			onStdout: (chunk) => progress?.feed(chunk),
		});
		const normalise = normaliser(home, server.origin);
		return {
			code: result.code,
			stdout: normalise(result.stdout),
			stderr: normalise(result.stderr),
			events: mode === "json" ? firstAndLastUpdates(parseLines(result.stdout).map(normalise)) : [],
			requests: server.bodies().map(normalise),
			routes: server.requests.map(({ method, url, headers }) => ({
				method,
				url,
				headers: Object.fromEntries(HEADERS.map((name) => [name, headers[name]])),
			})),
			stepsLeft: server.stepsLeft(),
		};
	} finally {
		await server.close();
		home.remove();
	}
}

/** The same scenario through both programs, at the same time. */
export async function recordBoth(format, scenario, options) {
	const [reference, tau] = await Promise.all([
		record("reference", format, scenario, options),
		record("tau", format, scenario, options),
	]);
	return { reference, tau };
}
