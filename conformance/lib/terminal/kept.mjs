// The pictures that the tests of the program keep, made with two other terminals.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../crates/cli/tests/terminal/snapshots", import.meta.url));

/** A picture as text: what is above the screen, a mark, the screen. */
export const textOf = ({ above, screen }) => [...above, "=== the screen ===", ...screen].join("\n").trimEnd();

/** The kept picture of that name and size. */
export function kept(name, [columns, rows]) {
	const text = readFileSync(`${folder}/it__terminal__pictures__${name}_${columns}x${rows}.snap`, "utf8");
	// What says where it is from stands between two rules.
	return text.split("\n---\n").slice(1).join("\n---\n").trimEnd();
}
