// Published packages draw, take keys, follow the size and leave the editor as it was, in both terminals.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { before, test } from "node:test";
import { inBoth, skip } from "../lib/terminal/both.mjs";
import { startModel } from "./model.mjs";
import { ROWS } from "./table.mjs";

const own = fileURLToPath(new URL("node_modules/", import.meta.url));
const FOLDERS = { own, conformance: fileURLToPath(new URL("../node_modules/", import.meta.url)) };
const EVERYTHING = `${FOLDERS.conformance}@modelcontextprotocol/server-everything/dist/index.js`;

/** Some of these packages are large; how long a busy machine takes to load them is no matter of these tests. */
const LIMITS = { softMs: 120_000, observeMs: 120_000, stretchMs: 120_000, loadMs: 600_000 };
const USUAL = [100, 30];
const NARROW = [60, 20];
const KEYS = ["enter", "escape", "tab", "up", "down", "ctrl+o", "ctrl+u"];

before(() => {
	if (!skip && !existsSync(own)) execFileSync("npm", ["ci", "--loglevel=error"], { cwd: fileURLToPath(new URL(".", import.meta.url)) });
});

/** A row between two rules: the editor, with nothing over it. */
const EDITOR = /^─+\n.*\n─+$/m;

/** Waits for a text as a row of the table has it. */
async function awaits(seat, text) {
	const [, how, what] = /^(no|closed) (.*)$/.exec(text) ?? [];
	if (!how) return seat.shows(text);
	return seat.until(`the end of ${what}`, (screen) => !screen.includes(what) && (how === "no" || EDITOR.test(screen)));
}

async function does(seat, what) {
	if (what === "") return;
	if (KEYS.includes(what)) return seat.press(what);
	const isPrompt = what.startsWith("> ");
	if (!isPrompt && !/^\/\w/.test(what)) return seat.types(what);
	const line = isPrompt ? what.slice(2) : what;
	await seat.writes(line);
	await seat.press("enter");
}

/** Does something each second until its text is there. */
async function insists(seat, what, text) {
	const again = setInterval(() => void does(seat, what), 1000);
	try {
		await awaits(seat, text);
	} finally {
		clearInterval(again);
	}
}

/** Whether the footer, where it can be seen, is that of a screen with so many columns. */
const hasWidth = (screen, columns) => {
	const rows = screen.split("\n");
	return !screen.includes("%/200k") || rows.some((row) => row.includes("%/200k") && row.length === columns && row.endsWith("scripted"));
};

/** Works through a row. */
async function work(seat, row) {
	await seat.until("the end of the start", (screen) => screen.includes(row.footer ?? "~/work") && !screen.includes("starting"));
	for (const [number, [what, text, again]] of row.steps.entries()) {
		await does(seat, what);
		await (again ? insists(seat, what, text) : awaits(seat, text));
		if (number !== row.open) continue;
		for (const size of [NARROW, USUAL]) {
			await seat.resize(...size);
			await seat.until(`a screen of ${size[0]} columns`, (screen) => hasWidth(screen, size[0]));
			await awaits(seat, text);
		}
	}
	await seat.writes("typed afterwards");
	await seat.press("ctrl+u");
	await seat.until("an empty editor", (screen) => !screen.includes("typed afterwards"));
	await seat.press("ctrl+d");
	assert.equal(await seat.ends(), 0, seat.name);
}

for (const row of ROWS) {
	const { package: name, from = "own", replies = [], files, args = [], todo } = row;
	const paths = [...(row.with ?? []), name].map((path) => `${FOLDERS[from]}${path}`);
	const settings = { quietStartup: true, tau: { limits: LIMITS } };
	const setup = {
		startModel: () => startModel(replies),
		files: {
			"agent/settings.json": JSON.stringify(settings),
			...(row.everything && { "everything.mjs": `process.argv[2] = "stdio";\nawait import(${JSON.stringify(EVERYTHING)});\n` }),
			...(row.repository && { "work/.git/HEAD": "ref: refs/heads/main\n", "work/.git/objects/x": "", "work/.git/refs/x": "" }),
			...files,
		},
		args: [...args, ...paths.flatMap((path) => ["-e", path])],
	};
	test(`${name}: ${row.what}`, { skip, ...(todo && { todo }) }, () => inBoth(setup, (seat) => work(seat, row)));
}
