// The servers that both programs use, and how those of the web are started.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const published = (name) => join(here, `../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);

export const everything = published("everything");
export const filesystem = published("filesystem");
export const plenty = join(here, "plenty.mjs");
export const dual = join(here, "dual.py");

/** A server that is a script for the Node of these tests. */
export const onNode = (...args) => ({ command: process.execPath, args });

/**
 * The Python whose packages are those of requirements.txt, in a folder that is kept until they change; `{ reason }` where pip
 * cannot install them.
 */
export function findPython() {
	const lock = readFileSync(join(here, "requirements.txt"));
	const folder = join(here, ".venv");
	const [python, stamp] = [join(folder, "bin/python"), join(folder, "requirements")];
	const wanted = createHash("sha256").update(lock).digest("hex");
	if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return { python };
	rmSync(folder, { recursive: true, force: true });
	const made = spawnSync("python3", ["-m", "venv", folder], { encoding: "utf8" });
	if (made.status !== 0) return { reason: `python3 makes no folder for packages: ${lastLine(made)}` };
	const options = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "--require-hashes"];
	const done = spawnSync(python, ["-m", "pip", "install", ...options, "--requirement", join(here, "requirements.txt")], { encoding: "utf8" });
	if (done.status !== 0) return { reason: `pip cannot install the packages of mcp/requirements.txt: ${lastLine(done)}` };
	writeFileSync(stamp, wanted);
	return { python };
}

const lastLine = ({ error, stderr }) => error?.message ?? stderr.trim().split("\n").at(-1);

/** Starts a program and waits for a line of its output of which `address` makes an address. */
async function listening(command, args, env, address) {
	const child = spawn(command, args, { cwd: dirname(here), env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
	let errors = "";
	child.stderr.on("data", (chunk) => (errors += chunk));
	const ended = new Promise((resolve) => child.on("close", resolve));
	const url = await new Promise((resolve, reject) => {
		createInterface({ input: child.stdout }).on("line", (line) => address(line) && resolve(address(line)));
		ended.then(() => reject(new Error(`${args.join(" ")} ended:\n${errors}`)));
	});
	return {
		url,
		async close() {
			child.kill("SIGKILL");
			await ended;
		},
	};
}

/** Starts the published server as one of the web. */
export function startEverything() {
	const port = new URL("./port.mjs", import.meta.url).href;
	return listening(process.execPath, ["--import", port, everything, "streamableHttp"], { PORT: "0" }, (line) => {
		const found = /^port (\d+)$/.exec(line);
		return found && `http://127.0.0.1:${found[1]}/mcp`;
	});
}

/** Starts dual.py as one of the web. */
export function startDual(python) {
	return listening(python, [dual, "http"], {}, (line) => (line.startsWith("http://") ? line : undefined));
}
