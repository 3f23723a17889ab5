// Three sessions at once, a thousand pieces a second each: does what they show keep up with what they are sent?

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { milliseconds } from "../extensions/table.mjs";
import { serve, startOf } from "./place.mjs";
import { answer } from "./streams.mjs";

const SESSIONS = 3;
const PER_SECOND = 1000;
const TICK_MS = 10;

/** A piece that comes later than this has waited for others. */
const BACKLOG_MS = 250;

export async function sessions({ table, formats, programs, seconds }) {
	for (const format of formats) {
		const values = {};
		for (const program of programs) {
			const lags = (await Promise.all(Array.from({ length: SESSIONS }, () => lagsOf(program, format, seconds)))).flat();
			const late = lags.toSorted((a, b) => a - b)[Math.floor(lags.length * 0.99)];
			values[program] = { median: late, least: late };
		}
		table.compare(`${format.name}: ${SESSIONS} × ${PER_SECOND} a second, 99 of 100 shown after`, values, milliseconds, { below: BACKLOG_MS });
	}
}

/** Milliseconds from a piece's way out of the server to the program's line about it, of the last second: a backlog grows. */
async function lagsOf(program, format, seconds) {
	const count = PER_SECOND * seconds;
	const { head, pieces, tail } = answer(format, count);
	const sent = [];
	const server = await serve(format, (response) => {
		response.write(head);
		const begun = performance.now();
		const timer = setInterval(() => {
			// A tick that comes late sends what it missed, as a server would.
			const due = Math.min(count, Math.floor(((performance.now() - begun) / 1000) * PER_SECOND));
			if (due > sent.length) {
				response.write(Buffer.concat(pieces.slice(sent.length, due)));
				const now = performance.now();
				while (sent.length < due) sent.push(now);
			}
			if (due < count) return;
			clearInterval(timer);
			response.end(tail);
		}, TICK_MS);
	});
	try {
		const { command, args, options } = startOf(program, format, server.origin, ["--mode", "json"]);
		const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
		let stderr = "";
		child.stderr.on("data", (chunk) => (stderr += chunk));
		const lags = [];
		createInterface({ input: child.stdout }).on("line", (line) => {
			const now = performance.now();
			// Pieces that arrived together may be told together: each has its number.
			const delta = /"delta":"((?:w\d+ )+)"/.exec(line)?.[1];
			for (const [, number] of delta?.matchAll(/w(\d+) /g) ?? []) lags[number] = now - sent[number];
		});
		const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
		if (code !== 0 || Object.keys(lags).length !== count) throw new Error(`${program} showed ${Object.keys(lags).length} of ${count} pieces of ${format.name}: ${stderr.slice(-2000)}`);
		return lags.slice(-PER_SECOND);
	} finally {
		await server.close();
	}
}
