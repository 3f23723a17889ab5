/** Work that runs right after the current code, before promises, timers and input. */

import { ops } from "tau:ops";
import { isActive, restore, snapshot, type Context } from "./async_context.ts";
import { apply, define } from "./primordials.ts";

type Tick = { fn: (...args: any[]) => void; args: any[]; context: Context };

let queue: Tick[] = [];
/** The first of `queue` that has not run. */
let next = 0;
let registered = false;

/** Calls `fn(...args)` after the running code has finished, in the context of this moment. */
export function nextTick(fn: (...args: any[]) => void, ...args: any[]): void {
  if (!registered) {
    registered = true;
    ops.tickHandler(run);
  }
  define(queue, queue.length as any, { fn, args, context: snapshot() });
  if (queue.length === 1) ops.ticksWait();
}

/** Runs what waits and what that adds. Rust calls it again when it was cut off. */
function run(): void {
  while (next < queue.length) {
    const { fn, args, context } = queue[next++];
    try {
      if (isActive()) restore(context, fn, undefined, args);
      else apply(fn, undefined, args);
    } catch (error) {
      ops.reportUncaught(error);
    }
    // What has run may go, without moving the rest each time.
    if (next === 1024) {
      const rest: Tick[] = [];
      for (let index = next; index < queue.length; index++) define(rest, rest.length as any, queue[index]);
      queue = rest;
      next = 0;
    }
  }
  queue = [];
  next = 0;
}

/** Reports `error` as uncaught; the caller goes on. */
export function reportUncaught(error: unknown): void {
  ops.reportUncaught(error);
}
