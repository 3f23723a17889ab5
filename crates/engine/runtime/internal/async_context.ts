/**
 * The current asynchronous context: one immutable map from `AsyncLocalStorage` to its store.
 *
 * Everything that runs a callback later captures the context with `snapshot` and puts it back around the call.
 * Until the first `AsyncLocalStorage` exists, or a handler is called while somebody holds the context of a command, the
 * context is always `undefined` and nothing is wrapped, so programs that never use it pay one comparison.
 */

import { ops } from "tau:ops";
import {
  apply, defineProperty, enqueue, Map, mapGet, mapSet, promisePrototype, promiseThen,
} from "./primordials.ts";

/** The stores that are visible to running code; `undefined` when there are none. */
export type Context = ReadonlyMap<object, unknown> | undefined;

let current: Context;
let active = false;

/** Queues a job without touching the context; a throw inside it surfaces as an uncaught error. */
export function enqueueJob(job: () => void): void {
  enqueue(() => {
    try {
      job();
    } catch (error) {
      ops.reportUncaught(error);
    }
  });
}

/** The context of the running code. */
export function snapshot(): Context {
  return current;
}

/** Makes `context` current and returns the one before it. Used around `await` by compiled modules. */
export function enter(context: unknown): Context {
  const previous = current;
  current = context as Context;
  return previous;
}

/** Same as `snapshot`; the name that pairs with `restore`. */
export function capture(): Context {
  return current;
}

/** Calls `fn` with `context` current, then puts the previous context back. */
export function restore<T>(context: Context, fn: (...args: any[]) => T, self?: unknown, args: any[] = []): T {
  const previous = current;
  current = context;
  try {
    return apply(fn, self, args);
  } finally {
    current = previous;
  }
}

/** `fn` bound to the context of this moment; `fn` itself while no storage exists. */
export function wrap<F>(fn: F): F {
  if (!active || typeof fn !== "function") return fn;
  const context = current;
  return function (this: unknown, ...args: any[]) {
    return restore(context, fn as any, this, args);
  } as F;
}

/** Whether the context is carried along. */
export function isActive(): boolean {
  return active;
}

/** Under which the context has the number of the handler that code runs for. */
const HANDLER = {};

/** Calls a handler of an event; what it does knows that it is done for the handler of this number, also behind `await`. */
export function inHandler(number: number, handler: (event: unknown, ctx: unknown) => any, event: unknown, ctx: unknown): any {
  activate();
  const context = new Map<object, unknown>();
  mapSet(context, HANDLER, number);
  return restore(context, handler, undefined, [event, ctx]);
}

/** The number of the handler that the running code runs for, as far as that is known. */
export function currentHandler(): number | undefined {
  return current && (mapGet(current as any, HANDLER) as number | undefined);
}

/** Starts carrying the context across promise reactions. Called by the first storage, and for handlers. */
export function activate(): void {
  if (active) return;
  active = true;
  // Handlers and jobs begin with nothing: what ran before on this thread has no part in them.
  ops.contextHandler(() => {
    current = undefined;
  });
  const wrapped = {
    then(this: any, onFulfilled?: unknown, onRejected?: unknown) {
      return promiseThen(this, wrap(onFulfilled), wrap(onRejected));
    },
  };
  ops.makesJobs(wrapped.then);
  defineProperty(promisePrototype, "then", {
    __proto__: null,
    value: wrapped.then,
    writable: true,
    enumerable: false,
    configurable: true,
  } as any);
}
