// Starts one of the two programs in JSON mode and watches it from outside.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandOf } from "../../conformance/lib/agents.mjs";
import { makeHome, MODELS } from "../../conformance/lib/home.mjs";

/** The programs, as command lines: the reference runs on the Node that runs this. TAU_OTHER_BIN is another build of tau. */
export const PROGRAMS = {
	tau: [process.env.TAU_BIN],
	reference: commandOf("reference").flat(),
	...(process.env.TAU_OTHER_BIN ? { other: [process.env.TAU_OTHER_BIN] } : {}),
};

/** Homes whose caches outlive a run are kept here until the end. */
const homes = [];

/** A home for several runs. Caches, and the temporary directory in which the reference has its own, are below it. */
export function newHome(origin) {
	const home = makeHome({ origin, files: { ".pi/.keep": "" }, settings: { compaction: { enabled: false } } });
	mkdirSync(join(home.root, "tmp"));
	homes.push(home);
	return home;
}

export function removeHomes() {
	for (const home of homes.splice(0)) home.remove();
	if (launcher) rmSync(launcher.folder, { recursive: true });
	launcher = undefined;
}

let launcher;

/** What starts a program without the weight of this one: what takes Node to start one is a third of a start of tau. */
export function watch() {
	if (!launcher) {
		const folder = mkdtempSync(join(tmpdir(), "tau-watch-"));
		launcher = { folder, program: join(folder, "watch") };
		execFileSync("cc", ["-O2", "-o", launcher.program, join(import.meta.dirname, "watch.c")], { stdio: "inherit" });
	}
	return launcher.program;
}

/** What a watched program writes when it is where the second time is taken: in JSON mode, and to a client of RPC mode. */
const MARKS = { json: '{"type":"agent_start"', rpc: '"type":"response"' };

/**
 * Runs a program once and waits for its end.
 *
 * Milliseconds from its start: `first` to its first line, `agent` to the line `agent_start`, which no extension comes
 * after, `end` to `agent_end`. `work` is the time from `agent_start` to `agent_end`, `cpu` what processors spent on it
 * up to there. `firstRss` and `peakRss` are bytes, where /proc tells them. With `watched` a small launcher takes the
 * first two times, and `cpu` and `peakRss` are those of the whole process, from the kernel; nothing else is known.
 *
 * With `rpc` a client of RPC mode asks for the state before the program is there; `answer` is the time of its answer. It
 * sends another command where `command` is one.
 */
export async function run(program, home, extensions, { args = [], env = {}, watched = false, rpc = false, command: asked = { type: "get_state" } } = {}) {
	const mode = rpc ? "rpc" : "json";
	const [command, ...head] = [...(watched || rpc ? [watch(), MARKS[mode]] : []), ...PROGRAMS[program]];
	const flags = extensions.flatMap((path) => ["-e", path]);
	const begun = performance.now();
	const child = spawn(command, [...head, "--mode", mode, "--model", MODELS.anthropic, ...flags, ...args, ...(rpc ? [] : ["Hi"])], {
		cwd: home.work,
		env: environment(home, env),
		stdio: [rpc ? "pipe" : "ignore", "pipe", "pipe", ...(watched || rpc ? ["pipe"] : [])],
	});
	child.stdin?.write(`${JSON.stringify({ id: "1", ...asked })}\n`);
	let told = "";
	child.stdio[3]?.on("data", (chunk) => (told += chunk));
	const seen = { first: NaN, agent: NaN, end: NaN, firstRss: NaN, peakRss: NaN, cpu: NaN, stderr: "" };
	const since = () => performance.now() - begun;
	// Only how a line begins is looked at. What was cut in two is put together.
	let rest = "";
	child.stdout.on("data", (chunk) => {
		if (Number.isNaN(seen.first)) {
			seen.first = since();
			seen.firstRss = memory(child.pid).VmRSS;
		}
		const text = rest + chunk.toString("latin1");
		// The program ends with its input.
		if (rpc && text.includes(MARKS.rpc)) child.stdin.end();
		if (Number.isNaN(seen.agent) && text.includes('{"type":"agent_start"')) seen.agent = since();
		if (Number.isNaN(seen.end) && text.includes('{"type":"agent_end"')) {
			seen.end = since();
			seen.cpu = processors(child.pid);
		}
		rest = text.slice(-32);
		seen.peakRss = memory(child.pid).VmHWM ?? seen.peakRss;
	});
	child.stderr.on("data", (chunk) => (seen.stderr += chunk));
	const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
	if (rpc) {
		const [, answer, , peakRss] = told.split(" ").map((number) => Number(number) || NaN);
		return { answer: answer / 1e6, peakRss, end: since(), stderr: seen.stderr, code };
	}
	if (watched) {
		const [first, agent, cpu, peakRss] = told.split(" ").map((number) => Number(number) || NaN);
		return { first: first / 1e6, agent: agent / 1e6, cpu: cpu / 1e3, peakRss, end: seen.end, stderr: seen.stderr, code };
	}
	seen.work = seen.end - seen.agent;
	return { ...seen, code };
}

/** Starts a program in RPC mode; `told()` is what it wrote to standard error. */
export function rpc(program, home, args) {
	const [command, ...head] = PROGRAMS[program];
	const child = spawn(command, [...head, "--mode", "rpc", "--model", MODELS.anthropic, ...args], {
		cwd: home.work,
		env: environment(home, {}),
		stdio: "pipe",
	});
	let stderr = "";
	child.stderr.on("data", (chunk) => (stderr += chunk));
	child.told = () => stderr.slice(-2000);
	return child;
}

export function environment(home, extra) {
	return {
		PATH: process.env.PATH,
		HOME: home.root,
		TMPDIR: join(home.root, "tmp"),
		XDG_CACHE_HOME: join(home.root, "cache"),
		PI_CODING_AGENT_DIR: home.agent,
		PI_OFFLINE: "1",
		PI_TELEMETRY: "0",
		PI_SKIP_VERSION_CHECK: "1",
		NO_COLOR: "1",
		LANG: "C.UTF-8",
		...extra,
	};
}

/** Values of a process's status, in bytes; nothing where there is no /proc. */
function memory(pid) {
	try {
		const status = readFileSync(`/proc/${pid}/status`, "utf8");
		return Object.fromEntries([...status.matchAll(/^(VmHWM|VmRSS):\s+(\d+) kB$/gm)].map(([, name, kib]) => [name, kib * 1024]));
	} catch {
		return {};
	}
}

/** Milliseconds of processor time that a process has used, in steps of ten. */
function processors(pid) {
	try {
		const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
		return (Number(fields[11]) + Number(fields[12])) * 10;
	} catch {
		return NaN;
	}
}
