/** `node:readline`. */

import { Interface } from "../internal/readline_interface.ts";
import { clearLine, clearScreenDown, cursorTo, moveCursor } from "../internal/readline_cursor.ts";
import { emitKeypressEvents } from "../internal/keypress.ts";
import promises from "./readline/promises.ts";

export function createInterface(input: any, output?: any, completer?: any, terminal?: any): Interface {
  return new Interface(input, output, completer, terminal);
}

export { clearLine, clearScreenDown, cursorTo, emitKeypressEvents, Interface, moveCursor, promises };

export default {
  clearLine,
  clearScreenDown,
  createInterface,
  cursorTo,
  emitKeypressEvents,
  Interface,
  moveCursor,
  promises,
};
