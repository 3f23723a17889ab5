// Fetches a published package by npm, without what it depends on, checks it, and unpacks it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Names, in the folder, what was unpacked there. */
const MARK = ".integrity";

/**
 * Puts the package into `folder`, unless it is there. `only` is the part of it that is kept.
 * Throws when the archive is not the one that `integrity` describes.
 */
export function fetchPackage({ name, version, integrity }, folder, only = "") {
	const mark = join(folder, MARK);
	if (existsSync(mark) && readFileSync(mark, "utf8") === integrity) return;
	mkdirSync(dirname(folder), { recursive: true });
	const work = mkdtempSync(join(dirname(folder), ".fetching-"));
	try {
		execFileSync("npm", ["pack", `${name}@${version}`, "--loglevel=error", "--pack-destination", work], {
			stdio: ["ignore", "ignore", "inherit"],
		});
		const archive = join(work, readdirSync(work)[0]);
		const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
		if (found !== integrity) throw new Error(`${name}@${version} is ${found}, not ${integrity}`);
		const unpacked = join(work, "unpacked");
		mkdirSync(unpacked);
		execFileSync("tar", ["-xzf", archive, "-C", unpacked, "--strip-components=1", join("package", only)]);
		writeFileSync(join(unpacked, MARK), integrity);
		rmSync(folder, { recursive: true, force: true });
		renameSync(unpacked, folder);
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
}
