// Example extensions that are games.

import { play } from "../lib/terminal/examples.mjs";
import { GAMES } from "./examples/games.mjs";

play("games", GAMES);
