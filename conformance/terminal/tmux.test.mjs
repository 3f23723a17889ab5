// What depends on how tmux is set up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inTmux, skip } from "../lib/terminal/both.mjs";

const SCRIPT = "replies: ['Yes.']";
const WARNING = /tmux does not pass shift\+enter and other keys on\. Add `set -s extended-keys on`/;

test("shift+enter begins a line in a tmux with extended keys", { skip }, () =>
	inTmux({ script: SCRIPT, options: ["set -s extended-keys on"] }, async (seat) => {
		await seat.isReady();
		await seat.writes("one");
		await seat.press("shift+enter");
		await seat.types("two");
		await seat.until("two lines", (screen) => /^one\ntwo$/m.test(screen));
	}),
);

test("a tmux without extended keys is told what to do about it", { skip }, () =>
	inTmux({ script: SCRIPT, options: [] }, (seat) => seat.until("the advice", (screen) => WARNING.test(screen.replace(/\n +/g, " ")))),
);

test("rows that were longer before leave no blank ones when tmux gets narrower", { skip }, () => {
	const calls = ["one", "two", "three"].map((word) => ({ tool_call: { name: "bash", arguments: { command: `echo ${word}` } } }));
	const script = JSON.stringify({ replies: [...calls.map((call) => [call]), "Done."] });
	return inTmux({ script, environment: { TERM: "tmux-256color" } }, async (seat) => {
		await seat.isReady();
		await seat.writes("Go");
		await seat.press("enter");
		await seat.shows("Done.");
		await seat.rests();
		const all = async () => Object.values(await seat.everything()).flat();
		const turn = (rows) => rows.slice(rows.findIndex((row) => row.includes("echo one")), rows.indexOf(" Done.") + 1);
		// These rows were written over the rules and the footer.
		const wide = turn(await all());
		assert.ok(wide.length > 5, wide.join("\n"));
		await seat.resize(60, 30);
		await seat.until("narrow rows", (screen) => screen.split("\n").filter((row) => /^─{60}$/.test(row)).length === 2);
		await seat.rests();
		assert.deepEqual(turn(await all()), wide);
	});
});
