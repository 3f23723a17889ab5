// What tau sends has the types that the vendors' SDKs publish: no field that they do not know, none of another type, none
// missing.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { check } from "../../types/compare.mjs";
import { bodiesOf } from "../programs.mjs";
import { forEachFormat } from "../rows.mjs";
import { TYPES } from "./types.mjs";
import { UNTYPED } from "./untyped.mjs";

const modules = fileURLToPath(new URL("../../node_modules", import.meta.url));

const OPTIONS = { strict: true, noEmit: true, module: "nodenext", target: "es2022", lib: ["es2022", "dom", "esnext.disposable"], skipLibCheck: true, types: ["node"] };

/** The type checker's errors, each with the names of the bodies that have it: `{ message: [name, …] }`. */
function errorsOf(format, bodies) {
	const { imports, type, literal } = TYPES[format.sdk];
	const folder = mkdtempSync(join(tmpdir(), "wire-types-"));
	try {
		symlinkSync(modules, join(folder, "node_modules"));
		const head = imports.split("\n");
		// One body a line.
		const lines = bodies.map(([, request], index) => `export const body${index}: ${type} = ${literal(request, format)};`);
		writeFileSync(join(folder, "bodies.ts"), [...head, ...lines].join("\n"));
		writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
		writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: OPTIONS, files: ["bodies.ts"] }));
		const errors = {};
		for (const [, line, message, reason] of check(join(folder, "tsconfig.json"))) {
			const name = bodies[line - 1 - head.length]?.[0] ?? "the table of types";
			(errors[(reason ?? message).slice(0, 300)] ??= []).push(name);
		}
		return errors;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

forEachFormat((format) => {
	let bodies;
	before(async () => {
		const recordings = [await bodiesOf("tau", format), await bodiesOf("tau", format, { retention: "long" })];
		bodies = recordings.flatMap((recording) => Object.entries(recording).map(([name, [request]]) => [name, request]));
	});
	test("the bodies have the SDK's types", () => {
		const adjustments = UNTYPED[format.name] ?? [];
		const used = new Set();
		const typed = bodies.map(([name, request]) => {
			const body = structuredClone(request.body);
			for (const row of adjustments) if (row.adjust(body)) used.add(row);
			return [name, { ...request, body }];
		});
		assert.deepEqual(errorsOf(format, typed), {});
		assert.deepEqual(adjustments.filter((row) => !used.has(row)).map(({ reason }) => reason), [], "rows of untyped.mjs that are not needed");
	});
});
