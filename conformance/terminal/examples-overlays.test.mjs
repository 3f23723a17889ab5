// Example extensions that draw over the screen.

import { play } from "../lib/terminal/examples.mjs";
import { OVERLAYS } from "./examples/overlays.mjs";

play("overlays", OVERLAYS);
