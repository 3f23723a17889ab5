// Models for which an extension chooses, request by request, the one that answers.
import { ops } from "tau:ops";
import { keep } from "./calls.ts";
import { eventContext } from "./context.ts";

/** The wire format that virtual models name; nothing speaks it. */
export const VIRTUAL_API = "pi-virtual";

const FIELDS = ["provider", "id", "name", "thinkingLevels", "contextWindow", "maxTokens", "input"];

/** Registers a virtual model for the extension of that number. */
export function registerVirtualModel(owner: number, definition: any): void {
  if (typeof definition?.route !== "function") throw new Error("A virtual model must define route().");
  const spec: any = {};
  for (const field of FIELDS) if (definition[field] !== undefined) spec[field] = definition[field];
  const route = async (request: any, call: number) => {
    const route = await definition.route(request, eventContext(owner, call));
    // Only what was given: a state of `undefined` is none.
    const { model, thinkingLevel, state } = route ?? {};
    return state === undefined ? { model, thinkingLevel } : { model, thinkingLevel, state };
  };
  ops.extVirtualModel(owner, spec, keep(route));
}

export function unregisterVirtualModel(owner: number, provider: string, model: string): void {
  ops.extUnregisterVirtualModel(owner, String(provider), String(model));
}
