// Functions of extensions that Rust holds by number, and how a call of one gets its result back.
import { ops } from "tau:ops";
import { lateAccessor } from "../internal/late.ts";
import { apply, Error, Map, mapDelete, mapGet, mapSet, WeakMap, weakMapSetter, whenSettled } from "../internal/primordials.ts";
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

/** A part of an event that is made when somebody looks at it; it may stand at several places. It has no prototype. */
type Part = { make?: () => any; replaced?: () => void; value?: any };

function valueOf(part: Part): any {
  const { make } = part;
  if (make) {
    part.value = make();
    part.make = undefined;
  }
  return part.value;
}

/**
 * The getter and the setter of all parts of a name, what is known of the objects that have one, and the function that adds
 * to it: Rust notes the parts, which costs less than a call of a function that is written here.
 */
export function partAccessor(name: string): any[] {
  const known = new WeakMap<object, Part>();
  const both = lateAccessor(name, known, valueOf, (part) => part.replaced?.());
  return [both[0], both[1], known, weakMapSetter];
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
