// Lets the server wait until a program has shown what it was sent.
//
// The reference builds its messages in place and shows them when it gets
// round to it, so events that arrive together are seen with later state in
// earlier records. Sent one by one, each shown before the next, they are
// the same in every run.

import { parseLines } from "./agents.mjs";

/** A program that never shows something is still sent the rest. */
const PATIENCE_MS = 5_000;

export class Progress {
	#rest = "";
	#finished = 0;
	#shown = 0;
	#waiting = new Set();

	/** Takes a piece of the program's JSON output. */
	feed(chunk) {
		const text = this.#rest + chunk.toString("utf8");
		const end = text.lastIndexOf("\n") + 1;
		this.#rest = text.slice(end);
		for (const event of parseLines(text.slice(0, end))) this.#count(event);
		for (const check of this.#waiting) check();
	}

	#count(event) {
		const assistant = event.message?.role === "assistant";
		if (event.type === "message_update" || (event.type === "message_start" && assistant)) this.#shown += 1;
		if (event.type === "message_end" && assistant) {
			// After an abort the reference has an answer that no request led to.
			if (event.message.errorMessage !== "This operation was aborted") this.#finished += 1;
			this.#shown = 0;
		}
	}

	/** Resolves when `count` records of the answer to request number `request` (from 0) are out. */
	reached(request, count) {
		const isReached = () => this.#finished > request || (this.#finished === request && this.#shown >= count);
		return new Promise((resolve) => {
			const done = () => {
				clearTimeout(timer);
				this.#waiting.delete(check);
				resolve();
			};
			const check = () => isReached() && done();
			const timer = setTimeout(done, PATIENCE_MS);
			this.#waiting.add(check);
			check();
		});
	}
}
