/** The asynchronous iterator behind `events.on`. */

import { abortError } from "./aborted.ts";

type Attach = (source: any, type: any, listener: any, options?: any) => () => void;

/**
 * Iterates over the argument lists of `name` events. Ends at one of `options.close` events, fails at `error` or when
 * the signal aborts. With `options.highWaterMark` the emitter is paused while that many events wait.
 */
export function iterateEvents(emitter: any, name: any, attach: Attach, options: any): AsyncIterableIterator<any[]> {
  const high = options.highWaterMark ?? options.highWatermark ?? Number.MAX_SAFE_INTEGER;
  const low = options.lowWaterMark ?? options.lowWatermark ?? 1;
  const signal: AbortSignal | undefined = options.signal;
  const ready: any[][] = [];
  const waiting: { resolve: (result: any) => void; reject: (error: unknown) => void }[] = [];
  let failure: { error: unknown } | undefined;
  let finished = false;
  let paused = false;

  const onEvent = (...args: any[]) => {
    const reader = waiting.shift();
    if (reader) {
      reader.resolve({ value: args, done: false });
      return;
    }
    ready.push(args);
    if (!paused && ready.length > high && typeof emitter.pause === "function") {
      paused = true;
      emitter.pause();
    }
  };
  const onError = (error: unknown) => {
    const reader = waiting.shift();
    if (reader) reader.reject(error);
    else failure = { error };
    close();
  };
  const close = () => {
    for (const step of undo.splice(0)) step();
    finished = true;
    for (const reader of waiting.splice(0)) reader.resolve({ value: undefined, done: true });
    return Promise.resolve({ value: undefined, done: true as const });
  };

  const undo = [attach(emitter, name, onEvent)];
  if (name !== "error" && typeof emitter.on === "function") undo.push(attach(emitter, "error", onError));
  for (const type of options.close ?? []) undo.push(attach(emitter, type, close));
  if (signal) undo.push(attach(signal, "abort", () => onError(abortError(signal.reason)), { once: true }));

  return {
    next() {
      const args = ready.shift();
      if (args) {
        if (paused && ready.length < low) {
          paused = false;
          emitter.resume();
        }
        return Promise.resolve({ value: args, done: false });
      }
      if (failure) {
        const { error } = failure;
        failure = undefined;
        return Promise.reject(error);
      }
      if (finished) return close();
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return: close,
    throw(error: unknown) {
      onError(error);
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  } as AsyncIterableIterator<any[]>;
}
