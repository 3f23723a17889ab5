// The canonical traces: every event that an extension hears, with all it is told, and every event that the session
// tells, in one order, of the same scenarios in both programs.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { selfCheck } from "../lib/agents.mjs";
import { assertNoStaleRows, assertSame, withoutDeclaredElements } from "../lib/differences.mjs";
import { nameOf, scenarios, trace } from "../lib/traces.mjs";

/** What the reference says on stderr. */
const SAID = { "shutdown-by-signal": /^Extension error .*This extension ctx is stale/ };
/** What tau says on stderr: a request that is made again is waited for, in JSON mode too. */
const SAID_BY_TAU = { retry: /^The request failed: status 529 Overloaded\. Trying again in 1 s \(attempt 1 of 3\)\.\n$/ };

for (const scenario of scenarios) {
	describe(scenario.name, () => {
		const run = scenario.name;
		test("the same events in the same order, with the same contents", async () => {
			const [reference, tau] = await Promise.all([trace("reference", scenario), trace("tau", scenario)]);
			assert.equal(reference.stepsLeft, 0, `the script fits the reference: ${reference.stderr}`);
			assert.match(reference.stderr, SAID[run] ?? /^$/);
			const [expected, actual] = withoutDeclaredElements("trace", reference.lines, tau.lines, { run });
			assert.deepEqual(actual.map(nameOf), expected.map(nameOf));
			assertSame("trace", "events", reference.lines, tau.lines, { run });
			assert.deepEqual(tau.requests, reference.requests);
			assert.deepEqual(tau.outcome, reference.outcome, tau.stderr);
			assert.match(tau.stderr, (selfCheck ? SAID : SAID_BY_TAU)[run] ?? /^$/);
		});
	});
}

after(() => {
	// A part of the tests cannot say which rows are stale.
	if (process.execArgv.some((arg) => arg.startsWith("--test-name-pattern"))) return;
	assertNoStaleRows(["trace"]);
});
