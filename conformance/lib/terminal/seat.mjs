// A terminal with a program in it: what is the same in every kind of terminal.

import assert from "node:assert/strict";
import { END } from "./place.mjs";

/** How long a test waits for something that should come. Long, for processors that are busy. */
const PATIENCE = 60_000;

/**
 * Kinds of terminals extend this. They have `look()`, which gives the screen as it is now: `rows`, without spaces at their
 * ends; `isInFrame`, whether a frame has begun and not ended; `isAlternate`; `title`; `cursor`. `everything()` gives the rows `above` it
 * too, and `styles()` its rows with colours and the like. They call `changed()` whenever the program wrote something.
 */
export class Seat {
	#changes = 0;
	#wake = () => {};

	constructor(place) {
		this.place = place;
	}

	changed() {
		this.#changes += 1;
		this.#wake();
	}

	/** Waits until the screen is as it should be, outside of frames; gives it. */
	async until(what, isThere) {
		const end = Date.now() + PATIENCE;
		for (;;) {
			const seen = this.#changes;
			const look = await this.look();
			const screen = look.rows.join("\n");
			if (!look.isInFrame && isThere(screen, look)) return screen;
			if (await this.#changed(seen, end)) continue;
			const state = JSON.stringify({ ...look, rows: undefined });
			throw new Error(`${this.name}: ${what} does not come:\n${screen}\n${state}`);
		}
	}

	/** Waits until these assertions hold; the errors of the last time if they never do. */
	async holds(check) {
		const end = Date.now() + PATIENCE;
		for (;;) {
			const seen = this.#changes;
			try {
				return await check();
			} catch (error) {
				if (!(await this.#changed(seen, end))) throw error;
			}
		}
	}

	/** Waits for the next change since the one of that number; false if none comes before the end. */
	async #changed(seen, end) {
		if (seen !== this.#changes) return true;
		const left = end - Date.now();
		if (left <= 0) return false;
		await new Promise((resolve) => {
			const timer = setTimeout(resolve, left);
			this.#wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
		return true;
	}

	/** Waits until a text is on the screen. */
	shows(text) {
		return this.until(JSON.stringify(text), (screen) => screen.includes(text));
	}

	/** Waits until prompts are taken. */
	isReady() {
		return this.until("the end of the start", (screen) => screen.includes("~/work") && !screen.includes("starting"));
	}

	/** Waits until nothing is under way, and the last row of a frame is there. */
	rests() {
		return this.until("rest", isAtRest);
	}

	/** Waits for the end of the program; gives its code. */
	async ends() {
		const screen = await this.until("the end", (text) => END.test(text));
		return Number(END.exec(screen)[1]);
	}

	/** What is in the scrollback and on the screen, without what differs from run to run. */
	async picture() {
		const { above, screen } = await this.everything();
		return { above: above.map(normal), screen: screen.map(normal) };
	}

	/** The screen with colours and the like, without what differs from run to run. */
	async styled() {
		return (await this.styles()).map(normalStyled);
	}

	/** Types a text and waits until it is there. */
	async writes(text) {
		await this.types(text);
		await this.shows(text);
	}

	/** The line's modes after the program are those before it. Its size may be another. */
	assertLineIsRestored() {
		const [before, after] = ["before", "after"].map((file) => this.place.read(file).replace(/rows \d+; columns \d+/, ""));
		assert.equal(after, before, this.name);
	}
}

/** Whether the program waits for the user. */
export const isAtRest = (screen) => !/Working|\(escape to|starting/.test(screen) && /^~\/work/m.test(screen) && screen.trimEnd().endsWith("scripted");

const normal = (row) => row.replace(/Took \d+\.\d+s/, "Took 0.0s").replace(/tau v\d+\.\d+\.\d+/, "tau v0.0.0");

const normalStyled = (row) => row.replace(/(Took\S* \S*\})\d+\.\d+s/, "$10.0s");
