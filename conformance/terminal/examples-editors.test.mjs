// Example extensions that replace the editor, or draw around it.

import { play } from "../lib/terminal/examples.mjs";
import { EDITORS } from "./examples/editors.mjs";

play("around the editor", EDITORS);
