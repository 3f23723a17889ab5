// What 200 tools of five servers cost in each request, beside the reference; and that the beginning of requests stays the same
// over 20 turns, so that providers find it in their caches.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { selfCheck } from "../lib/agents.mjs";
import { recordBoth } from "../lib/runs.mjs";
import { onNode, plenty } from "./servers.mjs";

const NAMES = ["tracker", "billing", "warehouse", "wiki", "forge"];
const TOOLS = 40;
const TURNS = 20;

/** Characters of a token, roughly. */
const TOKEN = 4;
/** tau's own words for tools and rules may differ in length from those of the reference by so many bytes. */
const WORDS = 2_000;

/** What reaches the tools, and a call that does. */
const WAYS = {
	"no servers": () => ["read", { path: "notes.txt" }],
	codemode: (server, at) => ["codemode", { code: `return (await tools.mcp__${server}__get_ticket({ id: "${at}" })).content[0].text` }],
	deferred: (server, at) => ["tool_search", { query: `calendar ${server} ${at}`, limit: 1 }],
	direct: (server, at) => [`mcp__${server}__get_ticket`, { id: `${at}` }],
};

function scenario(way) {
	const entries = NAMES.map((name) => [name, { ...onNode(plenty, name, String(TOOLS)), exposure: way }]);
	const mcpServers = Object.fromEntries(way === "no servers" ? [] : entries);
	const steps = Array.from({ length: TURNS - 1 }, (_, at) => {
		const [name, args] = WAYS[way](NAMES[at % NAMES.length], at);
		return { toolCalls: [{ id: `call_${at}`, name, args }] };
	});
	return {
		script: [...steps, { text: "Done." }],
		args: ["Use the servers"],
		prepare: (home) => writeFileSync(join(home.agent, "mcp.json"), JSON.stringify({ mcpServers })),
	};
}

const bytes = (value) => Buffer.byteLength(JSON.stringify(value));
/** A request without marks of caches, as texts: the order of keys counts. */
const parts = ({ system, tools, messages }) => [system, tools, ...messages].map((part) => JSON.stringify(unmarked(part)));

function unmarked(value) {
	if (Array.isArray(value)) return value.map(unmarked);
	if (!value || typeof value !== "object") return value;
	const all = Object.entries(value).filter(([name]) => name !== "cache_control");
	return Object.fromEntries(all.map(([name, inner]) => [name, unmarked(inner)]));
}

const rows = [];

describe("five servers with 200 tools", { concurrency: 2 }, () => {
	for (const way of Object.keys(WAYS)) {
		test(way, async () => {
			const { reference, tau } = await recordBoth("anthropic", scenario(way));
			for (const run of [reference, tau]) assert.equal(run.stepsLeft, 0, run.stderr);
			const failed = tau.events.filter(({ type, isError }) => type === "tool_execution_end" && isError);
			assert.deepEqual(failed, []);
			const sizes = [reference, tau].map(({ requests }) => {
				const [{ system, tools }] = requests;
				return { declared: tools.length, tools: bytes(tools), system: bytes(system), whole: bytes(requests[0]) };
			});
			rows.push([way, ...sizes]);
			assert.equal(sizes[1].declared, sizes[0].declared, "as many tools are declared");
			const more = sizes[1].tools + sizes[1].system - sizes[0].tools - sizes[0].system;
			assert.ok(more <= WORDS, `a request is ${more} bytes longer than that of the reference`);
			for (const [at, { tools, system }] of tau.requests.entries()) {
				const [before, now] = [parts(tau.requests[Math.max(at - 1, 0)]), parts(tau.requests[at])];
				// What was searched for is declared from then on, and nothing else changes.
				const from = way === "deferred" ? 2 : 0;
				assert.deepEqual(now.slice(from, before.length), before.slice(from), `request ${at} begins as the one before`);
				assert.equal(JSON.stringify(system), JSON.stringify(tau.requests[0].system), `the prompt of request ${at}`);
				assert.ok(tools.length >= tau.requests[0].tools.length);
			}
		});
	}
});

after(() => {
	if (selfCheck) return;
	console.log("bytes of the first request, and roughly its tokens: prompt, tools, all");
	for (const [way, ...sizes] of rows) {
		for (const [at, { declared, tools, system, whole }] of sizes.entries()) {
			const shown = [system, tools, whole].map((size) => `${size} (${Math.ceil(size / TOKEN)})`.padStart(16));
			console.log(`${way.padEnd(11)} ${at === 0 ? "reference" : "tau      "} ${String(declared).padStart(4)} tools ${shown.join(" ")}`);
		}
	}
});
