// Answers while they stream and afterwards: Markdown, and more rows than a screen has.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inBoth, SIZES, skip } from "../lib/terminal/both.mjs";
import { textOf } from "../lib/terminal/kept.mjs";

/** In the order in which they should be there. */
const numbers = (count) => Array.from({ length: count }, (_, at) => at + 1);

/** The numbers behind a word, row by row, in the scrollback and on the screen. */
async function numbersBehind(seat, word) {
	const { above, screen } = await seat.everything();
	const pattern = new RegExp(`\\b${word} (\\d+)\\b`);
	return [...above, ...screen].flatMap((row) => pattern.exec(row)?.[1] ?? []).map(Number);
}

const MARKDOWN = `# A title

Some **bold** words and some \`code\`.

| Name | Size |
|---|---:|
| one | 1 |
| twenty | 20 |

\`\`\`rust
fn main() {
    let n = 1;
}
\`\`\`

- first
  - below it

> said

The end.`;

/** What is shown of it, over the full width but for its only long line. */
const shownAt = ([columns]) => [
	" A title",
	"",
	...(columns > 20 ? [" Some bold words and some code."] : [" Some bold words", " and some code."]),
	"",
	" ┌────────┬──────┐",
	" │ Name   │ Size │",
	" ├────────┼──────┤",
	" │ one    │ 1    │",
	" ├────────┼──────┤",
	" │ twenty │ 20   │",
	" └────────┴──────┘",
	"",
	"```rust",
	"fn main() {",
	"    let n = 1;",
	"}",
	"```",
	"",
	" - first",
	"     - below it",
	"",
	" │ said",
	"",
	" The end.",
];

for (const size of SIZES) {
	test(`Markdown in pieces and at once at ${size.join("×")}`, { skip }, async () => {
		const pictures = [];
		for (const pace of [{ chunk: 3, delta_ms: 1 }, {}]) {
			const script = JSON.stringify({ replies: [[{ text: MARKDOWN, ...pace }]] });
			pictures.push(
				...(await inBoth({ size, script, args: ["Go"] }, async (seat) => {
					await seat.shows("The end.");
					await seat.rests();
					return { picture: textOf(await seat.picture()), styled: await seat.styled() };
				})),
			);
		}
		const [first, ...others] = pictures;
		for (const other of others) assert.deepEqual(other, first);
		const rows = first.picture.split("\n").filter((row) => row !== "=== the screen ===");
		assert.deepEqual(rows.slice(rows.indexOf(" A title"), rows.indexOf(" The end.") + 1), shownAt(size));
	});

	test(`an answer of many rows stands in the scrollback once at ${size.join("×")}`, { skip }, async () => {
		const text = numbers(150).map((number) => `- row ${number}`).join("\n");
		const script = JSON.stringify({ replies: [[{ text, chunk: 7, delta_ms: 1 }], [{ text: text.replaceAll("row", "line") }]] });
		const pictures = await inBoth({ size, script, args: ["Go"] }, async (seat) => {
			await seat.shows("row 150");
			await seat.rests();
			assert.deepEqual(await numbersBehind(seat, "row"), numbers(150), seat.name);
			await seat.types("On");
			await seat.until("the text", (screen) => /^On$/m.test(screen));
			await seat.press("enter");
			await seat.shows("line 150");
			await seat.rests();
			assert.deepEqual(await numbersBehind(seat, "row"), numbers(150), seat.name);
			assert.deepEqual(await numbersBehind(seat, "line"), numbers(150), seat.name);
			return textOf(await seat.picture());
		});
		assert.equal(pictures[1], pictures[0]);
	});
}
