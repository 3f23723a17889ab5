// A program in RPC mode that speaks one format to a server which plays fixtures.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, selfCheck } from "../lib/agents.mjs";
import { makeHome } from "../lib/home.mjs";
import { firstAndLastUpdates, normaliser, withoutSystemMessages } from "../lib/normalise.mjs";
import { Rpc } from "../lib/rpc.mjs";
import { FILES } from "../lib/scripts.mjs";
import { caseOf, playedFor } from "./cases.mjs";
import { modelsJson } from "./formats.mjs";
import { histories, longHistory, sessionFile } from "./history.mjs";
import { startWire } from "./server.mjs";

const SEQUENTIAL = fileURLToPath(new URL("../lib/extensions/sequential.ts", import.meta.url));

/** Nothing is repeated, and nothing is compacted unless a test asks for it; then little is kept. */
const SETTINGS = { retry: { enabled: false }, compaction: { enabled: false, keepRecentTokens: 100 } };

/** The model of a row as `--model` takes it. */
const modelOf = (format) => `${format.provider}/${format.model.id}`;

/** A home whose one model is the row's. */
function homeOf(format, origin) {
	const home = makeHome({ origin, files: { ...FILES, "notes.txt": "Some notes.\n", "other.txt": "Others.\n" }, settings: { ...SETTINGS, ...format.settings } });
	writeFileSync(join(home.agent, "models.json"), JSON.stringify(modelsJson(format, origin), null, 2));
	return home;
}

/** Why tau cannot be tested with a row: it does not speak the format. Undefined when it does. */
export async function missingIn(format) {
	if (selfCheck) return undefined;
	const home = homeOf(format, "http://127.0.0.1:9");
	try {
		const { stderr } = await run("tau", home, ["--model", modelOf(format), "-p", "Hi"], { env: format.env });
		return stderr.split("\n").find((line) => line.includes(`unknown api "${format.api}"`));
	} finally {
		home.remove();
	}
}

/** Starts a program; what `use` makes of it is the result. */
export async function withProgram(program, format, { level = "off", env } = {}, use) {
	const server = await startWire();
	const home = homeOf(format, server.origin);
	const sequential = program === "reference" || selfCheck ? ["--extension", SEQUENTIAL] : [];
	const args = ["--model", modelOf(format), "--thinking", level, ...sequential];
	const rpc = new Rpc(program, home, args, { env: { ...format.env, ...env } });
	try {
		return await use({ rpc, server, home, normalise: normaliser(home, server.origin) });
	} catch (error) {
		error.message += `\n${program}: ${rpc.stderr.slice(-2000)}`;
		throw error;
	} finally {
		rpc.child.kill("SIGKILL");
		await server.close();
		home.remove();
	}
}

/** Which histories are sent with which level of thinking and how long a cache is to keep them. */
const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"];

/**
 * The requests that a program makes of each history: `{ "HISTORY, LEVEL": request }`. With `retention`, caches are to keep
 * things for so long; then only one history is sent.
 */
export async function bodiesOf(program, format, { retention } = {}) {
	const all = Object.entries(histories(format));
	const runs = retention
		? [["thinking and calls", "high"]]
		: [...all.map(([name]) => [name, "off"]), ...all.map(([name]) => [name, "high"]), ...LEVELS.filter((level) => !["off", "high"].includes(level)).map((level) => ["thinking and calls", level])];
	const env = retention ? { PI_CACHE_RETENTION: retention } : {};
	return withProgram(program, format, { env }, async ({ rpc, server, home, normalise }) => {
		const recorded = {};
		for (const [number, [name, level]] of runs.entries()) {
			const file = join(home.root, `history-${number}.jsonl`);
			writeFileSync(file, sessionFile(format, Object.fromEntries(all)[name], level, number));
			const switched = await rpc.send("switch_session", { sessionPath: file });
			if (!switched.success) throw new Error(`${program} cannot open "${name}": ${switched.error}`);
			// The reference keeps the level of the command line.
			await rpc.send("set_thinking_level", { level });
			server.play(format, ["text"]);
			const prompted = await rpc.prompt("And now?");
			if (!prompted.success) throw new Error(`${program} cannot send "${name}": ${prompted.error}`);
			recorded[`${name}, ${level}${retention ? `, kept ${retention}` : ""}`] = server.taken().map(normalise);
		}
		return recorded;
	});
}

/**
 * What a program makes of each of a format's streams: `{ NAME: { events, requests } }`. Later requests, such as those with
 * the results of calls, are answered with plain text.
 */
export async function answersOf(program, format, names) {
	return withProgram(program, format, { level: "high" }, async ({ rpc, server, home }) => {
		const recorded = {};
		for (const name of names) {
			const { long } = caseOf(format, name);
			if (long) {
				const file = join(home.root, "long.jsonl");
				writeFileSync(file, sessionFile(format, longHistory(format), "high", 1));
				await rpc.send("switch_session", { sessionPath: file });
			} else {
				await rpc.send("new_session");
			}
			await rpc.send("set_auto_compaction", { enabled: long === true });
			server.play(format, playedFor(format, name));
			const from = rpc.records.length;
			const prompted = await rpc.prompt("Speak.");
			if (!prompted.success) throw new Error(`${program} cannot play "${name}": ${prompted.error}`);
			const records = rpc.records.slice(from).filter(({ type }) => type !== "response");
			// Ids are numbered anew for each, and those of requests to a client are no ids of entries.
			const normalise = normaliser(home, server.origin);
			const numbered = records.map((record) => normalise(record.type === "extension_ui_request" ? { ...record, id: undefined } : record));
			recorded[name] = { events: comparable(numbered), requests: server.taken().length };
		}
		return recorded;
	});
}

/**
 * Events without what depends on when they are written: the reference changes its messages in place, so an event shows what
 * the message has become in the meantime. The whole message is compared when it ends.
 */
function comparable(records) {
	return firstAndLastUpdates(withoutSystemMessages(records)).map((record) => {
		if (record.type === "message_start" && record.message.role === "assistant") return { ...record, message: { role: "assistant" } };
		if (record.type !== "message_update") return record;
		const { usage, assistantMessageEvent, ...rest } = record;
		return { ...rest, assistantMessageEvent };
	});
}
