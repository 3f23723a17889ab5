// Functions of extensions that Rust holds by number, and how a call of one gets its result back.
import { ops } from "tau:ops";
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
  handlers.delete(id);
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

const handlers = new Map<number, (event: any, ctx: any) => any>();
let handling = false;

/** Whether this very stretch of code is a handler of an event, for which the session waits. */
export function isHandling(): boolean {
  return handling;
}

/** Keeps a handler of events. */
export function keepHandler(fn: (event: any, ctx: any) => any): number {
  handlers.set(++next, fn);
  return next;
}

const FUNCTIONS = 2 ** 32;

/**
 * Calls handlers with one event object, each when the one before is done, for as long as they say nothing. After each,
 * Rust looks at what it said and names the next, and when all are done, the next event.
 */
export function runHandlers(call: number, event: any, extension: number, id: number): void {
  let owner = 0;
  let ctx: any;
  const failed = (error: unknown) => ops.callFailed(call, error);
  /** Takes in what a handler said; whether there is another one to call. */
  const goOn = (value: unknown): boolean => {
    let place = ops.handlerNext(call, value);
    if (place === 0) return false;
    if (place < 0) {
      place = -place;
      event = ops.handlerEvent(call);
    }
    extension = Math.floor(place / FUNCTIONS);
    id = place % FUNCTIONS;
    return true;
  };
  const went = (value: unknown) => {
    try {
      if (goOn(value)) run();
    } catch (error) {
      failed(error);
    }
  };
  const run = () => {
    for (;;) {
      let result: any;
      const handler = handlers.get(id);
      // Only a handler that was taken back (0) says nothing by not being there: a gate must not open for want of one.
      if (handler === undefined && id !== 0) throw new Error("the handler is gone");
      if (handler !== undefined) {
        if (extension !== owner) {
          owner = extension;
          ctx = eventContext(piOf(extension), call);
        }
        const before = handling;
        handling = true;
        try {
          result = handler(event, ctx);
        } finally {
          handling = before;
        }
        if (isThenable(result)) {
          Promise.resolve(result).then(went, failed);
          return;
        }
      }
      if (!goOn(result)) return;
    }
  };
  try {
    run();
  } catch (error) {
    failed(error);
  }
}

function isThenable(value: any): boolean {
  return value !== null && (typeof value === "object" || typeof value === "function") && typeof value.then === "function";
}

/** Makes a part of an object when somebody looks at it; it stands at several places. */
export function lateParts(object: any, places: string[][], make: () => any): void {
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
      get() {
        const value = get();
        settle(value);
        return value;
      },
      set: settle,
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
