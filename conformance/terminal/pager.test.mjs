// The pager, in the alternate screen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inBoth, SIZES, skip } from "../lib/terminal/both.mjs";
import { textOf } from "../lib/terminal/kept.mjs";

/** More than a screen, also while the output is folded. */
const SCRIPT = `replies:
  - [{tool_call: {name: bash, arguments: {command: 'seq 101 180'}}}]
  - "${"- item\\n".repeat(30)}\\nDone."`;

const isOpen = (screen, { isAlternate }) => isAlternate && screen.includes("Transcript ·");
const isClosed = (_, { isAlternate }) => !isAlternate;

for (const size of SIZES) {
	test(`the pager leaves the main screen as it was at ${size.join("×")}`, { skip }, async () => {
		const pages = await inBoth({ size, script: SCRIPT, args: ["Begin"] }, async (seat) => {
			await seat.shows("Done.");
			await seat.rests();
			const before = { picture: textOf(await seat.picture()), styled: await seat.styled() };
			const cursor = (await seat.look()).cursor;
			const pages = [];
			await seat.press("pageUp");
			await seat.until("the pager", isOpen);
			await seat.press("ctrl+home");
			await seat.until("the beginning", (screen, look) => isOpen(screen, look) && screen.includes("tau v"));
			pages.push(await seat.styled());
			await seat.press("ctrl+end");
			await seat.until("the end", (screen, look) => isOpen(screen, look) && screen.includes("Done."));
			pages.push(await seat.styled());
			await seat.press("escape");
			await seat.until("the main screen", isClosed);
			assert.deepEqual({ picture: textOf(await seat.picture()), styled: await seat.styled() }, before, seat.name);
			assert.deepEqual((await seat.look()).cursor, cursor, seat.name);
			// Another key opens it with the output of tools unfolded, and a letter goes to the editor.
			await seat.press("ctrl+o");
			await seat.until("the output", (screen, look) => isOpen(screen, look) && /^102/m.test(screen));
			pages.push(await seat.styled());
			await seat.types("x");
			await seat.until("the letter", (screen, look) => isClosed(screen, look) && /^x$/m.test(screen));
			return pages;
		});
		assert.deepEqual(pages[1], pages[0]);
	});
}

test("the pager finds text", { skip }, async () => {
	// Terminals without extended keys have no `ctrl+shift+f`.
	const files = { "agent/keybindings.json": JSON.stringify({ "tui.altScreen.search": "ctrl+f" }) };
	const pages = await inBoth({ script: SCRIPT, files, args: ["Begin"] }, async (seat) => {
		await seat.shows("Done.");
		await seat.rests();
		await seat.press("ctrl+o");
		await seat.until("the pager", isOpen);
		await seat.press("ctrl+f");
		await seat.shows("Find in transcript");
		await seat.types("117");
		await seat.shows("/1");
		await seat.press("enter");
		await seat.until("the hit", (screen) => screen.includes("1/1") && /^117/m.test(screen));
		return seat.styled();
	});
	assert.deepEqual(pages[1], pages[0]);
});
