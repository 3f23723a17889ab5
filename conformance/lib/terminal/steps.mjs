// What a user does with an example, and what is to be seen then: each is a function of the seat and of where it is done.
//
// `at` is { mode, columns, rows, isWide, round }: `round` counts the sizes of one start from 0.

import assert from "node:assert/strict";

/** A text as it reads when lines are wrapped at other places, without times. */
export const flat = (text) => text.replace(/Took \d+\.\d+s/g, "").replace(/\s+/g, " ").trim();

const of = (value, at) => (typeof value === "function" ? value(at) : value);

/** Whether a text, or a pattern, is on a screen; a text also when it is wrapped there, beside a scrollbar. */
function isOn(screen, what) {
	if (what instanceof RegExp) return what.test(screen);
	return screen.includes(what) || flat(screen.replace(/[│┃]$/gm, "")).includes(flat(what));
}

/** Waits until these are on the screen, all at once. Each may be a function of `at`. */
export const shows = (...texts) => async (seat, at) => {
	const all = texts.map((text) => of(text, at));
	await seat.until(all.map(String).join(", "), (screen) => all.every((text) => isOn(screen, text)));
};

/** Waits until none of these is on the screen. */
export const lacks = (...texts) => async (seat, at) => {
	const all = texts.map((text) => of(text, at));
	await seat.until(`the end of ${all.map(String).join(", ")}`, (screen) => !all.some((text) => isOn(screen, text)));
};

/** Waits until the screen is so. `isSo` is given the screen, what else is known of it, and `at`. */
export const until = (what, isSo) => (seat, at) => seat.until(what, (screen, look) => isSo(screen, look, at));

/** Presses keys, one after another. */
export const press = (...names) => async (seat, at) => {
	for (const name of names) await seat.press(of(name, at));
};

export const types = (text) => (seat, at) => seat.types(of(text, at));

export const pastes = (text) => (seat) => seat.paste(text);

/** Types a line into the editor and sends it, when it is there. */
export const sends = (line) => async (seat, at) => {
	const text = of(line, at);
	await seat.types(text);
	const name = /^\/([\w:-]+)$/.exec(text)?.[1];
	if (name) await seat.until(`the command ${name}`, (screen) => screen.includes(`→ ${name}`));
	else await seat.until(text, (screen) => isOn(screen, text));
	await seat.press("enter");
	// What is typed next should not be taken for more of it, as of something pasted.
	await seat.until(`an editor without ${text}`, (screen) => !screen.split("\n").includes(text));
};

/** Only where the terminal is wide, or only where it is not. */
export const whenWide = (...steps) => async (seat, at) => {
	if (at.isWide) await each(steps, seat, at);
};
export const whenNarrow = (...steps) => async (seat, at) => {
	if (!at.isWide) await each(steps, seat, at);
};

/** Only where the scrollback is the terminal's own. */
export const inRegular = (...steps) => async (seat, at) => {
	if (at.mode === "regular") await each(steps, seat, at);
};

/** Only in the first size of a start, or only in the others. */
export const once = (...steps) => async (seat, at) => {
	if (at.round === 0) await each(steps, seat, at);
};
export const again = (...steps) => async (seat, at) => {
	if (at.round > 0) await each(steps, seat, at);
};

/** Another size for the length of these steps. */
export const resized = (size, ...steps) => async (seat, at) => {
	await seat.resize(...size);
	await each(steps, seat, at);
	await seat.resize(at.columns, at.rows);
};

/** Looks at the files of the place. */
export const checks = (check) => async (seat, at) => check(seat.place, at, seat);

/** A text is on the screen so many times. */
export const counts = (text, count) => async (seat, at) => {
	const screen = (await seat.look()).rows.join("\n");
	assert.equal(screen.split(text).length - 1, of(count, at), `${seat.name}: ${text}\n${screen}`);
};

/** Does the steps in their order. */
export async function each(steps, seat, at) {
	for (const step of steps.flat(Infinity)) await step(seat, at);
}

/** Waits until something on the screen, which `pick` gives, is there and has become something else. */
export const changing = (pick) => async (seat) => {
	const seen = new Set();
	await seat.until("a change", (screen) => {
		const value = pick(screen);
		if (value !== undefined) seen.add(value);
		return seen.size > 1;
	});
};

/** A step of a scripted model. */
export const call = (name, args = {}, id) => ({ tool_call: { name, arguments: args, ...(id && { id }) } });

/** The model begins with the next answer that is held. */
export const goesOn = (_, { model }) => model.goOn();
