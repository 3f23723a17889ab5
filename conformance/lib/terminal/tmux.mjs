// A real tmux with a server of its own, which nothing of the user's configuration reaches.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { findProgram } from "../programs.mjs";
import { Control, quoted } from "./control.mjs";
import { tmuxNameOf } from "./keys.mjs";
import { terminalEnvironment } from "./place.mjs";
import { Seat } from "./seat.mjs";
import { newTerminal, styledRows } from "./xterm.mjs";

/** The command of tmux. Installs it where it is missing; `{ reason }` where that cannot be done. */
export const findTmux = () => findProgram("tmux", ["tmux"], "-V");

const LOOK = ["wrap_flag", "alternate_on", "cursor_x", "cursor_y", "cursor_flag"].map((name) => `#{${name}}`).join(" ");

/** What is 0 in a pane that nobody asked for anything. */
const FLAGS = ["alternate_on", "insert_flag", "keypad_cursor_flag", "keypad_flag", "mouse_any_flag", "origin_flag"];

/** What is 1 in such a pane. */
const ON = ["cursor_flag", "wrap_flag"];

export class TmuxSeat extends Seat {
	name = "tmux";
	#control;
	#size;

	/** `options` are lines of tmux's configuration, by default the one that tau asks for. */
	static async start(place, size, commandLine, environment = {}, options = ["set -s extended-keys on"]) {
		const seat = new TmuxSeat(place);
		place.write("tmux.conf", ["set -g history-limit 10000", ...options, ""].join("\n"));
		seat.#size = size;
		seat.#control = new Control({
			command: "tmux",
			socket: `conformance-${randomUUID()}`,
			// Sockets are in the place too.
			environment: terminalEnvironment(place, { TMUX_TMPDIR: place.root, TERM: "xterm-256color", ...environment }),
			configuration: join(place.root, "tmux.conf"),
			size,
			directory: place.work,
			commandLine,
			onOutput: () => seat.changed(),
		});
		await seat.#control.started;
		return seat;
	}

	async look() {
		const [[state], [title], rows] = await this.#control.run(`display-message -p "${LOOK}"`, 'display-message -p "#{pane_title}"', "capture-pane -p");
		const [wraps, alternate, column, row, cursor] = state.split(" ").map(Number);
		return {
			rows: rows.map((line) => line.trimEnd()),
			isInFrame: !wraps,
			isAlternate: alternate === 1,
			title,
			cursor: { column, row, isShown: cursor === 1 },
		};
	}

	async everything() {
		const [[count], lines] = await this.#control.run('display-message -p "#{history_size}"', "capture-pane -p -S - -E -");
		const rows = lines.map((line) => line.trimEnd());
		return { above: rows.slice(0, Number(count)), screen: rows.slice(Number(count)) };
	}

	/** Another terminal is shown what tmux would show it. */
	async styles() {
		const [rows] = await this.#control.run("capture-pane -p -e -N");
		const terminal = newTerminal(this.#size);
		await new Promise((resolve) => terminal.write(rows.join("\r\n"), resolve));
		const styled = styledRows(terminal);
		terminal.dispose();
		return styled;
	}

	types(text) {
		return this.#control.run(`send-keys -l ${quoted(text)}`);
	}

	press(name) {
		return this.#control.run(`send-keys ${tmuxNameOf(name)}`);
	}

	/** Pastes as `prefix ]` does it, with brackets when the program wants them. */
	paste(text) {
		return this.#control.run(`set-buffer -b pasted ${quoted(text)}`, "paste-buffer -p -d -b pasted");
	}

	resize(columns, rows) {
		this.#size = [columns, rows];
		return this.#control.run(`resize-window -x ${columns} -y ${rows}`);
	}

	/** What of the pane is not as it was at the start. */
	async leftOver() {
		const all = [...FLAGS, ...ON];
		const [[state]] = await this.#control.run(`display-message -p "${all.map((name) => `#{${name}}`).join(" ")}"`);
		const values = state.split(" ").map(Number);
		return all.filter((name, at) => values[at] !== Number(ON.includes(name)));
	}

	close() {
		return this.#control.close();
	}
}
