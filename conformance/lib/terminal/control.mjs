// A client of tmux that programs can be: control mode, a line for each command and a block for each answer.

import { spawn, spawnSync } from "node:child_process";

/** Commands in one line give an answer each. */
export class Control {
	#child;
	#waiting = [];
	#block;
	#rest = Buffer.alloc(0);
	#isGone = false;
	#gone;
	#errors = "";

	/** Starts a server of its own, without configuration but `options`, and a window of `size` with this program in it. */
	constructor({ command, socket, environment, configuration, size: [columns, rows], directory, commandLine, onOutput }) {
		this.stop = () => spawnSync(command, ["-L", socket, "kill-server"], { env: environment, stdio: "ignore" });
		process.on("exit", this.stop);
		this.onOutput = onOutput;
		const session = ["new-session", "-x", `${columns}`, "-y", `${rows}`, "-c", directory, "--", ...commandLine];
		this.#child = spawn(command, ["-u", "-L", socket, "-f", configuration, "-C", ...session], { env: environment });
		this.#gone = new Promise((resolve) => this.#child.on("close", resolve));
		this.#gone.then(() => this.#fail());
		this.#child.stdin.on("error", () => this.#fail());
		this.#child.stderr.on("data", (bytes) => (this.#errors += bytes));
		this.#child.stdout.on("data", (bytes) => this.#take(bytes));
		/** Whether the session is there: the answer to the command that began it. */
		this.started = this.#answer();
	}

	#answer() {
		return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
	}

	#fail() {
		this.#isGone = true;
		for (const { reject } of this.#waiting.splice(0)) reject(new Error(`tmux is gone: ${this.#errors}`));
	}

	/** Runs commands without anything of the program's output between them; gives the lines that each answers. */
	run(...commands) {
		if (this.#isGone) throw new Error(`tmux is gone: ${this.#errors}`);
		const answers = commands.map(() => this.#answer());
		this.#child.stdin.write(`${commands.join(" ; ")}\n`);
		return Promise.all(answers);
	}

	#take(bytes) {
		const all = Buffer.concat([this.#rest, bytes]);
		const end = all.lastIndexOf(10) + 1;
		this.#rest = all.subarray(end);
		if (end === 0) return;
		for (const line of all.toString("utf8", 0, end - 1).split("\n")) this.#line(line);
	}

	#line(line) {
		const mark = /^%(begin|end|error) (\d+ \d+) /.exec(line);
		if (this.#block && mark?.[2] === this.#block.number && mark[1] !== "begin") {
			const { lines } = this.#block;
			this.#block = undefined;
			const { resolve, reject } = this.#waiting.shift();
			if (mark[1] === "end") resolve(lines);
			else reject(new Error(`tmux: ${lines.join("\n")}`));
		} else if (this.#block) {
			this.#block.lines.push(line);
		} else if (mark?.[1] === "begin") {
			this.#block = { number: mark[2], lines: [] };
		} else if (line.startsWith("%output ")) {
			this.onOutput();
		}
	}

	async close() {
		this.stop();
		process.off("exit", this.stop);
		await this.#gone;
	}
}

/** A text as tmux's own language writes it. */
export const quoted = (text) => {
	const escaped = [...text].map((character) => {
		const code = character.codePointAt(0);
		if (code < 0x20 || code === 0x7f) return `\\${code.toString(8).padStart(3, "0")}`;
		return '"\\$~'.includes(character) ? `\\${character}` : character;
	});
	return `"${escaped.join("")}"`;
};
