// Fetches the packages of `packages.json` and keeps their example hooks. Nothing of what the packages depend on is
// installed: the hooks are read, not the agents they were made for.

import { fetchPackage } from "../lib/pack.mjs";
import { PACKAGES } from "./packages.mjs";

for (const item of PACKAGES) fetchPackage(item, item.folder, "examples/hooks");
