// Records a scenario of traces/: every event that an extension hears and every event that the session tells, in one
// order, and makes what two programs recorded comparable.

import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseLines, run, selfCheck } from "./agents.mjs";
import { openRows } from "./differences.mjs";
import { makeHome, MODELS } from "./home.mjs";
import { startLoopback } from "./loopback.mjs";
import { TIMES } from "./normalise.mjs";
import { Progress } from "./progress.mjs";

const file = (name) => fileURLToPath(new URL(`../traces/${name}`, import.meta.url));

/** The table of scenarios. */
export const { scenarios } = JSON.parse(readFileSync(file("scenarios.json"), "utf8"));

const EXTENSIONS = ["recorder.mjs", "acts.mjs"].flatMap((name) => ["--extension", file(name)]);

/** The prompt is said, so that the traces are about everything else. */
const ARGS = ["--model", MODELS.anthropic, "--mode", "json", "--tools", "work", "--system-prompt", "You are a test."];

/** Events of the reference that are traced once tau knows them. */
const NEWEST = ["mcp_servers_change", "provider_stream_event"].filter(
	(event) => !openRows("surface").some(({ run, names }) => run === "events" && names.includes(event)),
);

/** Runs a scenario. Gives the lines of the trace, the exit code, and what the model was asked. */
export async function trace(program, scenario) {
	// The reference's messages show later state when they arrive faster than they are told (N9).
	const progress = program === "reference" || selfCheck ? new Progress() : undefined;
	const server = await startLoopback(scenario.script, { progress });
	const settings = { ...scenario.settings, ...(scenario.parallel ? { tau: { toolExecution: "parallel" } } : {}) };
	const home = makeHome({ origin: server.origin, settings });
	const path = join(home.root, "trace.jsonl");
	const out = openSync(path, "a");
	try {
		const env = { TRACE_FILE: path, TRACE_EVENTS: NEWEST.join(), ...(scenario.act ? { TRACE_ACT: scenario.act } : {}) };
		const { code, signal, stderr } = await run(program, home, [...ARGS, ...EXTENSIONS, ...scenario.prompts], {
			env,
			observed: { preload: new URL("../traces/observe.mjs", import.meta.url).href, out },
			onStdout: (chunk) => progress?.feed(chunk),
			onStart: (child) => scenario.signal && sendLater(child, path, scenario.signal),
		});
		return {
			outcome: { code, signal },
			stderr,
			lines: comparable(parseLines(readFileSync(path, "utf8")), entriesOf(home), home, server.origin),
			requests: server.bodies().map(({ messages }) => messages.map(({ role }) => role)),
			stepsLeft: server.stepsLeft(),
		};
	} finally {
		closeSync(out);
		await server.close();
		home.remove();
	}
}

/** Sends the signal as soon as the trace shows the event. */
function sendLater(child, path, { after, name }) {
	const look = setInterval(() => {
		if (!readFileSync(path, "utf8").includes(`{"type":"${after}"`)) return;
		clearInterval(look);
		child.kill(name);
	}, 20);
	child.on("close", () => clearInterval(look));
}

/** A line in short: `turn_start` as a handler hears it, `> turn_start` as it is told to front ends. */
export function nameOf(line) {
	if (line.hook) return line.hook;
	if (line.type) return `> ${line.type}`;
	return Object.keys(line)[0];
}

/** Every entry that a run left in session files. */
const entriesOf = (home) => home.sessions().flatMap((session) => parseLines(readFileSync(session, "utf8")));

function comparable(lines, entries, home, origin) {
	const ids = new Map();
	const idOf = (id) => ids.get(id) ?? (ids.set(id, `<id ${ids.size + 1}>`), ids.get(id));
	// The folder of sessions is named after the working directory.
	const folder = home.work.replaceAll("/", "-");
	const text = (value) => {
		if (/^[0-9a-f]{8}$/.test(value)) return idOf(value);
		return value
			.replaceAll(home.root, "<root>")
			.replaceAll(origin, "<origin>")
			.replaceAll(folder, "<folder>")
			.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, idOf)
			.replace(/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z/g, "<time>");
	};
	const visit = (value, key) => {
		if (typeof value === "string") return key === "date" ? "<time>" : text(value);
		if (typeof value === "number") return TIMES.has(key) ? "<time>" : Number(value.toFixed(12));
		if (Array.isArray(value)) return value.map((item) => visit(item));
		if (value === null || typeof value !== "object") return value;
		return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, visit(item, name)]));
	};
	return updatesInOrder(streamsTogether(withoutPrompts(lines.filter(({ type }) => type !== "session"), entries))).map((line) => visit(line));
}

const UPDATES = ["message_update", "tool_execution_update"];

/**
 * Handlers of tau hear how messages and results grow a little later than front ends do (N7): what stands between two
 * other events is brought in the order that handlers come first.
 */
function updatesInOrder(lines) {
	const isUpdate = (line) => UPDATES.includes(line.hook ?? line.type);
	const result = [];
	for (let index = 0; index < lines.length; ) {
		let end = index;
		while (end < lines.length && isUpdate(lines[end])) end += 1;
		const group = lines.slice(index, end);
		result.push(...group.filter(({ hook }) => hook), ...group.filter(({ hook }) => !hook));
		if (end === index) result.push(lines[end++]);
		index = end;
	}
	return result;
}

/** What a provider sends is heard at any time until the end of its answer (N7): it is put behind the head of the response. */
function streamsTogether(lines) {
	const result = [];
	let place;
	for (const line of lines) {
		if (line.hook === "after_provider_response") place = result.length + 1;
		if (line.hook === "provider_stream_event" && place !== undefined) result.splice(place++, 0, line);
		else result.push(line);
	}
	return result;
}

/**
 * Prompts as messages are not part of tau's transcript (D16): they, and links to their entries, are taken out. An entry
 * that nobody was told about is among the `entries` of the session files.
 */
function withoutPrompts(lines, entries) {
	const parents = new Map();
	const holders = [(value) => value, ({ message }) => message, ({ told }) => told?.message, ({ sourceEntry }) => sourceEntry?.message];
	const isPrompt = (value) => value && holders.some((held) => held(value)?.role === "system");
	const look = (value) => {
		if (value === null || typeof value !== "object") return;
		if (value.type === "message" && isPrompt(value)) parents.set(value.id, value.parentId);
		for (const item of Object.values(value)) look(item);
	};
	[...lines, ...entries].forEach(look);
	const linked = (id) => (parents.has(id) ? linked(parents.get(id)) : id);
	const drop = (value) => {
		if (typeof value === "string") return linked(value);
		if (Array.isArray(value)) return value.filter((item) => !isPrompt(item)).map(drop);
		if (value === null || typeof value !== "object") return value;
		return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === "id" ? item : drop(item)]));
	};
	return drop(lines);
}
