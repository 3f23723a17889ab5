// Functions of extensions that Rust holds by number, and how a call of one gets its result back.
import { ops } from "tau:ops";
import { markLate } from "../internal/late.ts";
import { eventContext } from "./context.ts";
import { piOf } from "./generations.ts";

const kept = new Map<number, (...args: any[]) => any>();
let next = 0;

/** Keeps a function; Rust calls it by the number and says when it is not needed any more. */
export function keep(fn: (...args: any[]) => any): number {
  kept.set(++next, fn);
  return next;
}

/** The function of a number, while it is kept. */
export function keptFunction(id: number): ((...args: any[]) => any) | undefined {
  return kept.get(id);
}

export function forget(id: number): void {
  kept.delete(id);
}

/** Calls a kept function and settles the call, now or when its promise does. */
export function invoke(call: number, id: number, args: any[]): void {
  const fn = kept.get(id);
  if (!fn) return ops.callFailed(call, new Error("the function is gone"));
  let result: any;
  try {
    result = fn(...args);
  } catch (error) {
    return ops.callFailed(call, error);
  }
  settle(call, result);
}

/** Settles a call with a value or with what its promise comes to. */
export function settle(call: number, result: any): void {
  if (result === undefined || result === null) return ops.callDone(call, result);
  let then: any;
  try {
    then = typeof result === "object" || typeof result === "function" ? result.then : undefined;
  } catch (error) {
    return ops.callFailed(call, error);
  }
  if (typeof then !== "function") return ops.callDone(call, result);
  Promise.resolve(result).then(
    (value) => ops.callDone(call, value),
    (error) => ops.callFailed(call, error),
  );
}

/** What handlers of an extension get beside the event. */
export function handlerContext(extension: number, call: number): any {
  return eventContext(piOf(extension), call);
}

/**
 * Waits for what a handler answered, or until what it left to do is done; then Rust goes on with the handlers behind it.
 */
export function awaitHandler(call: number, answer: unknown): void {
  const failed = (error: unknown) => ops.callFailed(call, error);
  const went = (value: unknown) => {
    try {
      ops.handlersGoOn(call, value);
    } catch (error) {
      failed(error);
    }
  };
  Promise.resolve(answer).then(went, failed);
}

/**
 * Makes a part of an object when somebody looks at it; it stands at several places. `replaced` is told when somebody puts
 * something else there.
 */
export function lateParts(object: any, places: string[][], make: () => any, replaced?: () => void): void {
  let made = false;
  let part: any;
  const get = () => {
    if (!made) {
      part = make();
      made = true;
    }
    return part;
  };
  for (const place of places) {
    let holder = object;
    for (const name of place.slice(0, -1)) holder = holder[name];
    const name = place[place.length - 1];
    const settle = (value: any) =>
      Object.defineProperty(holder, name, { enumerable: true, configurable: true, writable: true, value });
    Object.defineProperty(holder, name, {
      enumerable: true,
      configurable: true,
      get: markLate(() => {
        const value = get();
        settle(value);
        return value;
      }),
      set(value: any) {
        replaced?.();
        settle(value);
      },
    });
  }
}

/** A signal and the function that fires it. */
export function makeSignal(aborted: boolean): [AbortSignal, () => void] {
  const controller = new AbortController();
  if (aborted) controller.abort();
  return [controller.signal, () => controller.abort()];
}

/** Runs `use` with the number of a token that is cancelled when `signal` fires; none when there is no signal. */
export function withToken<T>(signal: any, use: (token: number | undefined) => Promise<T>): Promise<T> {
  if (!signal) return use(undefined);
  const token = ops.tokenNew();
  const abort = () => ops.tokenCancel(token);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  const done = () => {
    signal.removeEventListener?.("abort", abort);
    ops.tokenDrop(token);
  };
  const result = use(token);
  result.then(done, done);
  return result;
}
