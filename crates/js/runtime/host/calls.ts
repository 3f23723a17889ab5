// Functions of extensions that Rust holds by number, and how a call of one gets its result back.
import { ops } from "tau:ops";
import { markLate } from "../internal/late.ts";
import { apply, define, defineProperty, Error, Map, mapDelete, mapGet, mapSet, whenSettled } from "../internal/primordials.ts";
import { eventContext } from "./context.ts";
import { piOf } from "./generations.ts";

const kept = new Map<number, (...args: any[]) => any>();
let next = 0;

/** Keeps a function; Rust calls it by the number and says when it is not needed any more. */
export function keep(fn: (...args: any[]) => any): number {
  mapSet(kept, ++next, fn);
  return next;
}

/** The function of a number, while it is kept. */
export function keptFunction(id: number): ((...args: any[]) => any) | undefined {
  return mapGet(kept, id);
}

export function forget(id: number): void {
  mapDelete(kept, id);
}

/** Calls a kept function, of which nobody wants a result. */
export function hear(id: number, value: any): void {
  mapGet(kept, id)?.(value);
}

/** Calls a kept function and settles the call, now or when its promise does. */
export function invoke(call: number, id: number, args: any[]): void {
  const fn = mapGet(kept, id);
  if (!fn) return ops.callFailed(call, new Error("the function is gone"));
  let result: any;
  try {
    result = apply(fn, undefined, args);
  } catch (error) {
    return ops.callFailed(call, error);
  }
  ops.callSettles(call, result);
}

/** What handlers of an extension get beside the event. */
export function handlerContext(extension: number, call: number): any {
  return eventContext(piOf(extension), call);
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
  for (let index = 0; index < places.length; index++) latePart(object, places[index], get, replaced);
}

function latePart(object: any, place: string[], get: () => any, replaced?: () => void): void {
  const last = place.length - 1;
  let holder = object;
  for (let index = 0; index < last; index++) holder = holder[place[index]];
  const name = place[last];
  defineProperty(holder, name, {
    __proto__: null,
    enumerable: true,
    configurable: true,
    get: markLate(() => {
      const value = get();
      define(holder, name, value);
      return value;
    }),
    set(value: any) {
      replaced?.();
      define(holder, name, value);
    },
  } as any);
}

/** Runs `use` with the number of a token that is cancelled when `signal` fires; none when there is no signal. */
export function withToken<T>(signal: any, use: (token: number | undefined) => Promise<T>): Promise<T> {
  if (!signal) return use(undefined);
  const token = ops.tokenNew();
  const abort = () => ops.tokenCancel(token);
  const { addEventListener, removeEventListener } = signal;
  if (signal.aborted) abort();
  else apply(addEventListener, signal, ["abort", abort, { once: true }]);
  const done = () => {
    if (removeEventListener) apply(removeEventListener, signal, ["abort", abort]);
    ops.tokenDrop(token);
  };
  const result = use(token);
  whenSettled(result, done, done);
  return result;
}
