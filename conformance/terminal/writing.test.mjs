// What is typed and pasted, chosen and answered.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inBoth, SIZES, skip } from "../lib/terminal/both.mjs";
import { textOf } from "../lib/terminal/kept.mjs";

/** What the model is asked is what it answers. */
const ECHO = "replies: ['You said: {{user}}', 'And then: {{user}}']";

/** What is compared of both terminals, which work in different folders. */
async function shown(seat) {
	const { cursor } = await seat.look();
	const styled = (await seat.styled()).map((row) => row.replaceAll(seat.place.root, "/PLACE"));
	return { picture: textOf(await seat.picture()).replaceAll(seat.place.root, "/PLACE"), styled, cursor };
}

/** Both show the same. */
async function same(setup, drive) {
	const [xterm, tmux] = await inBoth(setup, async (seat) => {
		await drive(seat);
		return shown(seat);
	});
	assert.deepEqual(tmux, xterm);
	return xterm.picture;
}

for (const size of SIZES) {
	const at = size.join("×");

	test(`a paste of some lines waits for enter at ${at}`, { skip }, async () => {
		await same({ size, script: ECHO }, async (seat) => {
			await seat.isReady();
			await seat.paste("first\nsecond\nthird");
			const screen = await seat.shows("third");
			assert.match(screen, /^first\nsecond\nthird$/m);
			await seat.press("enter");
			await seat.until("the answer", (text) => /^ second\n third\n\n─/m.test(text));
			await seat.rests();
			const { above, screen: rows } = await seat.everything();
			assert.match([...above, ...rows].join("\n"), /^ You said: first\n second\n third$/m);
		});
	});

	test(`a paste of many lines stands for itself at ${at}`, { skip }, async () => {
		const lines = Array.from({ length: 40 }, (_, line) => `line ${line + 1}`);
		await same({ size, script: ECHO }, async (seat) => {
			await seat.isReady();
			await seat.paste(lines.join("\n"));
			await seat.shows("[paste #1");
			await seat.press("enter");
			await seat.shows("line 40");
			await seat.rests();
			const { above, screen } = await seat.everything();
			const all = [...above, ...screen];
			// The prompt has all of it, and the answer.
			assert.equal(all.filter((row) => row.trim() === "line 17").length, 2, all.join("\n"));
		});
	});

	test(`wide and combined characters at ${at}`, { skip }, async () => {
		const text = "é你好 👍 e\u0301x";
		await same({ size, script: ECHO }, async (seat) => {
			await seat.isReady();
			await seat.writes(text);
			await seat.press("left");
			await seat.types("z");
			await seat.shows("e\u0301zx");
			await seat.press("enter");
			await seat.until("the answer", (screen) => /You said: é你好\s+👍\s+e\u0301zx/.test(screen));
			await seat.rests();
		});
	});

	test(`a suggestion is chosen at ${at}`, { skip }, async () => {
		const files = { "work/alpha.txt": "a", "work/alphabet.txt": "b" };
		await same({ size, script: ECHO, files }, async (seat) => {
			await seat.isReady();
			await seat.types("@alph");
			await seat.until("the files", (screen) => screen.includes("→ alpha") && screen.includes("alphabet.txt"));
			await seat.press("down");
			await seat.until("the other", (screen) => /^ {2}alpha/m.test(screen) && screen.includes("→ alpha"));
			await seat.press("tab");
			await seat.until("the choice", (screen) => !screen.includes("→") && /^@alpha(bet)?\.txt/m.test(screen));
		});
	});

	for (const isAllowed of [true, false]) {
		test(`a gate's question is answered with ${isAllowed ? "yes" : "no"} at ${at}`, { skip }, async () => {
			const gate = `export default (pi) => pi.on('tool_call', async (event, ctx) => {
				if (!await ctx.ui.confirm('Write it?', event.input.path)) return { block: true, reason: 'not today' };
			});`;
			const script = `replies:\n  - [{tool_call: {name: write, arguments: {path: new.txt, content: "words\\n"}}}]\n  - Done.`;
			const picture = await same({ size, script, files: { "agent/extensions/gate.ts": gate }, args: ["Go"] }, async (seat) => {
				await seat.until("the question", (screen) => screen.includes("Write it?") && screen.includes("→ Yes"));
				await seat.press("down");
				await seat.shows("→ No");
				if (isAllowed) {
					await seat.press("up");
					await seat.shows("→ Yes");
				}
				await seat.press("enter");
				await seat.shows("Done.");
				await seat.rests();
				const file = join(seat.place.work, "new.txt");
				if (isAllowed) assert.equal(readFileSync(file, "utf8"), "words\n");
				else assert.ok(!existsSync(file));
			});
			const flat = picture.replace("=== the screen ===\n", "").replace(/\s+/g, " ");
			assert.equal(flat.includes("not today"), !isAllowed, picture);
			assert.equal(flat.includes("✓ write new.txt"), isAllowed, picture);
		});
	}
}
