// Example extensions that ask in the place of the editor.

import { play } from "../lib/terminal/examples.mjs";
import { DIALOGS } from "./examples/dialogs.mjs";

play("dialogs", DIALOGS);
