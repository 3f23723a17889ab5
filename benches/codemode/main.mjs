// What a script of codemode takes in both programs: its start, and a hundred calls. One session of each program runs every
// script several times; a time is that from the line `tool_execution_start` of the script to its `tool_execution_end`, as a
// reader of the JSON events sees it.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { MODELS } from "../../conformance/lib/home.mjs";
import { environment, newHome, PROGRAMS, removeHomes } from "../extensions/program.mjs";
import { call, say, startServer } from "../extensions/server.mjs";
import { milliseconds, summary, Table } from "../extensions/table.mjs";

const CALLS = 100;
const SCRIPTS = [
	["a script that does nothing", "return 1", { times: 30 }],
	[
		`${CALLS} calls of read at once`,
		`return (await Promise.all(Array.from({ length: ${CALLS} }, () => tools.read({ path: "a.txt" })))).length`,
		{ times: 10 },
	],
	[
		`${CALLS} calls of read, one after another`,
		`let n = 0; for (let i = 0; i < ${CALLS}; i++) n += (await tools.read({ path: "a.txt" })).length; return n`,
		{ times: 10 },
	],
];
const ROUNDS = process.argv.includes("--quick") ? 5 : 20;

/** The times of one script in one program. The first one, which loads what the others find, is not among them. */
async function times(program, code) {
	const answers = [...Array.from({ length: ROUNDS + 1 }, () => call("codemode", 1, { code })), say("Done.")];
	const server = await startServer(answers);
	const home = newHome(server.origin);
	writeFileSync(join(home.work, "a.txt"), "one line\n");
	const [command, ...head] = PROGRAMS[program];
	const args = ["--mode", "json", "--model", MODELS.anthropic, "--tools", "+codemode", "-ne", "-e", "builtin:codemode", "Go"];
	const child = spawn(command, [...head, ...args], {
		cwd: home.work,
		env: environment(home, {}),
		stdio: ["ignore", "pipe", "inherit"],
	});
	const all = [];
	let begun = NaN;
	for await (const line of createInterface({ input: child.stdout })) {
		const now = performance.now();
		if (line.includes('"parentToolCallId"')) continue;
		if (line.startsWith('{"type":"tool_execution_start"')) begun = now;
		if (line.startsWith('{"type":"tool_execution_end"')) {
			all.push(now - begun);
			if (JSON.parse(line).isError) throw new Error(`${program}: ${line}`);
		}
	}
	await server.close();
	if (all.length !== ROUNDS + 1) throw new Error(`${program}: ${all.length} scripts of ${ROUNDS + 1} ran`);
	return summary(all.slice(1));
}

const table = new Table();
try {
	for (const [what, code, goal] of SCRIPTS) {
		const values = {};
		for (const program of Object.keys(PROGRAMS)) values[program] = await times(program, code);
		table.compare(what, values, milliseconds, goal);
	}
} finally {
	removeHomes();
}
table.print();
