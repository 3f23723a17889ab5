// The packages whose example hooks are tested, and where they are.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where `fetch.mjs` puts what it fetched. */
export const PUBLISHED = fileURLToPath(new URL("node_modules/.published/", import.meta.url));

export const PACKAGES = JSON.parse(readFileSync(new URL("packages.json", import.meta.url), "utf8")).map((item) => ({
	...item,
	folder: `${PUBLISHED}${item.name.replace("/", "+")}-${item.version}`,
}));
