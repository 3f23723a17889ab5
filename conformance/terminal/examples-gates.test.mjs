// Example extensions that ask before something is done.

import { play } from "../lib/terminal/examples.mjs";
import { GATES } from "./examples/gates.mjs";

play("gates", GATES);
