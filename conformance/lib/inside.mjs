// Runs a TypeScript file as an extension, for what can only be seen from inside a program.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./agents.mjs";
import { makeHome, MODELS } from "./home.mjs";
import { startLoopback } from "./loopback.mjs";

/** A whole comparison is one stretch of JavaScript; how long a busy machine takes for it is no matter here. */
const settings = { tau: { limits: { softMs: 600_000, observeMs: 600_000, stretchMs: 600_000, loadMs: 600_000 } } };

/** Gives what the file wrote in `program`, as JSON, to the file that the environment variable `variable` names. */
export async function inside(file, variable, env = {}, program = "tau") {
	const folder = mkdtempSync(join(tmpdir(), "conformance-inside-"));
	const server = await startLoopback([{ text: "Hello." }]);
	const home = makeHome({ origin: server.origin, settings });
	const result = join(folder, "result.json");
	try {
		const { stderr } = await run(program, home, ["--model", MODELS.anthropic, "-e", file, "-p", "hello"], { env: { ...env, [variable]: result }, stdin: "" });
		try {
			return JSON.parse(readFileSync(result, "utf8"));
		} catch (error) {
			throw new Error(`${file} gave no result in ${program}: ${stderr || error.message}`);
		}
	} finally {
		await server.close();
		home.remove();
		rmSync(folder, { recursive: true, force: true });
	}
}
