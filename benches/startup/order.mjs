// Writes crates/cli/startup.order: the functions of tau that starts and short sessions run, in the order in which each is
// first called. The linker puts them side by side (crates/cli/build.rs). `benches/run order` starts it.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SETS } from "../../conformance/extensions/sets.mjs";
import { newHome, PROGRAMS, removeHomes, run } from "../extensions/program.mjs";
import { call, say, startServer } from "../extensions/server.mjs";
import { functionsOf } from "./symbols.mjs";

const program = process.env.TAU_BIN;
const folder = mkdtempSync(join(tmpdir(), "tau-order-"));
const [trace, symbols, out] = ["trace", "symbols", "out"].map((name) => join(folder, name));
execFileSync("cc", ["-O2", "-o", trace, join(import.meta.dirname, "trace.c")], { stdio: "inherit" });
const functions = functionsOf(program);
writeFileSync(symbols, functions.map(({ address, name }) => `${address} ${name}\n`).join(""));

const { examples } = SETS.find(({ name }) => name === "reference");
const all = [...examples.keys()].sort().map((name) => examples.get(name));
const server = await startServer([call("ls"), say("Hello.")]);
const order = new Set();
try {
	// What is most worth being close together comes first.
	for (const extensions of [all.slice(0, 10), [], all]) {
		const home = newHome(server.origin);
		PROGRAMS.tau = [program];
		await run("tau", home, extensions);
		PROGRAMS.tau = [trace, symbols, out, program];
		await run("tau", home, extensions);
		for (const name of readFileSync(out, "utf8").trim().split("\n")) order.add(name);
	}
} finally {
	await server.close();
	removeHomes();
	rmSync(folder, { recursive: true });
}
const file = join(import.meta.dirname, "../../crates/cli/startup.order");
writeFileSync(file, [...order].map((name) => `${name}\n`).join(""));
console.log(`${order.size} of ${functions.length} functions run.`);
