// The canonical order of events around sessions: what an extension is told by
// both programs when a session is replaced, forked or gone back in.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseLines, run } from "../lib/agents.mjs";
import { assertSame } from "../lib/differences.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";

const TRACE = fileURLToPath(new URL("../lib/extensions/trace.mjs", import.meta.url));
const SCRIPT = ["First.", "Second.", "Third.", "Fourth."].map((text) => ({ text }));

async function trace(program, where) {
	const server = await startLoopback(SCRIPT);
	const home = makeHome({ origin: server.origin });
	const file = join(home.root, "trace.jsonl");
	try {
		const prompts = ["One", "Two", `/go ${where}`, "Three"];
		const args = ["--model", MODELS.anthropic, "--extension", TRACE, "-p", ...prompts];
		const result = await run(program, home, args, { env: { TRACE_FILE: file } });
		assert.equal(result.code, 0, `${program}: ${result.stderr}`);
		return { lines: parseLines(readFileSync(file, "utf8")), asked: server.bodies().map((body) => roles(body)) };
	} finally {
		await server.close();
		home.remove();
	}
}

const roles = (body) => body.messages.map(({ role }) => role);

for (const where of ["new", "resume", "fork-before", "fork-at", "tree", "tree-user"]) {
	test(`${where}: the same events in the same order`, async () => {
		const [reference, tau] = await Promise.all([trace("reference", where), trace("tau", where)]);
		assert.ok(reference.lines.length > 40, "the reference ran");
		assertSame("trace", "events", reference.lines, tau.lines, { run: where });
		assertSame("trace", "requests", reference.asked, tau.asked, { run: where });
	});
}
