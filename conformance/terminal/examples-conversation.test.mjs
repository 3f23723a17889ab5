// Example extensions that add to the conversation, or draw nothing.

import { play } from "../lib/terminal/examples.mjs";
import { CONVERSATION } from "./examples/conversation.mjs";

play("conversation", CONVERSATION);
