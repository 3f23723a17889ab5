// Differences that are rows of docs/differences.md and appear in no other comparison: what both programs do.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parseLines, run, selfCheck } from "../lib/agents.mjs";
import { makeHome, MODELS } from "../lib/home.mjs";
import { startLoopback } from "../lib/loopback.mjs";
import { Rpc } from "../lib/rpc.mjs";

/** A run of `program` with an extension, in a home that is removed at the end of the test. */
async function withExtension(t, program, script, source, play) {
	const server = await startLoopback(script);
	const home = makeHome({ origin: server.origin });
	t.after(async () => {
		await server.close();
		home.remove();
	});
	writeFileSync(join(home.work, "extension.ts"), source);
	return play(home, ["--model", MODELS.anthropic, "-e", "./extension.ts"], server);
}

/** Texts of the results of a run, with "error: " before those of calls that failed. */
async function results(t, program, script, source) {
	const { stdout } = await withExtension(t, program, script, source, (home, args) =>
		run(program, home, [...args, "--mode", "json", "Go"], { stdin: "" }),
	);
	const ends = parseLines(stdout).filter(({ type }) => type === "tool_execution_end");
	return ends.map(({ result, isError }) => {
		const { content } = result;
		return (isError ? "error: " : "") + (Array.isArray(content) ? content.map(({ text }) => text ?? "").join() : content);
	});
}

const call = (name) => ({ toolCalls: [{ id: `call_${name}`, name, args: {} }] });
const tool = (name, result) =>
	`pi.registerTool({ name: "${name}", label: "T", description: "T.", parameters: { type: "object", properties: {} }, execute: async () => (${result}) });`;

describe("kept differences", { skip: selfCheck }, () => {
	test("N692, N503: a tool that returns nothing, or a text", async (t) => {
		const script = [call("none"), call("plain"), { text: "Done." }];
		const source = `export default (pi) => { ${tool("none", "undefined")} ${tool("plain", '"Just text."')} };`;
		const [none, plain] = await results(t, "reference", script, source);
		assert.match(none, /^error: Cannot read properties of undefined/);
		assert.doesNotMatch(plain, /Just text/);
		const [nothing, text] = await results(t, "tau", script, source);
		assert.match(nothing, /^error: The tool none returned no result \(.*extension\.ts\)$/);
		assert.equal(text, "Just text.");
	});

	test("N504: two messages of an extension at once", async (t) => {
		const source = `
			import { appendFileSync } from "node:fs";
			export default (pi) => {
				pi.on("before_agent_start", ({ prompt }) => appendFileSync("started.txt", prompt + ";"));
				pi.registerCommand("both", { description: "B", handler: () => { pi.sendUserMessage("One"); pi.sendUserMessage("Two"); } });
			};`;
		const started = (program) =>
			withExtension(t, program, [{ text: "First." }, { text: "Second." }], source, async (home, args) => {
				const rpc = new Rpc(program, home, args);
				await rpc.send("prompt", { message: "/both" });
				await rpc.record(({ type }) => type === "agent_settled", "the end of the run");
				await rpc.record(({ type }) => type === "extension_error", "the error of the second message");
				await rpc.close();
				return readFileSync(join(home.work, "started.txt"), "utf8");
			});
		assert.equal(await started("reference"), "One;Two;");
		assert.equal(await started("tau"), "One;");
	});

	test("N505: output of white space only", async (t) => {
		const source = `export default (pi) => { ${tool("blank", '{ content: [{ type: "text", text: " \\n" }], details: {} }')} };`;
		const sent = (program) =>
			withExtension(t, program, [call("blank"), { text: "Done." }], source, async (home, args, server) => {
				await run(program, home, [...args, "-p", "Go"], { stdin: "" });
				const [{ content }] = server.bodies()[1].messages.at(-1).content;
				return typeof content === "string" ? content : content.map(({ text }) => text).join();
			});
		assert.equal(await sent("reference"), " \n");
		assert.equal(await sent("tau"), "(no tool output)");
	});

	test("N507: an error of an extension in RPC mode", async (t) => {
		const source = `export default (pi) => pi.registerCommand("fail", { description: "F", handler: () => { throw new Error("on purpose"); } });`;
		for (const program of ["reference", "tau"]) {
			const { told, stderr } = await withExtension(t, program, [], source, async (home, args) => {
				const rpc = new Rpc(program, home, args);
				await rpc.send("prompt", { message: "/fail" });
				await rpc.close();
				return { told: rpc.records.filter(({ type }) => type === "extension_error"), stderr: rpc.stderr };
			});
			assert.equal(told.length, 1, program);
			assert.equal(stderr.includes("on purpose"), program === "tau", stderr);
		}
	});
});
