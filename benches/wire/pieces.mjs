// Processor time for each piece of an answer: that of a process which reads a long answer, without that of one which reads
// an empty one.

import { spawn } from "node:child_process";
import { watch } from "../extensions/program.mjs";
import { microseconds, summary } from "../extensions/table.mjs";
import { serve, startOf } from "./place.mjs";
import { answer } from "./streams.mjs";

const PIECES = 20_000;

/** Print mode reads the answer; JSON mode also tells each piece of it. */
const MODES = { "read": ["-p"], "read and told": ["--mode", "json"] };

/** The goal: so many times less than the reference. */
const TIMES = 15;

export async function pieces({ table, formats, programs, rounds }) {
	for (const format of formats) {
		const { head, pieces, tail } = answer(format, PIECES);
		const whole = Buffer.concat([head, ...pieces, tail]);
		const none = answer(format, 1);
		const answers = { long: whole, empty: Buffer.concat([none.head, ...none.pieces, none.tail]) };
		for (const [mode, flags] of Object.entries(MODES)) {
			const taken = Object.fromEntries(programs.map((program) => [program, []]));
			for (let round = -1; round < rounds; round++) {
				for (const program of programs) {
					const long = await processorTime(program, format, answers.long, flags, "w19999 ");
					const empty = await processorTime(program, format, answers.empty, flags, "w0 ");
					if (round >= 0) taken[program].push((long - empty) / (PIECES - 1));
				}
			}
			const values = Object.fromEntries(programs.map((program) => [program, summary(taken[program])]));
			table.compare(`${format.name}: a piece ${mode}`, values, microseconds, { times: TIMES });
		}
	}
}

/** Microseconds of user and system time of a process from its start to its end. */
async function processorTime(program, format, bytes, flags, last) {
	const server = await serve(format, (response) => response.end(bytes));
	try {
		const { command, args, options } = startOf(program, format, server.origin, flags);
		// The launcher also looks for a text, of which nothing is made here.
		const child = spawn(watch(), ["w0 ", command, ...args], { ...options, stdio: ["ignore", "pipe", "pipe", "pipe"] });
		const said = ["", "", "", ""];
		for (const number of [1, 2, 3]) child.stdio[number].setEncoding("utf8").on("data", (text) => (said[number] += text));
		const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
		if (code !== 0 || !said[1].includes(last)) throw new Error(`${program} did not read the answer of ${format.name}: ${said[2].slice(-2000)}`);
		return Number(said[3].split(" ")[2]);
	} finally {
		await server.close();
	}
}
