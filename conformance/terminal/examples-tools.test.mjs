// Example extensions that draw calls of tools.

import { play } from "../lib/terminal/examples.mjs";
import { TOOLS } from "./examples/tools.mjs";

play("tools", TOOLS);
