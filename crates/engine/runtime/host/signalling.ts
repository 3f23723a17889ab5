// Events that carry the signal of what is under way.
import { SIGNAL } from "./context.ts";

type Handler = (event: any, ctx: any) => unknown;

/** The handler as it is called: with an event that has the signal. Handlers share the event. */
export function signalling(handler: Handler): Handler {
  return (event, ctx) => {
    if (!("signal" in event)) {
      Object.defineProperty(event, "signal", { enumerable: true, configurable: true, value: ctx[SIGNAL]() });
    }
    return handler(event, ctx);
  };
}
