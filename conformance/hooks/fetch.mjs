// Fetches the packages of `packages.json` by npm, checks them and keeps their example hooks. Nothing of what the packages
// depend on is installed: the hooks are read, not the agents they were made for.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PACKAGES, PUBLISHED } from "./packages.mjs";

mkdirSync(PUBLISHED, { recursive: true });
for (const { name, version, integrity, folder } of PACKAGES) {
	if (existsSync(folder)) continue;
	const work = mkdtempSync(join(PUBLISHED, ".fetching-"));
	try {
		execFileSync("npm", ["pack", `${name}@${version}`, "--loglevel=error", "--pack-destination", work], {
			stdio: ["ignore", "ignore", "inherit"],
		});
		const archive = join(work, readdirSync(work)[0]);
		const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
		if (found !== integrity) throw new Error(`${name}@${version} is ${found}, not ${integrity}`);
		const unpacked = join(work, "unpacked");
		mkdirSync(unpacked);
		execFileSync("tar", ["-xzf", archive, "-C", unpacked, "--strip-components=1", "package/examples/hooks"]);
		renameSync(unpacked, folder);
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
}
