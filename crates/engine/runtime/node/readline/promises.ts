/** `node:readline/promises`. */

import { ask, Interface as CallbackInterface, Readline, type InterfaceClass } from "../../internal/readline_interface.ts";

/** A line reader whose `question` gives a promise. */
export class Interface extends (CallbackInterface as new (
  ...args: ConstructorParameters<InterfaceClass>
) => Omit<CallbackInterface, "question">) {
  question(query: string, options?: { signal?: AbortSignal }): Promise<string> {
    return ask(this, query, options);
  }
}

export function createInterface(input: any, output?: any, completer?: any, terminal?: any): Interface {
  return new Interface(input, output, completer, terminal);
}

export { Readline };

export default { createInterface, Interface, Readline };
