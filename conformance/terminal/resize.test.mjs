// Terminals that get another size, at rest and while an answer streams: nothing is lost, and the screen fits again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { inBoth, inXterm, skip } from "../lib/terminal/both.mjs";
import { startHeld } from "../lib/terminal/held.mjs";
import { isAtRest } from "../lib/terminal/seat.mjs";

const COUNT = 90;
const NUMBERS = Array.from({ length: COUNT }, (_, at) => at + 1);
const TEXT = NUMBERS.map((number) => `- row ${number}`).join("\n");

/** Sizes one after another: larger, narrower, lower, tiny, and the usual one. */
const SIZES = [
	[120, 40],
	[50, 40],
	[50, 12],
	[20, 8],
	[100, 30],
];

const isRule = (row) => /^─+$/.test(row);

/** Whether the footer was painted for that width: what the terminal wraps stands in several rows. */
const hasWidth = (screen, [columns]) => screen.split("\n").some((row) => row.includes("/200k") && row.endsWith("scripted") && row.length === columns);

/** Waits until the program knows the width. */
const knows = (seat, size) => seat.until(`a footer of ${size[0]} columns`, (screen) => hasWidth(screen, size));

/** Waits until a frame of that width is there, and nothing is under way. */
const fits = (seat, size) =>
	seat.until(`a frame of ${size[0]} columns`, (screen) => {
		const rules = screen.split("\n").filter(isRule).slice(-2);
		return isAtRest(screen) && hasWidth(screen, size) && rules.length === 2 && rules.every((rule) => rule.length === size[0]);
	});

/** All rows of the answer are there in order, and at most `limit` are there once more. */
async function assertWhole(seat, limit) {
	const { above, screen } = await seat.everything();
	const all = [...above, ...screen];
	const found = all.flatMap((row) => /^ - row (\d+)$/.exec(row)?.[1] ?? []).map(Number);
	const next = found.reduce((wanted, number) => (number === wanted ? wanted + 1 : wanted), 1);
	const shown = `${seat.name}:\n${all.join("\n")}`;
	assert.equal(next, COUNT + 1, `row ${next} is not there, or not in order\n${shown}`);
	const repeated = found.length - COUNT;
	assert.ok(repeated <= limit, `${repeated} rows are there once more, of at most ${limit}\n${shown}`);
}

/**
 * The screen ends with the last rows of the answer and the frame, and has nothing else on it.
 *
 * When xterm wraps rows again, its cursor stays in its row of the screen and does not go with its text, and what it
 * reports does not show that. So the rules around the editor, which are as wide as the screen was, can remain there.
 */
async function assertFits(seat, [columns]) {
	const { screen } = await seat.picture();
	const end = screen.findLastIndex((row) => row !== "") + 1;
	const rule = "─".repeat(columns);
	const frame = ["", rule, "", rule, "~/work"];
	assert.deepEqual(screen.slice(end - frame.length - 1, end - 1), frame, `${seat.name}:\n${screen.join("\n")}`);
	assert.ok(screen[end - 1].endsWith("scripted") && screen[end - 1].length === columns, `${seat.name}:\n${screen.join("\n")}`);
	const above = screen.slice(0, end - frame.length - 1);
	const answer = seat.name === "xterm" ? above.filter((row) => row !== "" && !isRule(row)) : above;
	const last = NUMBERS.slice(COUNT - answer.length).map((number) => ` - row ${number}`);
	assert.deepEqual(answer, last, `${seat.name}:\n${screen.join("\n")}`);
}

test("a terminal at rest gets other sizes", { skip }, async () => {
	const script = JSON.stringify({ replies: [[{ text: TEXT }]] });
	await inBoth({ script, args: ["Go"] }, async (seat) => {
		await seat.shows(`row ${COUNT}`);
		await seat.rests();
		// Within half a second the terminal may not have taken what is final, and gets it once more.
		await sleep(800);
		for (const size of SIZES) {
			await seat.resize(...size);
			await fits(seat, size);
			// What is final is written once, whatever the terminal does.
			await assertWhole(seat, 0);
			await assertFits(seat, size);
		}
		// It still works.
		await seat.writes("typed");
	});
});

/** Rows that are there before and after the size changes. */
const HELD = 60;
const startModel = () => startHeld(NUMBERS.map((number) => `- row ${number}\n`), HELD);

for (const [at, size] of SIZES.entries()) {
	const first = SIZES.at(at - 1);
	test(`a terminal of ${first.join("×")} gets the size ${size.join("×")} while an answer streams`, { skip }, () =>
		inBoth({ size: first, startModel, args: ["Go"] }, async (seat, model) => {
			await seat.shows(`row ${HELD}`);
			await seat.resize(...size);
			if (size[0] !== first[0]) await knows(seat, size);
			model.goOn();
			await seat.shows(`row ${COUNT}`);
			await fits(seat, size);
			// What was not final can be a screen of either size.
			await assertWhole(seat, Math.max(first[1], size[1]));
			await assertFits(seat, size);
		}),
	);
}

test("a terminal gets many sizes while an answer streams", { skip }, () =>
	inBoth({ startModel, args: ["Go"] }, async (seat, model) => {
		const sizes = SIZES.slice(0, -1);
		await seat.shows(`row ${HELD}`);
		for (const size of sizes) await seat.resize(...size);
		await knows(seat, sizes.at(-1));
		model.goOn();
		await seat.shows(`row ${COUNT}`);
		await fits(seat, sizes.at(-1));
		await assertWhole(seat, 30 + 2 * sizes.reduce((sum, [, rows]) => sum + rows, 0));
		await assertFits(seat, sizes.at(-1));
	}),
);

for (const between of SIZES.slice(1, -1)) {
	test(`a terminal has the size ${between.join("×")} for a moment`, { skip }, () => {
		const script = JSON.stringify({ replies: [[{ text: TEXT }], "More."] });
		return inBoth({ script, args: ["Go"] }, async (seat) => {
			const size = [100, 30];
			await seat.shows(`row ${COUNT}`);
			await seat.rests();
			// The program may only see that the size is what it was.
			await seat.resize(...between);
			await seat.resize(...size);
			await seat.writes("typed");
			await seat.press("enter");
			await seat.shows("More.");
			await fits(seat, size);
			await assertWhole(seat, size[1] + between[1]);
			const { screen } = await seat.everything();
			// Once more where tmux tells of the size so late that this is final already.
			const said = screen.filter((row) => row === " More.").length;
			assert.ok(said === 1 || (said === 2 && seat.name === "tmux"), `${seat.name}:\n${screen.join("\n")}`);
		});
	});
}

for (const [at, size] of SIZES.entries()) {
	const first = SIZES.at(at - 1);
	test(`a terminal of ${first.join("×")} has the size ${size.join("×")} before it shows a frame`, { skip }, () =>
		inXterm({ size: first, startModel, args: ["Go"] }, async (seat, model) => {
			const seen = await seat.shows(`row ${HELD}`);
			seat.hold();
			model.goOn();
			await seat.until("a frame that is not shown", () => seat.held().includes(`row ${COUNT}`));
			await seat.resize(...size);
			seat.release();
			await seat.shows(`row ${COUNT}`);
			await fits(seat, size);
			// What was shown before may be where the frame does not reach any more, and a screen is written once more.
			const shown = seen.split("\n").filter((row) => /^ - row \d+$/.test(row)).length;
			await assertWhole(seat, shown + Math.max(first[1], size[1]));
		}),
	);
}
