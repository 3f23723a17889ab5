// Servers that others made, used by the reference and by tau: the same tools under the same names, the same results, the same
// events.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { selfCheck } from "../lib/agents.mjs";
import { assertNoStaleRows, assertSame } from "../lib/differences.mjs";
import { ask, fillIn } from "./questions.mjs";
import { recordServers } from "./record.mjs";
import { dual, everything, filesystem, findPython, onNode, startDual, startEverything } from "./servers.mjs";
import { byScripts, DUAL, EVERYTHING, FILESYSTEM, NOBODY, PROTOCOL, SAME_NAME, SCRIPTED, SEARCHED, TIME, VARIABLES } from "./scenarios.mjs";

const python = findPython();
const direct = (entry) => ({ ...entry, exposure: "direct" });
const web = {};

before(async () => {
	web.everything = await startEverything();
	if (python.python) web.dual = await startDual(python.python);
});
after(() => Promise.all(Object.values(web).map((server) => server.close())));

const ON_PYTHON = { skip: python.reason };
const EVERY = onNode(everything, "stdio");
/** Name, servers and what else a scenario is. */
const RUNS = [
	["everything, a program", () => ({ ev: direct(EVERY) }), EVERYTHING],
	["everything, on the web", () => ({ ev: direct({ url: web.everything.url }) }), EVERYTHING],
	["filesystem", () => ({ files: direct(onNode(filesystem, ".")) }), FILESYSTEM],
	["time, in Python", () => ({ time: { command: python.python, args: ["-m", "mcp_server_time", "--local-timezone", "UTC"] } }), byScripts(TIME), ON_PYTHON],
	["an extension has a tool of the same name", () => ({ ev: direct(EVERY) }), SAME_NAME("first")],
	["an extension has a tool of the same name later", () => ({ ev: direct(EVERY) }), SAME_NAME("later")],
	["variables of a server", () => ({ ev: direct(EVERY) }), VARIABLES],
	["a server that is not there", () => ({ ev: direct(EVERY) }), NOBODY],
	["which protocol is spoken", () => ({ dual: direct({ url: web.dual.url }) }), PROTOCOL, ON_PYTHON],
	["both kinds of the protocol, a program", () => ({ dual: { command: python.python, args: [dual, "stdio"] } }), byScripts(DUAL), ON_PYTHON],
	["both kinds of the protocol, on the web", () => ({ dual: direct({ url: web.dual.url }) }), DUAL, ON_PYTHON],
	["scripts", () => ({ ev: EVERY }), SCRIPTED],
	["searches", () => ({ ev: { ...EVERY, exposure: "deferred" } }), SEARCHED],
];

describe("servers", { concurrency: 2 }, () => {
	for (const [run, servers, scenario, options = {}] of RUNS) {
		test(run, options, async () => {
			const { reference, tau } = await recordServers({ ...scenario, servers: servers() });
			assert.equal(reference.stepsLeft, 0, `the script fits the reference: ${reference.stderr}`);
			const outcome = ({ code, stderr }) => ({ code, silent: stderr === "" });
			assertSame("mcp.exit", `exit code and stderr (of tau: ${tau.stderr})`, outcome(reference), outcome(tau), { run });
			assertSame("mcp.request", "declarations and results", reference.request, tau.request, { run });
			// When a script shows how far its calls are, relative to these, is up to the scheduler.
			const isShown = ({ type, toolName }) => type === "tool_execution_update" && toolName === "codemode";
			const steady = ({ events }) => events.filter((event) => !isShown(event));
			assertSame("mcp.events", "events", steady(reference), steady(tau), { run });
			assertSame("mcp.events", "progress of scripts", reference.events.filter(isShown), tau.events.filter(isShown), { run });
		});
	}
});

describe("questions of servers", { concurrency: 2, skip: selfCheck && "the reference asks nobody" }, () => {
	test("only tau offers to ask the user, and the user fills in a form", async () => {
		const play = (program, calls) => ask(program, { ev: direct(EVERY) }, calls, fillIn);
		const calls = ["mcp__ev__trigger_elicitation_request"];
		const [reference, tau] = await Promise.all([play("reference", []), play("tau", calls)]);
		assertSame("mcp.request", "declared tools", reference.declared, tau.declared, { run: "questions" });
		const raw = JSON.parse(/Raw result: (.*)$/s.exec(tau.results[0])[1]);
		assert.deepEqual(raw, {
			action: "accept",
			content: {
				name: "Ada",
				check: true,
				// What is left empty is what the server expects.
				firstLine: "It was a dark and stormy night.",
				integer: 7,
				number: 3.14,
				untitledMultipleSelectEnum: ["Violin"],
				titledSingleSelectEnum: "hero-3",
				legacyTitledEnum: "pet-4",
			},
		});
		const asks = 'MCP server "ev" asks: Please provide inputs for the following fields:';
		assert.deepEqual(tau.dialogs.slice(0, 2), [
			["input", `${asks} (String) — Your full, legal name`, undefined],
			["select", `${asks} (Boolean) — Agree to the terms and conditions`, ["Yes", "No", "Leave it out", "Decline"]],
		]);
	});

	test("a server without handshake gets its answers with the next request", ON_PYTHON, async () => {
		const server = { dual: direct({ command: python.python, args: [dual, "stdio"] }) };
		const answers = ({ method, title }) => ({ value: method === "input" ? "3" : title.includes("Gift") ? "Yes" : "Decline" });
		const accepted = await ask("tau", server, ["mcp__dual__order"], answers);
		assert.deepEqual(accepted.results, ["3 of them, gift: True"]);
		assert.deepEqual(accepted.dialogs.map(([method]) => method), ["input", "select"]);
		const declined = await ask("tau", server, ["mcp__dual__order"], ({ method }) => ({ value: method === "input" ? "1" : "Decline" }));
		assert.deepEqual(declined.results, ["no order: decline"]);
	});
});

after(() => {
	// A part of the tests cannot say which rows are stale.
	if (process.execArgv.some((arg) => arg.startsWith("--test-name-pattern"))) return;
	const left = new Set(RUNS.filter(([, , , options]) => options?.skip).map(([run]) => run));
	assertNoStaleRows(["mcp.exit", "mcp.request", "mcp.events"], ({ run }) => !left.has(run));
});
