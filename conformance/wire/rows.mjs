// Runs a test for each format that tau speaks.

import { after, before, describe, test } from "node:test";
import { assertNoStaleRows } from "../lib/differences.mjs";
import { FORMATS } from "./formats.mjs";
import { missingIn } from "./programs.mjs";

const missing = new Map(await Promise.all(FORMATS.map(async (format) => [format, await missingIn(format)])));

/** Rows that can be tested. */
export const spoken = (formats = FORMATS) => formats.filter((format) => !missing.get(format));

/** `each(format)` defines the tests of a format. A format that tau does not know is skipped, with tau's own words. */
export function forEachFormat(each, formats = FORMATS) {
	for (const format of formats) {
		const reason = missing.get(format);
		if (reason) test(format.name, { skip: reason }, () => {});
		else describe(format.name, () => each(format));
	}
}

/** Fails if a declared difference of these kinds is not one, of the formats that were tested. */
export function noStaleRows(kinds) {
	after(() => {
		// A part of the tests cannot say which rows are stale.
		if (process.execArgv.some((arg) => arg.startsWith("--test-name-pattern"))) return;
		assertNoStaleRows(kinds.flatMap((kind) => spoken().map(({ name }) => `${kind}.${name}`)));
	});
}

/** Records both programs before the tests of a format; gives what holds the recordings then. */
export function recordedBoth(record) {
	const recorded = {};
	before(async () => {
		[recorded.reference, recorded.tau] = await Promise.all([record("reference"), record("tau")]);
	});
	return recorded;
}
