// What the terminal is like before, between and after: shells stop and continue tau, and every end gives all back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inBoth, SIZES, skip } from "../lib/terminal/both.mjs";
import { shell } from "../lib/terminal/place.mjs";

const SCRIPT = `replies: ["Yes.", "Again."]`;

/** The ways to end, and the code of each. */
const ENDS = {
	"ctrl+d": [(seat) => seat.press("ctrl+d"), 0],
	"ctrl+c twice": [
		async (seat) => {
			await seat.press("ctrl+c");
			await seat.press("ctrl+c");
		},
		0,
	],
	"/quit": [
		async (seat) => {
			await seat.types("/quit");
			await seat.shows("→ quit");
			await seat.press("enter");
		},
		0,
	],
	"SIGTERM in the pager": [
		async (seat) => {
			await seat.press("pageUp");
			await seat.until("the pager", (_, { isAlternate }) => isAlternate);
			process.kill(seat.place.pid(), "SIGTERM");
		},
		143,
	],
	SIGTERM: [(seat) => process.kill(seat.place.pid(), "SIGTERM"), 143],
	SIGHUP: [(seat) => process.kill(seat.place.pid(), "SIGHUP"), 129],
};

/** Nothing of the program is on: neither modes of the terminal, nor of its line, nor brackets around what is pasted. */
async function assertGivenBack(seat) {
	const { isAlternate, cursor } = await seat.look();
	assert.ok(!isAlternate && cursor.isShown && cursor.column === 0, seat.name);
	assert.deepEqual(await seat.leftOver(), [], seat.name);
	seat.assertLineIsRestored();
	await seat.paste("pasted\n");
	await seat.shows("pasted");
	await seat.press("ctrl+d");
	await seat.shows("[read]");
	assert.equal(seat.place.read("typed"), "pasted\n", seat.name);
}

for (const [name, [end, code]] of Object.entries(ENDS)) {
	test(`the terminal is given back after an end by ${name}`, { skip }, async () => {
		const screens = await inBoth({ script: SCRIPT, args: ["Go"] }, async (seat) => {
			await seat.shows("Yes.");
			await seat.rests();
			const on = seat.name === "xterm" ? ["mode 25", "mode 2004", "1 keyboards", "modifyOtherKeys 2"] : ["cursor_flag"];
			const found = await seat.leftOver();
			for (const one of on) assert.ok(found.includes(one), `${one}: ${found}`);
			await end(seat);
			assert.equal(await seat.ends(), code, seat.name);
			const { above, screen } = await seat.picture();
			await assertGivenBack(seat);
			return [...above, ...screen].map((row) => row.replace(/--session \S+/, "--session ID"));
		});
		assert.deepEqual(screens[1], screens[0]);
		// The dock is gone, and what was said is there once.
		const rows = screens[0].join("\n").trimEnd();
		assert.match(rows, /\n Yes\.\nTo resume this session: tau --session ID\n\[ended: \d+\]$/);
		assert.equal(rows.match(/Yes\./g).length, 1, rows);
	});
}

for (const size of SIZES) {
	test(`a shell stops it and continues it at ${size.join("×")}`, { skip }, async () => {
		const commandLine = (place) => shell(place, ["Go"]);
		const screens = await inBoth({ size, script: SCRIPT, commandLine }, async (seat) => {
			await seat.until("the shell", (screen) => screen.startsWith(">"));
			await seat.types("tau");
			await seat.press("enter");
			await seat.shows("Yes.");
			await seat.rests();
			await seat.writes("draft");
			const screens = [];
			for (const word of ["first", "second"]) {
				await seat.press("ctrl+z");
				await seat.until("the shell", (screen) => screen.includes("Stopped") && screen.trimEnd().endsWith("\n>"));
				const stopped = await seat.look();
				assert.ok(!stopped.isAlternate && stopped.cursor.isShown, seat.name);
				await seat.types(`echo ${word}`);
				await seat.press("enter");
				await seat.until("its output and the shell", (screen) => new RegExp(`^${word}\\n>$`, "m").test(screen));
				screens.push((await seat.picture()).screen);
				await seat.types("fg");
				await seat.press("enter");
				await seat.until("the draft", (screen) => /^draft$/m.test(screen));
				await seat.rests();
				screens.push((await seat.picture()).screen);
			}
			await seat.press("ctrl+u");
			await seat.until("an empty editor", (screen) => !screen.includes("draft"));
			await seat.types("more");
			await seat.shows("more");
			await seat.press("enter");
			await seat.shows("Again.");
			await seat.rests();
			await seat.press("ctrl+d");
			await seat.until("the shell", (screen) => screen.includes("To resume") && screen.trimEnd().endsWith("\n>"));
			const { above, screen } = await seat.picture();
			const all = [...above, ...screen];
			for (const row of [" Yes.", " Again.", "first", "second"]) {
				assert.equal(all.filter((one) => one === row).length, 1, `${seat.name}: ${row}\n${all.join("\n")}`);
			}
			return screens;
		});
		assert.deepEqual(screens[1], screens[0]);
	});
}
