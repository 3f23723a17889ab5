// Runs a TypeScript file inside tau, as an extension of a run that needs no model.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./agents.mjs";
import { makeHome } from "./home.mjs";

/** A whole comparison is one stretch of JavaScript; how long a busy machine takes for it is no matter here. */
const settings = { tau: { limits: { softMs: 600_000, observeMs: 600_000, stretchMs: 600_000 } } };

/** Gives what the file wrote, as JSON, to the file that the environment variable `variable` names. */
export async function inside(file, variable, env = {}) {
	const folder = mkdtempSync(join(tmpdir(), "conformance-inside-"));
	const home = makeHome({ origin: "http://127.0.0.1:9", settings });
	const result = join(folder, "result.json");
	try {
		const { stderr } = await run("tau", home, ["--demo", "-e", file, "-p", "hello"], { env: { ...env, [variable]: result }, stdin: "" });
		try {
			return JSON.parse(readFileSync(result, "utf8"));
		} catch (error) {
			throw new Error(`${file} gave no result in tau: ${stderr || error.message}`);
		}
	} finally {
		home.remove();
		rmSync(folder, { recursive: true, force: true });
	}
}
