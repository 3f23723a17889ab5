// Strikes from open.json what the tests of a run with UPDATE_OPEN found to be done: `node lib/strike.mjs FILE`.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseLines } from "./agents.mjs";

const file = new URL("../open.json", import.meta.url);
const text = readFileSync(file, "utf8");
const found = existsSync(process.argv[2]) ? parseLines(readFileSync(process.argv[2], "utf8")) : [];
const done = new Map(found.map(({ row, left }) => [JSON.stringify(row), left]));

// A row is a line, so that those that stay are not touched.
const rows = [];
for (const [, line] of text.matchAll(/^    (\{.*\}),?$/gm)) {
	const row = JSON.parse(line);
	const key = JSON.stringify(row);
	if (!done.has(key)) rows.push(line);
	else if (done.get(key)) rows.push(`{ ${JSON.stringify({ ...row, ...done.get(key) }, null, 1).slice(1, -1).replace(/\n\s*/g, " ").trim()} }`);
}
const { comment } = JSON.parse(text);
const list = rows.map((line) => `\n    ${line}`).join(",");
writeFileSync(file, `{\n  "comment": ${JSON.stringify(comment)},\n  "differences": [${list}\n  ]\n}\n`);
console.log(`open.json: ${done.size} rows changed, ${rows.length} left`);
