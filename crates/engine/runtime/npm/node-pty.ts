// npm's `node-pty` and the packages that were made of it: a terminal for a child, over tau's own. Theirs is native code.
import { unavailable } from "../internal/loader.ts";
import { Terminal, type TerminalOptions } from "../internal/child/terminal.ts";

/** Starts a program in a terminal of its own. */
export function spawn(file: string, args: string[] | string, options?: TerminalOptions): Terminal {
  return new Terminal(file, args, options);
}

export { spawn as fork, spawn as createTerminal };

/** A terminal without a program needs its descriptors, which an extension does not have. */
export const open = unavailable("node-pty.open");

export default { spawn, fork: spawn, createTerminal: spawn, open };
