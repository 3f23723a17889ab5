// Fetches the reference. Not all of its dependencies are published, but its bundle holds those: what the bundle needs
// besides is installed from the lock file in this folder.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fetchPackage } from "../lib/pack.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

fetchPackage(JSON.parse(readFileSync(here("tarball.json"), "utf8")), here("pi"));
