/** Work that runs right after the current code, before timers and input. */

import { ops } from "tau:ops";
import { enqueueJob, isActive, restore, snapshot } from "./async_context.ts";

/** Calls `fn(...args)` after the running code has finished, in the context of this moment. */
export function nextTick(fn: (...args: any[]) => void, ...args: any[]): void {
  if (isActive()) {
    const context = snapshot();
    enqueueJob(() => {
      restore(context, fn, undefined, args);
    });
  } else {
    enqueueJob(() => {
      fn(...args);
    });
  }
}

/** Reports `error` as uncaught; the caller goes on. */
export function reportUncaught(error: unknown): void {
  ops.reportUncaught(error);
}
