// Programs that are not from npm.

import { spawnSync } from "node:child_process";

/**
 * Finds the first of some programs; one is there when it runs with the argument `probe`. Installs the Debian package of
 * the first name where all are missing; gives `{ reason }` where that cannot be done.
 */
export function findProgram(title, names, probe) {
	const found = () => names.find((name) => spawnSync(name, [probe], { stdio: "ignore" }).status === 0);
	const command = found();
	if (command) return { command };
	const done = spawnSync("apt-get", ["install", "-y", "--no-install-recommends", names[0]], { encoding: "utf8" });
	const installed = found();
	if (installed) return { command: installed };
	const why = done.error?.message ?? done.stderr.trim().split("\n").at(-1);
	return { reason: `there is no ${title}, and apt-get cannot install it: ${why}` };
}
