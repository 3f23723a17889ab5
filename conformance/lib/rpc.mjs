// Drives a program in RPC mode and records what it says.

import { spawn } from "node:child_process";
import { commandOf, environmentOf } from "./agents.mjs";

/** Nothing takes this long; a test that hangs should say where. */
const PATIENCE_MS = 60_000;

export class Rpc {
	/** Every record of the program, in order. */
	records = [];
	stderr = "";
	#rest = Buffer.alloc(0);
	#watchers = new Set();
	#next = 0;
	#answers;

	/** `answers(request)` gives what is answered to a dialog; nothing is answered when it gives nothing. */
	constructor(program, home, args, { env, answers, onStdout } = {}) {
		const [command, head] = commandOf(program);
		this.#answers = answers;
		this.child = spawn(command, [...head, "--mode", "rpc", ...args], { cwd: home.work, env: environmentOf(home, env) });
		this.child.stdin.on("error", () => {});
		this.child.stderr.on("data", (chunk) => (this.stderr += chunk));
		this.child.stdout.on("data", (chunk) => {
			this.#take(chunk);
			onStdout?.(chunk);
		});
		this.ended = new Promise((resolve) => this.child.on("close", (code, signal) => resolve({ code, signal })));
		this.ended.then(() => this.#wake());
	}

	#take(chunk) {
		const data = Buffer.concat([this.#rest, chunk]);
		const end = data.lastIndexOf(0x0a) + 1;
		this.#rest = data.subarray(end);
		for (const line of data.subarray(0, end).toString("utf8").split("\n").slice(0, -1)) {
			const record = JSON.parse(line);
			this.records.push(record);
			if (record.type === "extension_ui_request") this.#answer(record);
		}
		this.#wake();
	}

	#answer(request) {
		const answer = this.#answers?.(request);
		if (answer) this.write({ type: "extension_ui_response", id: request.id, ...answer });
	}

	#wake() {
		for (const watcher of this.#watchers) watcher();
	}

	/** Writes a command as it stands. */
	write(value) {
		this.child.stdin.write(typeof value === "string" ? value : `${JSON.stringify(value)}\n`);
	}

	/** Sends a command under an id of its own and waits for its response. */
	async send(type, args = {}) {
		const id = `c${(this.#next += 1)}`;
		this.write({ ...args, type, id });
		return this.record((record) => record.type === "response" && record.id === id, `the response to ${type}`);
	}

	/** Waits for the first record from `from` on that fits. */
	record(fits, what = "a record", from = 0) {
		let at = from;
		return new Promise((resolve, reject) => {
			const done = (settle, value) => {
				clearTimeout(timer);
				this.#watchers.delete(check);
				settle(value);
			};
			const fail = (why) => done(reject, new Error(`${why} while waiting for ${what}\n${this.stderr.slice(-2000)}`));
			const check = () => {
				for (; at < this.records.length; at += 1) {
					if (fits(this.records[at])) return done(resolve, this.records[at]);
				}
				if (this.child.exitCode !== null || this.child.signalCode !== null) fail("the program ended");
			};
			const timer = setTimeout(() => fail("time ran out"), PATIENCE_MS);
			this.#watchers.add(check);
			check();
		});
	}

	/** Waits for an event; of those that come from now on when `from` is not given. */
	event(type, from = this.records.length) {
		return this.record((record) => record.type === type, type, from);
	}

	/** Sends a prompt and waits until the session has settled. */
	async prompt(message, args = {}) {
		const from = this.records.length;
		const response = await this.send("prompt", { message, ...args });
		if (response.success) await this.event("agent_settled", from);
		return response;
	}

	/** Closes the input and waits for the end. */
	async close() {
		this.child.stdin.end();
		return this.ended;
	}
}
