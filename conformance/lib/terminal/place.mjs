// A home for one program in one terminal, and the program as it is started there.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commandOf, environmentOf } from "../agents.mjs";

/** What the terminal shows once the program has ended. */
export const END = /^\[ended: (\d+)\]$/m;

/**
 * Makes the home. `files` maps paths below it (`work/…`, `agent/…`) to contents; `script` is what the model plays, if it is
 * a scripted one.
 * Footers call the working directory `~/work`.
 */
export function makePlace({ script, files = {} }) {
	// Paths of one length wrap at the same places everywhere.
	const root = realpathSync(mkdtempSync("/tmp/terminal-"));
	const file = (path) => join(root, path);
	const place = {
		root,
		agent: file("agent"),
		work: file("work"),
		write(path, content) {
			mkdirSync(dirname(file(path)), { recursive: true });
			writeFileSync(file(path), content);
		},
		has: (path) => existsSync(file(path)),
		read: (path) => readFileSync(file(path), "utf8"),
		/** The number of the program's process. */
		pid: () => Number(place.read("pid")),
		/** Ends the program if it runs: nothing writes into the place afterwards. */
		async kill() {
			if (!place.has("pid")) return;
			try {
				process.kill(place.pid(), "SIGKILL");
				// Its parent, a shell in the same terminal, takes note of its end.
				for (;;) {
					process.kill(place.pid(), 0);
					await sleep(2);
				}
			} catch (error) {
				if (error.code !== "ESRCH") throw error;
			}
		},
		remove: () => rmSync(root, { recursive: true, force: true }),
	};
	mkdirSync(place.agent);
	mkdirSync(place.work);
	if (script !== undefined) place.write("script.yaml", script);
	for (const [path, content] of Object.entries(files)) place.write(path, content);
	return place;
}

/** As that of the other tests, but with colours. */
export function terminalEnvironment(place, extra) {
	const { NO_COLOR: _, ...environment } = environmentOf(place, extra);
	return environment;
}

/** The command line of tau, with the place's script if it has one; the file `pid` says which process it became. */
export function tau(place, args = []) {
	const [command, head] = commandOf("tau");
	const start = 'echo $$ >"$0/pid"; exec "$@"';
	const script = place.has("script.yaml") ? ["--script", join(place.root, "script.yaml")] : [];
	return ["sh", "-c", start, place.root, command, ...head, ...script, ...args];
}

/**
 * The same with what looks at the terminal before and after it: the modes of the line go into the files `before` and
 * `after`, and what is typed when it has ended goes into `typed`.
 */
export function watched(place, args) {
	const steps = [
		'stty -a >"$0/before"',
		'"$@"',
		"code=$?",
		'stty -a >"$0/after"',
		`printf '[ended: %s]\n' "$code"`,
		'cat >"$0/typed"',
		'echo [read]',
		'exec cat',
	];
	return ["sh", "-c", steps.join("\n"), place.root, ...tau(place, args)];
}

/** An interactive shell, which can stop and continue what it runs. Its command `tau` is tau with the place's script. */
export function shell(place, args) {
	const words = tau(place, args).map((word) => `'${word.replaceAll("'", "'\\''")}'`);
	place.write("bin/tau", `#!/bin/sh\nexec ${words.join(" ")}\n`);
	chmodSync(join(place.root, "bin/tau"), 0o755);
	place.write("bashrc", `PS1='> '\nHISTFILE=\nPATH='${place.root}/bin':$PATH\n`);
	return ["bash", "--noprofile", "--rcfile", join(place.root, "bashrc"), "-i"];
}
