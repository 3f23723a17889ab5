// The same program, with the same user, in both kinds of terminals.

import { selfCheck } from "../agents.mjs";
import { makePlace, watched } from "./place.mjs";
import { findTmux, TmuxSeat } from "./tmux.mjs";
import { XtermSeat } from "./xterm.mjs";

/** A usual, a narrow and a tiny terminal. */
export const SIZES = [
	[100, 30],
	[40, 20],
	[20, 8],
];

const { reason } = selfCheck ? { reason: "the terminal mode of the reference is another" } : findTmux();
if (reason) console.log(`terminal: skipped, ${reason}`);

/** For the tests' option `skip`. */
export const skip = reason ?? false;

/** Starts the program in one kind of terminal, lets `drive` work with it and gives what that returned. */
async function inOne(kind, { size = SIZES[0], startModel, script, files, args = [], environment, commandLine, options }, drive) {
	const model = await startModel?.();
	const place = makePlace({ script: model ? undefined : (script ?? "replies: []"), files: { ...model?.files, ...files } });
	let seat;
	try {
		const line = commandLine?.(place) ?? watched(place, [...(model?.args ?? []), ...args]);
		seat = await kind.start(place, size, line, environment, options);
		return await drive(seat, model);
	} finally {
		await place.kill();
		await seat?.close();
		await model?.close();
		place.remove();
	}
}

/** As {@link inBoth}, only in xterm. */
export const inXterm = (setup, drive) => inOne(XtermSeat, setup, drive);

/** As {@link inBoth}, only in a tmux with these lines of configuration, `options`. */
export const inTmux = (setup, drive) => inOne(TmuxSeat, setup, drive);

/**
 * Starts the program in both at once, each in a place of its own, and lets `drive` work with each. Gives what that
 * returned: from xterm, then from tmux. `commandLine` makes the command of the place; without it tau is started with `args`.
 * With `startModel`, the model is what that gives, as `startHeld` does, and `drive` is given it too.
 */
export async function inBoth(setup, drive) {
	const done = await Promise.allSettled([XtermSeat, TmuxSeat].map((kind) => inOne(kind, setup, drive)));
	const errors = done.filter(({ status }) => status === "rejected").map((one) => one.reason);
	if (errors.length === 1) throw errors[0];
	if (errors.length > 1) throw new AggregateError(errors, "neither terminal is as it should be");
	return done.map(({ value }) => value);
}
