// The screens that people look at most, with what is above them: both terminals show what is kept in
// `crates/cli/tests/terminal/snapshots`, and the same colours. Scripts and keys are those of `pictures.rs` there.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inBoth, SIZES, skip } from "../lib/terminal/both.mjs";
import { kept, textOf } from "../lib/terminal/kept.mjs";

const NOTES = "one\nold line\nthree\n";
const EDIT = "{path: notes.txt, edits: [{oldText: old line, newText: new line}]}";

/** Compares what `drive` leaves on the screen. */
async function compare(name, size, setup, drive) {
	const both = await inBoth({ ...setup, size }, async (seat) => {
		await drive(seat);
		const { cursor } = await seat.look();
		return { picture: textOf(await seat.picture()), styled: await seat.styled(), cursor };
	});
	for (const { picture } of both) assert.equal(picture, kept(name, size));
	const [xterm, tmux] = both;
	assert.deepEqual(tmux.styled, xterm.styled);
	assert.deepEqual(tmux.cursor, xterm.cursor);
}

for (const size of SIZES) {
	const at = size.join("×");

	test(`the start at ${at}`, { skip }, () => {
		const files = { "agent/prompts/review.md": "Review it.", "work/AGENTS.md": "Be brief." };
		return compare("start", size, { files }, async (seat) => {
			await seat.shows("/review");
			await seat.rests();
		});
	});

	test(`a conversation with a command and a change at ${at}`, { skip }, () => {
		const script = `replies:
  - [{text: "I **look** first:"}, {tool_call: {name: bash, arguments: {command: 'seq 1 8'}}}]
  - [{tool_call: {name: edit, arguments: ${EDIT}}}]
  - "It is changed:\\n\\n- one line\\n- \`notes.txt\`\\n\\nDone."`;
		const setup = { script, files: { "work/notes.txt": NOTES }, args: ["Change the old line of notes.txt"] };
		return compare("conversation", size, setup, async (seat) => {
			await seat.shows("Done.");
			await seat.rests();
		});
	});

	test(`a gate that asks about a change at ${at}`, { skip }, () => {
		const gate = `export default (pi) => pi.on('tool_call', async (event, ctx) => {
			const { existsSync } = await import('node:fs');
			while (!existsSync('go')) await new Promise((done) => setTimeout(done, 10));
			if (!await ctx.ui.confirm('Change it?', event.input.path)) return { block: true, reason: 'no' };
		});`;
		const script = `replies:\n  - [{tool_call: {name: edit, arguments: ${EDIT}}}]\n  - Done.`;
		const files = { "agent/extensions/gate.ts": gate, "work/notes.txt": NOTES };
		return compare("gate", size, { script, files, args: ["Go"] }, async (seat) => {
			await seat.shows("three");
			seat.place.write("work/go", "");
			await seat.shows("Change it?");
			await seat.until("the question alone", (screen) => !screen.includes("Waiting for") && screen.includes("enter choose"));
		});
	});

	test(`commands that are suggested at ${at}`, { skip }, () =>
		compare("completion", size, {}, async (seat) => {
			await seat.until("the end of the start", (screen) => screen.includes("pager") && !screen.includes("starting"));
			await seat.types("/");
			await seat.shows("(1/");
		}),
	);
}
