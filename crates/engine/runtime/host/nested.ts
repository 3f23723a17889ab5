// What tools get beside `ctx`: the other tools, and a way to call them.
import { ops } from "tau:ops";
import { defineProperties, String } from "../internal/primordials.ts";
import { withToken } from "./calls.ts";
import { eventContext } from "./context.ts";

/** The context of a tool at work on a call. What it has more than others shows in no listing, so copies lack it. */
export function toolContext(id: number, call: number): any {
  return defineProperties(eventContext(id, call), {
    __proto__: null,
    tools: { __proto__: null, configurable: true, get: () => ops.callableTools(id, call) },
    executeTool: {
      __proto__: null,
      configurable: true,
      writable: true,
      value: async (name: string, args?: unknown, options?: any) => {
        const { signal, onUpdate } = options ?? {};
        const update = typeof onUpdate === "function" ? (partial: any) => void onUpdate(partial) : undefined;
        return withToken(signal, (token) => ops.executeTool(id, call, String(name), args ?? {}, token, update));
      },
    },
  } as any);
}
