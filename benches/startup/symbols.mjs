// The functions of a program.

import { execFileSync } from "node:child_process";

/** Each with its address in the file, in hexadecimal digits. */
export function functionsOf(program) {
	const table = execFileSync("readelf", ["--symbols", "--wide", program], { encoding: "utf8", maxBuffer: 1 << 28 });
	const rows = table.split("\n").map((line) => line.trim().split(/\s+/));
	return rows.filter((row) => row[3] === "FUNC" && row[6] !== "UND").map((row) => ({ address: row[1], name: row[7] }));
}
