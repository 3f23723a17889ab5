// The table of known differences and the document must agree.

import assert from "node:assert/strict";
import { test } from "node:test";
import { allRows, documentedIds } from "../lib/differences.mjs";
import { FORMATS } from "../wire/formats.mjs";

const KINDS = [
	"exit",
	"events",
	"text",
	"trace",
	"session",
	"conversation",
	"request.anthropic",
	"request.openai",
	"headers.anthropic",
	"headers.openai",
	"rpc.responses",
	"rpc.events",
	"example",
	"mcp.exit",
	"mcp.request",
	"mcp.events",
	...["*", ...FORMATS.map(({ name }) => name)].flatMap((name) => ["body", "head", "answer"].map((kind) => `wire.${kind}.${name}`)),
];

test("every declared difference is a row of docs/differences.md", () => {
	const documented = documentedIds();
	assert.ok(documented, "docs/differences.md exists");
	const missing = [...new Set(allRows.kept.map((row) => row.id))].filter((id) => !documented.has(id));
	assert.deepEqual(missing, []);
});

/** Kinds whose rows name a run, and no more. */
const WHOLE = ["client", "examples", "examples.load", "examples.registering", "names", "surface", "view"];

test("every declared difference says where it is and what it covers", () => {
	const incomplete = [...allRows.kept, ...allRows.open].filter((row) => {
		if (WHOLE.includes(row.in)) return !row.row || !row.run;
		const covers = [typeof row.path === "string", row.drop !== undefined, row.move !== undefined, row.skip !== undefined];
		return !(row.id || row.row) || !KINDS.includes(row.in) || covers.filter(Boolean).length !== 1;
	});
	assert.deepEqual(incomplete, []);
});
