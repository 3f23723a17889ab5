/** `node:timers/promises`: timers as promises and as an asynchronous iterator. */

import { abortError } from "../../internal/aborted.ts";
import { invalidArgType } from "../../internal/errors.ts";
import { validateAbortSignal, validateBoolean } from "../../internal/validators.ts";
import * as timers from "../timers.ts";

function checked(options: any): { signal?: AbortSignal; ref: boolean } {
  if (options === null || typeof options !== "object") throw invalidArgType("options", "object", options);
  const { signal, ref = true } = options;
  validateAbortSignal(signal, "options.signal");
  validateBoolean(ref, "options.ref");
  return { signal, ref };
}

function wait<T>(options: any, begin: (done: () => void) => any, cancel: (timer: unknown) => void, value: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const { signal, ref } = checked(options);
    if (signal?.aborted) return reject(abortError(signal.reason));
    const onAbort = () => {
      cancel(timer);
      reject(abortError(signal!.reason));
    };
    const timer = begin(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve(value);
    });
    if (!ref) timer.unref();
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

export function setTimeout<T = void>(delay?: number, value?: T, options: unknown = {}): Promise<T> {
  if (delay !== undefined && typeof delay !== "number") {
    return Promise.reject(invalidArgType("delay", "number", delay));
  }
  return wait(options, (done) => timers.setTimeout(done, delay), timers.clearTimeout, value as T);
}

export function setImmediate<T = void>(value?: T, options: unknown = {}): Promise<T> {
  return wait(options, (done) => timers.setImmediate(done), timers.clearImmediate, value as T);
}

export async function* setInterval<T = void>(delay?: number, value?: T, options: unknown = {}): AsyncGenerator<T> {
  const { signal, ref } = checked(options);
  if (signal?.aborted) throw abortError(signal.reason);
  let due = 0;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  const timer = timers.setInterval(() => {
    due += 1;
    notify();
  }, delay);
  if (!ref) timer.unref();
  signal?.addEventListener("abort", notify, { once: true });
  try {
    for (;;) {
      if (signal?.aborted) throw abortError(signal.reason);
      if (due === 0) await new Promise<void>((resolve) => (wake = resolve));
      for (; due > 0; due -= 1) yield value as T;
    }
  } finally {
    timers.clearInterval(timer);
    signal?.removeEventListener("abort", notify);
  }
}

class Scheduler {
  /** Resolves after `delay` milliseconds. */
  wait(delay: number, options?: unknown): Promise<void> {
    return setTimeout(delay, undefined, options);
  }
  /** Lets other work run, then resolves. */
  yield(): Promise<void> {
    return setImmediate();
  }
}

export const scheduler = new Scheduler();

export default { setTimeout, setImmediate, setInterval, scheduler };
