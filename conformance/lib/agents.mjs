// Runs the programs under comparison.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const conformance = fileURLToPath(new URL("..", import.meta.url));

/** Folders of the published versions that tau is compared with. */
export const PACKAGES = {
	/** The one that tau follows. */
	reference: `${conformance}reference/pi`,
	/** The one before it, whose extensions, sessions and settings go on working. */
	previous: `${conformance}node_modules/@earendil-works/pi-coding-agent`,
	/** The last one with the original hooks. */
	original: `${conformance}hooks/original/node_modules/@mariozechner/pi-coding-agent`,
};

const CLIS = {
	reference: `${PACKAGES.reference}/dist/bundle/cli.js`,
	previous: `${PACKAGES.previous}/dist/bundle/cli.js`,
	original: `${PACKAGES.original}/dist/cli.js`,
};

/** The module with the library of "reference" or "previous". */
export const indexOf = (version) => ({ reference: `${PACKAGES.reference}/dist/bundle/index.js`, previous: `${PACKAGES.previous}/dist/index.js` })[version];

/** With `TAU_BIN=reference` both sides are the reference: a check of the tests themselves. */
export const selfCheck = process.env.TAU_BIN === "reference";

/** The command line of a program: its name and its first arguments. `preload` is a module that Node loads first. */
export function commandOf(program, preload) {
	const cli = CLIS[program === "tau" && selfCheck ? "reference" : program];
	if (cli) return [process.execPath, [...(preload ? ["--import", preload] : []), cli]];
	if (program !== "tau") throw new Error(`no such program: ${program}`);
	if (!process.env.TAU_BIN) throw new Error("TAU_BIN is not set: start the tests with conformance/run");
	return [process.env.TAU_BIN, []];
}

/** A fixed environment: nothing of the caller's keys or configuration leaks in. */
export function environmentOf(home, extra) {
	return {
		PATH: process.env.PATH,
		HOME: home.root,
		TMPDIR: process.env.TMPDIR ?? "/tmp",
		LANG: "C.UTF-8",
		TZ: "UTC",
		NO_COLOR: "1",
		PI_CODING_AGENT_DIR: home.agent,
		PI_OFFLINE: "1",
		PI_TELEMETRY: "0",
		PI_SKIP_VERSION_CHECK: "1",
		...extra,
	};
}

/**
 * Runs `program` ("tau", or a name in `PACKAGES`) in the home's working directory and
 * waits for its end. `stdin` is text, or a function that is given the stream and ends it. `onStdout` sees the output as
 * it comes.
 * With `observed`, the reference runs with the module `preload`, and tau's output goes to the file descriptor `out`.
 * @returns {Promise<{ code: number | null, signal: string | null, stdout: string, stderr: string }>}
 */
export function run(program, home, args, { stdin, env, onStdout, onStart, observed } = {}) {
	const [command, head] = commandOf(program, observed?.preload);
	const isTau = program === "tau" && !selfCheck;
	const child = spawn(command, [...head, ...args], {
		cwd: home.work,
		env: environmentOf(home, env),
		stdio: [stdin === undefined ? "ignore" : "pipe", observed && isTau ? observed.out : "pipe", "pipe"],
	});
	onStart?.(child);
	const output = { stdout: [], stderr: [] };
	child.stdout?.on("data", (chunk) => {
		output.stdout.push(chunk);
		onStdout?.(chunk);
	});
	child.stderr.on("data", (chunk) => output.stderr.push(chunk));
	if (stdin !== undefined) {
		child.stdin.on("error", () => {});
		if (typeof stdin === "function") stdin(child.stdin);
		else child.stdin.end(stdin);
	}
	return new Promise((resolve, reject) => {
		child.on("error", reject);
		child.on("close", (code, signal) =>
			resolve({
				code,
				signal,
				stdout: Buffer.concat(output.stdout).toString("utf8"),
				stderr: Buffer.concat(output.stderr).toString("utf8"),
			}),
		);
	});
}

/** The lines of a JSONL text as values. A line that is no JSON names itself. */
export function parseLines(text) {
	return text
		.split("\n")
		.filter((line) => line.length > 0)
		.map((line) => {
			try {
				return JSON.parse(line);
			} catch (error) {
				throw new Error(`not a JSON line: ${JSON.stringify(line.slice(0, 200))}`, { cause: error });
			}
		});
}
