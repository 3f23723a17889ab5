// What files may say of modules, and packages that lean on the engine, side by side with the reference's own loader.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { call, play, report, say } from "../extensions/driver.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const modules = path("../node_modules");
const files = path("../../crates/engine/tests/loader");
const jiti = join(modules, "jiti/lib/jiti-cli.mjs");

describe("the files that tau's loader is tested with", () => {
	// `beyond` is what only tau's loader can do.
	for (const file of readdirSync(files).filter((name) => name.endsWith(".test.ts") && name !== "beyond.test.ts")) {
		test(`mean the same to the reference's loader: ${file}`, async () => {
			const env = { ...process.env, JITI_FS_CACHE: "false" };
			// This process is a test runner itself.
			delete env.NODE_TEST_CONTEXT;
			const { failed, output } = await new Promise((resolve) =>
				execFile(process.execPath, [jiti, join(files, file)], { env }, (failed, out, err) => resolve({ failed, output: out + err })),
			);
			assert.ok(!failed, output);
			assert.match(output, /^(# |ℹ )pass [1-9]/m);
		});
	}
});

describe("the files that tau's stand-ins for packages are tested with", () => {
	const stands = path("../../crates/engine/tests/npm");
	const folder = mkdtempSync(join(tmpdir(), "conformance-npm-"));
	before(() => {
		cpSync(stands, folder, { recursive: true });
		symlinkSync(modules, join(folder, "node_modules"));
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	// `beyond` is what only tau does.
	for (const file of readdirSync(stands).filter((name) => name.endsWith(".test.ts") && name !== "beyond.test.ts")) {
		test(`pass with the package itself: ${file}`, async () => {
			const env = { ...process.env };
			delete env.NODE_TEST_CONTEXT;
			const { failed, output } = await new Promise((resolve) =>
				execFile(process.execPath, [join(folder, file)], { env }, (failed, out, err) => resolve({ failed, output: out + err })),
			);
			assert.ok(!failed, output);
			assert.match(output, /^(# |ℹ )pass [1-9]/m);
		});
	}
});

describe("packages of npm in an extension", () => {
	const folder = mkdtempSync(join(tmpdir(), "conformance-modules-"));
	before(() => {
		cpSync(path("extensions"), folder, { recursive: true });
		symlinkSync(modules, join(folder, "node_modules"));
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	test("express serves requests", async () => {
		const seen = await play("tau", [join(folder, "express.ts")], {
			prompts: ["Serve"],
			script: [call(["e1", "serve"]), say("Served.")],
		});
		try {
			const { text, isError } = seen.tool("e1");
			assert.equal(isError, false, text);
			const answers = JSON.parse(text);
			assert.deepEqual(answers[0], [200, "application/json; charset=utf-8", '{"hello":"you","query":{"x":"1"}}']);
			assert.deepEqual(answers[1], [201, "application/json; charset=utf-8", '{"sent":["a",1]}']);
			assert.deepEqual(answers[2].slice(0, 2), [404, "text/html; charset=utf-8"]);
			assert.deepEqual(answers[3], [500, "text/html; charset=utf-8", "caught Error: thrown in a handler"]);
		} catch (error) {
			error.message += `\n${report(seen)}`;
			throw error;
		} finally {
			seen.home.remove();
		}
	});
});
