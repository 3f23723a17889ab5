// Plays tables of example extensions in both terminals, in both ways to paint, in two sizes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { extensionPath } from "../../extensions/sets.mjs";
import { inBoth, inXterm, skip } from "./both.mjs";
import { startPlaying } from "./held.mjs";
import { watched } from "./place.mjs";
import { each, flat } from "./steps.mjs";

const FOLDER = fileURLToPath(new URL("../../reference/pi/examples/extensions", import.meta.url));

const MODES = ["regular", "fullscreen"];
const SIZES = [
	[100, 30],
	[40, 20],
];

/** Answers any prompt, any number of times. */
const ECHO = { replies: [{ repeat: "forever", steps: ["You said: {{user}}"] }] };

/** The model of `startPlaying`. */
export const LOOP = ["--model", "loop/scripted"];

/** What `-e` takes of an example, by its name. */
export function pathOf(example) {
	const file = `${FOLDER}/${example}.ts`;
	return existsSync(file) ? file : extensionPath(`${FOLDER}/${example}`);
}

/** Puts the row's programs, repository and the like into the place. */
export function prepare(place, { bin = {}, setup }) {
	place.write("bin/.keep", "");
	for (const [name, text] of Object.entries(bin)) {
		place.write(`bin/${name}`, `#!/bin/sh\n${text}\n`);
		chmodSync(join(place.root, "bin", name), 0o755);
	}
	const env = { PATH: process.env.PATH, HOME: place.root };
	if (setup) execFileSync("bash", ["-ec", setup], { cwd: place.work, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** The command line of tau with the row's extensions. */
function commandLine(place, row, mode) {
	const { example, with: others = [], args = [], answers } = row;
	prepare(place, row);
	const extensions = [...others, example].flatMap((name) => ["-e", pathOf(name)]);
	const line = watched(place, ["--tui-mode", mode, ...(answers ? LOOP : []), ...extensions, ...(typeof args === "function" ? args(place) : args)]);
	return ["sh", "-c", 'PATH="$0/bin:$PATH" exec "$@"', place.root, ...line];
}

/** A rule of the editor, which may hold a text. */
const isRule = (row) => /^─.*─/.test(row);

/**
 * The screen in two parts: what was said, and what stands below it, from the editor's upper rule on. `above` more rows
 * stand in front of that rule.
 */
function parts(rows, above = 0) {
	rows = withoutScrollbar(rows);
	const used = rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
	const lower = used.findLastIndex(isRule);
	const upper = used.slice(0, Math.max(lower, 0)).findLastIndex(isRule);
	if (upper < 0) return undefined;
	const start = upper - above;
	// How many tokens were used is not what is looked at.
	const dock = used.slice(start).map((row) => row.replace(/^(↑\S+ ↓\S+ )?(?:\d+\.\d%|\?)(\S+ \(auto\)) +/, "0.0%$2 "));
	return { said: trimmed(used.slice(0, start)), dock };
}

/** The scrollbar of full screen is there for a while after something has moved. */
function withoutScrollbar(rows) {
	const columns = Math.max(...rows.map((row) => [...row].length));
	return rows.map((row) => ([...row].length === columns ? row.replace(/[│┃]$/, "").trimEnd() : row));
}

const trimmed = (rows) => rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);

/** All that was said, with the scrollback where that is the terminal's own, and the dock. The program has to be at rest. */
async function whole(seat, at, { above, rest }) {
	const look = await seat.look();
	const screen = look.rows.join("\n");
	const seen = parts(look.rows, above);
	const isWide = () => seen.dock.filter(isRule).every((row) => [0, 1].includes(at.columns - [...row].length));
	assert.ok(!look.isInFrame && look.isAlternate === (at.mode === "fullscreen") && isAtRest(screen, rest) && seen && isWide(), `${seat.name} does not rest:\n${screen}`);
	if (at.mode === "fullscreen") return seen;
	const { above: scrolled, screen: rows } = await seat.everything();
	return parts([...scrolled, ...rows], above);
}

/** Whether the program waits for the user. A footer of an example needs a pattern of its own, `rest`. */
const isAtRest = (screen, rest) => !/\(escape to|starting/.test(screen) && (rest ? rest.test(screen) : /^~\/work/m.test(screen) && /scripted$/m.test(screen));

/** What may still change is shown by its end, under such a line, where it is longer than the screen. */
const CUT = /^↑ \d+ lines?$/;

/** What was said meanwhile is what should have been, and what was there is as it was. */
function assertSaid(seat, at, before, after, { leaves, clears }) {
	const where = `${seat.name}, ${at.mode}, ${at.columns}×${at.rows}`;
	const [was, is] = [before, after].map(({ said }) => said.slice(said.findLastIndex((row) => CUT.test(row)) + 1).join("\n"));
	const isWhole = at.mode === "regular" && ![...before.said, ...after.said].some((row) => CUT.test(row));
	// An example that clears the screen has what was there painted again, below what it wrote.
	if (isWhole && clears) assert.ok(is.includes(was.trimStart()), `${where}: what was there is not in ${is}`);
	else if (isWhole) assert.equal(is.slice(0, was.length), was, `${where}: what was there`);
	if (leaves instanceof RegExp) {
		const seen = flat(isWhole ? is.slice(was.length) : is);
		assert.match(seen, leaves, `${where}: ${leaves} is not in ${seen}`);
	} else if (isWhole) {
		assert.equal(flat(is.slice(was.length)), flat(leaves), where);
	} else if (leaves === "") {
		// A terminal that got lower has pushed the upper rows of a screen up, once at most.
		const pushed = is.slice(0, -was.length || undefined).split("\n").slice(0, -1);
		assert.ok(is.endsWith(was) && pushed.length < at.rows, `${where}:\n${is}\nis not one part of a screen and then:\n${was}`);
	} else {
		// Of one, only the end can be seen.
		const [expected, seen] = [flat(`${was}\n${leaves}`), flat(is)];
		assert.ok(expected.endsWith(seen) || seen.endsWith(expected), `${where}:\n${is}\nis not the end of:\n${expected}`);
	}
}

/** The rows from the editor on are so; each should be a text or a pattern. */
function assertDock(seat, { said, dock }, expected) {
	const texts = expected.map((row, at) => (row instanceof RegExp && row.test(dock[at] ?? "") ? dock[at] : String(row)));
	assert.equal(dock.join("\n"), texts.join("\n"), `${seat.name}:\n${said.join("\n")}\nand below`);
}

/** Does a row's steps in one size, and looks at what is left. */
async function playAt(seat, at, row) {
	const before = await seat.holds(() => whole(seat, at, row));
	await each(row.steps, seat, at);
	const dock = row.dock ? row.dock(before.dock, at) : before.dock;
	const leaves = typeof row.leaves === "function" ? row.leaves(at) : (row.leaves ?? "");
	await seat.holds(async () => {
		const after = await whole(seat, at, row);
		assertDock(seat, after, dock);
		assertSaid(seat, at, before, after, { leaves, clears: row.clears });
	});
}

/** Ends the program by a key; nothing of it is left in the terminal. */
async function leave(seat, row) {
	if (!row.end) await seat.press("ctrl+d");
	assert.equal(await seat.ends(), 0, seat.name);
	const { isAlternate, cursor } = await seat.look();
	assert.ok(!isAlternate && cursor.isShown && cursor.column === 0, seat.name);
	assert.deepEqual(await seat.leftOver(), [], seat.name);
	seat.assertLineIsRestored();
}

/** One row in one way to paint: in both terminals, first wide, then narrow. */
function playRow(row, mode) {
	const { files, environment, script = ECHO, answers, alsoAs, sizes = SIZES } = row;
	const startModel = answers && (() => startPlaying(answers, alsoAs));
	const setup = { size: sizes[0], files, environment, script: JSON.stringify(script), startModel, commandLine: (place) => commandLine(place, row, mode) };
	return (row.only === "xterm" ? inXterm : inBoth)(setup, async (seat, model) => {
		await each(row.begin ?? [], seat, { mode, model });
		for (const [round, [columns, rows]] of sizes.entries()) {
			const at = { mode, columns, rows, isWide: columns >= 100, round, model };
			if (round > 0) {
				await seat.resize(columns, rows);
			} else if (row.start) {
				await seat.holds(() => whole(seat, at, row));
				await each(row.start, seat, at);
			}
			await playAt(seat, at, row);
		}
		await each(row.last ?? [], seat, { mode, model, round: 0 });
		await leave(seat, row);
	});
}

/**
 * Tests each row of a table in each way to paint. A row has
 *   example, what     its name, and what is tested of it
 *   with              other examples that are loaded too, before it
 *   steps             what is done in each size, of `steps.mjs`; `start`: what is done before, once;
 *                     `begin`: what is done before the program is ready; `last`: what is done at the end, and with
 *                     `end` that is the end of the program
 *   clears            it clears the screen, so that what was there is below what it wrote
 *   leaves            what the conversation has gained afterwards: a text, wrapped anywhere, or a pattern; else nothing
 *   dock(before, at)  the rows from the editor on afterwards; without it they are as before
 *   rest, above       how the screen at rest is recognised; how many rows of widgets stand above the editor
 *   script, answers   what the scripted model plays; or what a model on the loopback interface plays, see `startPlaying`,
 *                     under another name too: `alsoAs`
 *   only, modes       the terminal, or the ways to paint, that it is about
 *   files, setup, bin, environment, args, sizes, end
 * A row with `needs` cannot be used here for that reason: the program starts with it and ends.
 */
export function play(title, table) {
	describe(title, { concurrency: 2 }, () => {
		for (const row of table) {
			for (const mode of row.modes ?? MODES) {
				const what = row.needs ? `starts (needs ${row.needs})` : (row.what ?? "");
				test(`${row.example}${what && ` ${what}`}, ${mode}`, { skip }, () => playRow({ steps: [], ...row }, mode));
			}
		}
	});
}
