// The same scripted run through the reference and through tau: the same JSON
// events, the same requests to the provider.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { selfCheck } from "../lib/agents.mjs";
import { assertNoStaleRows, assertSame } from "../lib/differences.mjs";
import { recordBoth } from "../lib/runs.mjs";
import { SCENARIOS } from "../lib/scripts.mjs";

for (const format of ["anthropic", "openai"]) {
	for (const scenario of SCENARIOS) {
		if (scenario.pending && !selfCheck) {
			test.todo(`${format}: ${scenario.name} (pending: ${scenario.pending})`);
			continue;
		}
		describe(`${format}: ${scenario.name}`, () => {
			let reference;
			let tau;
			before(async () => {
				({ reference, tau } = await recordBoth(format, scenario));
				assert.equal(reference.stepsLeft, 0, "the script fits the reference");
				assert.ok(reference.events.length > 1, `the reference ran: ${reference.stderr}`);
			});

			const run = scenario.name;
			test("exit code and use of stderr", () => {
				const outcome = ({ code, stderr }) => ({ code, silent: stderr === "" });
				assertSame("exit", `exit code and stderr (of tau: ${tau.stderr})`, outcome(reference), outcome(tau), { run });
			});
			test("events", () => assertSame("events", "events", reference.events, tau.events, { run }));
			test("request bodies", () => {
				assertSame(`request.${format}`, "request bodies", reference.requests, tau.requests, { run });
			});
			test("routes and headers", () => {
				assertSame(`headers.${format}`, "routes and headers", reference.routes, tau.routes);
			});
		});
	}
}

/** Ends well after the other call, and also when the other call never comes. */
const WAIT_FOR_OTHER = "for i in $(seq 100); do [ -e go ] && break; sleep 0.05; done; sleep 0.5; echo slow";

describe("calls of one message at the same time", () => {
	const scenario = {
		name: "a slow and a fast call",
		script: [
			{
				toolCalls: [
					{ id: "call_slow", name: "bash", args: { command: WAIT_FOR_OTHER } },
					{ id: "call_fast", name: "write", args: { path: "go", content: "" } },
				],
			},
			{ text: "Both are done." },
		],
		args: ["Go"],
	};
	const isUpdate = (event) => event.type === "tool_execution_update";

	test("the order of events is the reference's", async () => {
		const { reference, tau } = await recordBoth("anthropic", scenario, { parallel: true });
		// When the first progress report comes, relative to the other call, is up to the scheduler.
		const steady = ({ events }) => events.filter((event) => !isUpdate(event));
		assertSame("events", "events", steady(reference), steady(tau));
		const updates = ({ events }) => events.filter(isUpdate);
		assertSame("events", "progress", updates(reference), updates(tau));
	});
});

after(() => {
	// A part of the tests cannot say which rows are stale.
	if (process.execArgv.some((arg) => arg.startsWith("--test-name-pattern"))) return;
	assertNoStaleRows(["exit", "events", "request.anthropic", "request.openai", "headers.anthropic", "headers.openai"]);
});
