// The same commands to the reference and to tau in RPC mode: the same responses and events.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertNoStaleRows, assertSame } from "../lib/differences.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { firstAndLastUpdates, normaliser, withoutSystemMessages } from "../lib/normalise.mjs";
import { Progress } from "../lib/progress.mjs";
import { Rpc } from "../lib/rpc.mjs";
import { FILES } from "../lib/scripts.mjs";
import { SCENARIOS } from "./scenarios.mjs";

const extension = (file) => fileURLToPath(new URL(`../lib/extensions/${file}`, import.meta.url));

async function record(program, scenario) {
	const progress = new Progress();
	const server = await startLoopback(scenario.script ?? [], { progress });
	const home = makeHome({ origin: server.origin, files: FILES, settings: scenario.settings });
	const args = (scenario.extensions ?? []).flatMap((file) => ["--extension", extension(file)]);
	// Last, because a flag of an extension takes the next word in the reference.
	args.unshift("--model", scenario.model ?? MODELS.anthropic);
	const rpc = new Rpc(program, home, [...args, ...(scenario.flags ?? [])], {
		answers: scenario.answers,
		onStdout: (chunk) => progress.feed(chunk),
	});
	try {
		await scenario.play(rpc, { home, write: (name, text) => writeFileSync(join(home.work, name), text) });
		const { code } = await rpc.close();
		const normalise = normaliser(home, server.origin);
		const records = firstAndLastUpdates(withoutSystemMessages(rpc.records).map(normalise));
		return { code, records, requests: server.bodies().length, stepsLeft: server.stepsLeft(), stderr: rpc.stderr };
	} finally {
		rpc.child.kill("SIGKILL");
		await server.close();
		home.remove();
	}
}

for (const scenario of SCENARIOS) {
	describe(scenario.name, () => {
		let reference;
		let tau;
		before(async () => {
			[reference, tau] = await Promise.all([record("reference", scenario), record("tau", scenario)]);
			assert.ok(reference.records.length > 0, `the reference ran: ${reference.stderr}`);
		});
		test("the end", () => {
			const end = ({ code, requests, stepsLeft }) => ({ code, requests, stepsLeft });
			assertSame("rpc.end", "the end", end(reference), end(tau), { run: scenario.name });
		});
		test("responses", () => {
			const responses = ({ records }) => records.filter(({ type }) => type === "response");
			assertSame("rpc.responses", "responses", responses(reference), responses(tau), { run: scenario.name });
		});
		test("events and their order", () => {
			// What a response carries is compared above; here its place counts.
			const anywhere = ({ type, id }) => type === "response" && scenario.anywhere?.includes(id);
			const told = ({ records }) =>
				records.filter((item) => !anywhere(item)).map((item) => (item.type === "response" ? place(item) : item));
			assertSame("rpc.events", "events", told(reference), told(tau), { run: scenario.name });
		});
	});
}

const place = ({ type, id }) => ({ type, id });

after(() => {
	// A part of the tests cannot say which rows are stale.
	if (process.execArgv.some((arg) => arg.startsWith("--test-name-pattern"))) return;
	assertNoStaleRows(["rpc.end", "rpc.responses", "rpc.events"]);
});
