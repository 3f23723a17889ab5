// The vendors' SDKs read the fixtures: what is played to the programs is what the vendors' own code takes for an answer.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { caseOf, playedFor } from "../cases.mjs";
import { namesOf } from "../fixtures.mjs";
import { FORMATS } from "../formats.mjs";
import { startWire } from "../server.mjs";
import { CLIENTS, statusOf } from "./clients.mjs";

for (const format of FORMATS.filter(({ answers }) => answers)) {
	describe(format.name, () => {
		let server;
		before(async () => {
			server = await startWire();
		});
		after(() => server.close());
		const read = (name) => {
			server.play(format, playedFor(format, name));
			return CLIENTS[format.sdk](format, `${server.origin}${format.base}`);
		};

		for (const name of namesOf(format)) {
			const { text, thinking, calls, whole, status } = caseOf(format, name);
			if (whole) test(name, async () => assert.deepEqual(await read(name), { text, thinking, calls }));
			if (status) {
				test(name, async () => {
					const error = await read(name).then(() => assert.fail("it was taken for an answer"), (failure) => failure);
					assert.equal(statusOf(error), status, String(error));
				});
			}
		}
		for (const name of namesOf(format).filter((name) => ["dropped", "stream-error", "throttled"].includes(name))) {
			// Google's SDK finds an error only where it arrives alone, and passes over one in an event.
			if (name !== "stream-error" || format.fixtures !== "google-generative-ai") test(name, () => assert.rejects(read(name)));
		}
	});
}
