// The terminal of many editors and web pages, without its window.

import pty from "@lydell/node-pty";
import headless from "@xterm/headless";
import { bytesOf } from "./keys.mjs";
import { terminalEnvironment } from "./place.mjs";
import { Seat } from "./seat.mjs";

const SCROLLBACK = 10_000;

/** Modes that are on when a terminal starts: lines wrap, and the cursor is shown. */
const ON = new Set([7, 25]);

/** The colours of xterm.js: its theme answers questions about them, and the theme needs a window. */
const FOREGROUND = "ffffff";
const BACKGROUND = "000000";
const PALETTE = "2e3436 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf 555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec".split(" ");

export const newTerminal = ([cols, rows]) => new headless.Terminal({ cols, rows, scrollback: SCROLLBACK, allowProposedApi: true });

export class XtermSeat extends Seat {
	name = "xterm";
	#terminal;
	#pty;
	#ended;
	/** When everything that came is on the screen. */
	#parsed = Promise.resolve();
	#held;
	/** Modes that differ from those at the start. */
	#modes = new Set();
	/** How many times the program asked for another encoding of keys and did not take that back. */
	#keyboards = 0;
	#otherKeys = 0;
	#title = "";
	/** What notifications of the desktop were asked for (OSC 777). */
	notified = [];

	static async start(place, size, commandLine, environment) {
		const seat = new XtermSeat(place);
		seat.#start(size, commandLine, environment);
		return seat;
	}

