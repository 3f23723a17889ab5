// Runs of both programs by turns.

import { newHome, PROGRAMS, run } from "../program.mjs";

/**
 * Runs each program `rounds` times. With `warm`, all its runs share a home and the first two do not count: the reference
 * fills one of its caches when it starts with the other one filled. Without, every run has caches of its own.
 * `extensions` are paths, or the paths of each program.
 * @returns {Promise<{ tau: object[], reference: object[] }>} what `run` gives
 */
export async function both({ rounds, origin, extensions, warm = true, options, expect }) {
	const results = Object.fromEntries(Object.keys(PROGRAMS).map((program) => [program, []]));
	const homes = Object.fromEntries(Object.keys(PROGRAMS).map((program) => [program, newHome(origin)]));
	for (let round = warm ? -2 : 0; round < rounds; round++) {
		for (const program of Object.keys(PROGRAMS)) {
			const home = warm ? homes[program] : newHome(origin);
			const result = await run(program, home, Array.isArray(extensions) ? extensions : (extensions[program] ?? extensions.tau), typeof options === "function" ? options(home) : options);
			if (result.code !== 0 || Number.isNaN(result.end)) throw new Error(`${program} failed: ${result.stderr.slice(-2000)}`);
			if (expect && !result.stderr.includes(expect)) throw new Error(`${program} did not say "${expect}": ${result.stderr.slice(-2000)}`);
			if (round >= 0) results[program].push(result);
		}
	}
	return results;
}

/** One number of each run. */
export function each(results, pick) {
	return Object.fromEntries(Object.entries(results).map(([program, runs]) => [program, runs.map(pick)]));
}

/** The values of each program, summed up. */
export function mapped(values, how) {
	return Object.fromEntries(Object.entries(values).map(([program, value]) => [program, how(value)]));
}
