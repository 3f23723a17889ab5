// The canonical traces: every event that an extension hears, with all it is told, and every event that the session
// tells, in one order, of the same scenarios in both programs.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { assertNoStaleRows, assertSame, withoutDeclaredElements } from "../lib/differences.mjs";
import { nameOf, scenarios, trace } from "../lib/traces.mjs";

for (const scenario of scenarios) {
	describe(scenario.name, () => {
		const run = scenario.name;
		test("the same events in the same order, with the same contents", async () => {
			const [reference, tau] = await Promise.all([trace("reference", scenario), trace("tau", scenario)]);
			assert.equal(reference.stepsLeft, 0, `the script fits the reference: ${reference.stderr}`);
			assert.equal(reference.stderr, "");
			const [expected, actual] = withoutDeclaredElements("trace", reference.lines, tau.lines, { run });
			assert.deepEqual(actual.map(nameOf), expected.map(nameOf));
			assertSame("trace", "events", reference.lines, tau.lines, { run });
			assert.deepEqual(tau.requests, reference.requests);
			assert.deepEqual(tau.outcome, reference.outcome, tau.stderr);
			assert.equal(tau.stderr, "");
		});
	});
}

after(() => {
	// A part of the tests cannot say which rows are stale.
	if (process.execArgv.some((arg) => arg.startsWith("--test-name-pattern"))) return;
	assertNoStaleRows(["trace"]);
});
