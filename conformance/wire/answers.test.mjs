// The same streams and errors, played to the reference and to tau in each wire format: both read what the fixture says, and
// show the same events.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertSame } from "../lib/differences.mjs";
import { caseOf, saidBy } from "./cases.mjs";
import { namesOf } from "./fixtures.mjs";
import { FORMATS } from "./formats.mjs";
import { answersOf } from "./programs.mjs";
import { forEachFormat, noStaleRows, recordedBoth } from "./rows.mjs";

forEachFormat((format) => {
	const names = namesOf(format);
	const recorded = recordedBoth((program) => answersOf(program, format, names));

	for (const name of names) {
		test(`${name}: what was said`, () => {
			const { text, thinking, calls, stop } = caseOf(format, name);
			for (const [program, { [name]: recording }] of Object.entries(recorded)) {
				assert.deepEqual(saidBy(firstAnswer(recording)), { text, thinking, calls, stop }, program);
			}
		});
		test(`${name}: events`, () => {
			const kind = `wire.answer.${format.name}`;
			assertSame(kind, `${format.name}, ${name}`, recorded.reference[name], recorded.tau[name], { run: name });
		});
	}

	test("a context that was too long is compacted, and what was asked is answered", () => {
		for (const [program, { overflow }] of Object.entries(recorded)) {
			const [compacted] = overflow.events.filter(({ type }) => type === "compaction_end");
			assert.equal(compacted?.reason, "overflow", program);
			const last = answers(overflow).at(-1);
			assert.deepEqual(saidBy(last), { ...saidBy(last), text: caseOf(format, "text").text, stop: "stop" }, program);
		}
	});
}, FORMATS.filter(({ answers }) => answers));

const answers = ({ events }) => events.filter(({ type, message }) => type === "message_end" && message.role === "assistant").map(({ message }) => message);
const firstAnswer = (recording) => answers(recording)[0];

noStaleRows(["wire.answer"]);
