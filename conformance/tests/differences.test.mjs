// The table of known differences and the document must agree.

import assert from "node:assert/strict";
import { test } from "node:test";
import { allRows, documentedIds } from "../lib/differences.mjs";

const KINDS = [
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
];

test("every declared difference is a row of docs/differences.md", () => {
	const documented = documentedIds();
	assert.ok(documented, "docs/differences.md exists");
	const missing = [...new Set(allRows().map((row) => row.id))].filter((id) => !documented.has(id));
	assert.deepEqual(missing, []);
});

test("every declared difference says where it is and what it covers", () => {
	const incomplete = allRows().filter((row) => {
		const covers = [typeof row.path === "string", row.drop !== undefined, row.move !== undefined, row.skip !== undefined];
		return !row.id || !KINDS.includes(row.in) || covers.filter(Boolean).length !== 1;
	});
	assert.deepEqual(incomplete, []);
});
