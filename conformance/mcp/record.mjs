// One scenario with servers through both programs, and what of it is compared.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordBoth } from "../lib/runs.mjs";

/**
 * A scenario: `servers` is what mcp.json says, `calls` what the model calls, one call a request, as `[tool, arguments]`;
 * `flags` come before the prompt; `files`, `env` and `settings` are those of the home.
 */
export async function recordServers({ servers, calls, flags = [], ...more }) {
	const steps = calls.map(([name, args = {}], at) => ({ toolCalls: [{ id: `call_${at}`, name, args }] }));
	const scenario = {
		...more,
		script: [...steps, { text: "Done." }],
		args: [...flags, "Use the servers"],
		prepare: (home) => writeFileSync(join(home.agent, "mcp.json"), JSON.stringify({ mcpServers: servers })),
	};
	const { reference, tau } = await recordBoth("anthropic", scenario);
	return { reference: seen(reference), tau: seen(tau) };
}

/** Names of tools that are there because of servers. */
const isOfServers = (name) => /^mcp__|^(list|read)_mcp_|^(codemode|tool_search)$/.test(name);

/** What is compared of a run. */
function seen({ code, stderr, events, requests, stepsLeft }) {
	const clean = (value) => parsed(JSON.parse(unnamed(JSON.stringify(value))));
	const blocks = requests.at(-1)?.messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])) ?? [];
	return {
		code,
		stderr,
		stepsLeft,
		events: clean(events),
		/** The tools that each request declares, and what the model got of each call. */
		request: clean({
			declared: requests.map(({ tools = [] }) => declared(tools.filter(({ name }) => isOfServers(name)))),
			results: blocks.filter(({ type }) => type === "tool_result").map(withoutMarks),
		}),
	};
}

/** All names in their order, tools as servers describe them, and those that the program describes itself. */
function declared(tools) {
	const isForeign = ({ name }) => name.startsWith("mcp__");
	const own = tools.filter((tool) => !isForeign(tool)).map(withoutMarks);
	return { names: tools.map(({ name }) => name), servers: tools.filter(isForeign).map(withoutMarks), own };
}

/** Where a prompt is cached is no matter of servers. */
const withoutMarks = ({ cache_control, ...more }) => more;

/** With texts that are JSON as what they say: the order of keys in what a program writes for models is no difference. */
function parsed(value) {
	if (Array.isArray(value)) return value.map(parsed);
	if (value && typeof value === "object") {
		return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, parsed(inner)]));
	}
	// What a script printed stands behind the head of its result.
	const [, head, text] = (typeof value === "string" && /^(Script [^]*?\n\n)?([[{][^]*)$/.exec(value)) || [];
	if (text === undefined) return value;
	try {
		return { ...(head && { head }), json: JSON.parse(text) };
	} catch {
		return value;
	}
}

/** Names of files that were made for this run, and times. */
const CHANCE = [
	[/[^" ]*\/(?:tau|pi)-mcp-[^" /]*?(\.[a-z]+)?(?=["\\ \])])/g, "<file$1>"],
	[/UmVzb3VyY2UgMjog[\w+/=]+/g, "<a blob>"],
	[/Wall time [\d.]+ seconds/g, "Wall time <time> seconds"],
	[/created at [\d:]+ [AP]M/g, "created at <time>"],
	[/\d{4}-\d\d-\d\dT/g, "<day>T"],
];

function unnamed(json) {
	return CHANCE.reduce((text, [what, name]) => text.replace(what, name), json);
}
