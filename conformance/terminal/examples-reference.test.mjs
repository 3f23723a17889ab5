// The rows that components of examples draw are those that they draw in the reference, in tmux.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { commandOf } from "../lib/agents.mjs";
import { inTmux, skip } from "../lib/terminal/both.mjs";
import { LOOP, prepare, pathOf } from "../lib/terminal/examples.mjs";
import { startPlaying } from "../lib/terminal/held.mjs";
import { tau } from "../lib/terminal/place.mjs";
import { each } from "../lib/terminal/steps.mjs";
import { COMPARED } from "./examples/compared.mjs";

const SIZE = [100, 30];

/** The command line of a program with the row's example. */
function commandLine(program, place, { example, args = [], ...row }) {
	prepare(place, row);
	const all = [...LOOP, "--tui-mode", "regular", "-e", pathOf(example), ...args];
	const [node, head] = commandOf("reference");
	const line = program === "tau" ? tau(place, all) : ["sh", "-c", 'echo $$ >"$0/pid"; exec "$@"', place.root, node, ...head, ...all];
	return ["sh", "-c", 'PATH="$0/bin:$PATH" exec "$@"', place.root, ...line];
}

/** What the example has drawn; once that is what is expected, if something is. */
function drawn(program, row, expected) {
	const setup = { size: SIZE, files: row.files, startModel: () => startPlaying(row.answers ?? []), commandLine: (place) => commandLine(program, place, row) };
	return inTmux(setup, async (seat, model) => {
		await seat.until("the start", (screen) => screen.includes("[Extensions]") && /scripted/.test(screen) && !screen.includes("starting"));
		await each(row.steps, seat, { mode: "regular", columns: SIZE[0], rows: SIZE[1], isWide: true, round: 0, model });
		if (!expected) return row.take((await seat.look()).rows);
		let rows;
		const isSo = (_, look) => isDeepStrictEqual((rows = row.take(look.rows)), expected);
		// Components are drawn by request: what they give may come a moment behind the text that was waited for.
		await seat.until("what the reference draws", isSo).catch((error) => assert.deepEqual(rows, expected, error.message));
		return rows;
	});
}

describe("components as in the reference", { concurrency: 2 }, () => {
	for (const row of COMPARED) {
		test(`${row.example}${row.what ? ` ${row.what}` : ""}`, { skip }, async () => {
			const theirs = await drawn("reference", row);
			assert.notDeepEqual(theirs, []);
			assert.deepEqual(await drawn("tau", row, theirs), theirs);
		});
	}
});
