// The same histories, sent by the reference and by tau in each wire format: the same bodies, the same headers.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertSame } from "../lib/differences.mjs";
import { bodyOf, headOf } from "./normalise.mjs";
import { bodiesOf } from "./programs.mjs";
import { forEachFormat, noStaleRows, recordedBoth } from "./rows.mjs";

forEachFormat((format) => {
	for (const retention of [undefined, "long"]) {
		describe(retention ? `a cache that is kept ${retention}` : "histories and levels", () => {
			const recorded = recordedBoth((program) => bodiesOf(program, format, { retention }));

			test("each prompt is one request, of both", () => {
				for (const [name, requests] of Object.entries(recorded.reference)) {
					assert.equal(requests.length, 1, `${name}: requests of the reference`);
					assert.match(requests[0].path, format.route, `${name}: route of the reference`);
					assert.equal(recorded.tau[name]?.length, 1, `${name}: requests of tau`);
				}
			});
			test("bodies", () => compare("body", bodyOf));
			test("routes and headers", () => compare("head", headOf));

			/** All histories, so that a failure shows every difference. `run` of a row is a history and its level. */
			function compare(kind, part) {
				const failures = [];
				for (const [name, [request]] of Object.entries(recorded.reference)) {
					try {
						assertSame(`wire.${kind}.${format.name}`, name, part(request), part(recorded.tau[name][0]), { run: name });
					} catch (failure) {
						failures.push(failure.message);
					}
				}
				assert.ok(failures.length === 0, failures.join("\n"));
			}
		});
	}
});

noStaleRows(["wire.body", "wire.head"]);