	#start(size, [file, ...args], environment) {
		const [cols, rows] = size;
		this.#terminal = newTerminal(size);
		this.#watch();
		const env = terminalEnvironment(this.place, { TERM: "xterm-256color", ...environment });
		this.#pty = pty.spawn(file, args, { cols, rows, cwd: this.place.work, env, encoding: null });
		this.#terminal.onTitleChange((title) => (this.#title = title));
		this.#terminal.onData((answer) => this.#pty.write(answer));
		this.#pty.onData((bytes) => {
			if (this.#held) {
				this.#held.push(bytes);
				this.changed();
			} else {
				this.#show(bytes);
			}
		});
		this.#ended = new Promise((resolve) => this.#pty.onExit(resolve));
	}

	#show(bytes) {
		this.#parsed = new Promise((resolve) => this.#terminal.write(bytes, resolve));
		this.#parsed.then(() => this.changed());
	}

	/** Shows nothing of what is written from now on, as a terminal that has other things to do. */
	hold() {
		this.#held = [];
	}

	/** What was written and is not shown. */
	held() {
		return Buffer.concat(this.#held).toString("utf8");
	}

	/** Shows it. */
	release() {
		const held = this.#held;
		this.#held = undefined;
		for (const bytes of held) this.#show(bytes);
	}

	/** Notes which modes the program sets, and answers what only xterm with a window answers. */
	#watch() {
		const { parser } = this.#terminal;
		const note = (isOn) => (params) => {
			for (const mode of params.flat()) {
				if (isOn === ON.has(mode)) this.#modes.delete(mode);
				else this.#modes.add(mode);
			}
			return false;
		};
		parser.registerCsiHandler({ prefix: "?", final: "h" }, note(true));
		parser.registerCsiHandler({ prefix: "?", final: "l" }, note(false));
		const count = (by) => (params) => {
			this.#keyboards += by(params[0]);
			return false;
		};
		parser.registerCsiHandler({ prefix: ">", final: "u" }, count(() => 1));
		parser.registerCsiHandler({ prefix: "<", final: "u" }, count((times) => -(times || 1)));
		parser.registerCsiHandler({ prefix: ">", final: "m" }, ([what, value]) => {
			if (what === 4) this.#otherKeys = value ?? 0;
			return false;
		});
		const answer = (number, colour) => {
			const parts = colour.match(/../g).map((part) => part + part);
			this.#pty.write(`\x1b]${number};rgb:${parts.join("/")}\x1b\\`);
		};
		for (const [number, colour] of [[10, FOREGROUND], [11, BACKGROUND]]) {
			parser.registerOscHandler(number, (data) => {
				if (data === "?") answer(number, colour);
				return true;
			});
		}
		parser.registerOscHandler(777, (data) => {
			this.notified.push(data);
			return true;
		});
		parser.registerOscHandler(4, (data) => {
			const asked = /^(\d+);\?$/.exec(data);
			if (asked && PALETTE[asked[1]]) answer(`4;${asked[1]}`, PALETTE[asked[1]]);
			return true;
		});
	}

	async look() {
		await this.#settled();
		const { active, alternate } = this.#terminal.buffer;
		return {
			rows: rowsOf(active, active.baseY, active.length),
			isInFrame: !this.#terminal.modes.wraparoundMode,
			isAlternate: active === alternate,
			title: this.#title,
			cursor: { column: active.cursorX, row: active.cursorY, isShown: !this.#modes.has(25) },
		};
	}

	async #settled() {
		for (let last; last !== this.#parsed; ) {
			last = this.#parsed;
			await last;
		}
	}

	async everything() {
		await this.#settled();
		const { normal } = this.#terminal.buffer;
		return { above: rowsOf(normal, 0, normal.baseY), screen: rowsOf(normal, normal.baseY, normal.length) };
	}

	async styles() {
		await this.#settled();
		return styledRows(this.#terminal);
	}

	async types(text) {
		this.#pty.write(text);
	}

	async press(name) {
		this.#pty.write(bytesOf(name, this.#terminal.modes.applicationCursorKeysMode));
	}

	/** As the window does it. */
	async paste(text) {
		const lines = text.replace(/\r?\n/g, "\r");
		this.#pty.write(this.#terminal.modes.bracketedPasteMode ? `\x1b[200~${lines}\x1b[201~` : lines);
	}

	async resize(columns, rows) {
		await this.#settled();
		this.#terminal.resize(columns, rows);
		this.#pty.resize(columns, rows);
	}

	/** What of the terminal is not as it was at the start. */
	async leftOver() {
		await this.#settled();
		const left = [...this.#modes].map((mode) => `mode ${mode}`);
		if (this.#keyboards) left.push(`${this.#keyboards} keyboards`);
		if (this.#otherKeys) left.push(`modifyOtherKeys ${this.#otherKeys}`);
		return left;
	}

	async close() {
		this.#pty.destroy();
		await this.#ended;
		this.#terminal.dispose();
	}
}

const rowsOf = (buffer, from, to) => Array.from({ length: to - from }, (_, at) => buffer.getLine(from + at).translateToString(true).trimEnd());

const FLAGS = ["Bold", "Dim", "Italic", "Underline", "Blink", "Inverse", "Invisible", "Strikethrough"];

/** The rows of the screen, with a mark in front of each text that looks different from the one before. */
export function styledRows(terminal) {
	const { active } = terminal.buffer;
	return Array.from({ length: terminal.rows }, (_, row) => {
		const line = active.getLine(active.baseY + row);
		let style = "";
		let text = "";
		for (let column = 0; column < terminal.cols; column += 1) {
			const cell = line.getCell(column);
			if (cell.getWidth() === 0) continue;
			const next = styleOf(cell);
			if (next !== style) text += `{${next}}`;
			style = next;
			text += cell.getChars() || " ";
		}
		return style === "" ? text.trimEnd() : text;
	});
}

/** How a cell looks. Of a space that stands for itself only its background can be seen. */
function styleOf(cell) {
	const isOn = (flag) => cell[`is${flag}`]() !== 0;
	const isSpace = (cell.getChars() || " ") === " " && !["Inverse", "Underline", "Strikethrough"].some(isOn);
	const parts = isSpace ? [] : FLAGS.filter(isOn).map((flag) => flag.toLowerCase());
	if (!isSpace && !cell.isFgDefault()) parts.push(`${cell.isFgRGB() ? "#" : ""}${cell.getFgColor()}`);
	if (!cell.isBgDefault()) parts.push(`on ${cell.isBgRGB() ? "#" : ""}${cell.getBgColor()}`);
	return parts.join(" ");
}
