// Functions of extensions that Rust holds by number, and how a call of one gets its result back.
import { ops } from "tau:ops";
import { lateAccessor } from "../internal/late.ts";
import { apply, Error, Map, mapDelete, mapGet, mapSet, WeakMap, weakMapSet, whenSettled } from "../internal/primordials.ts";
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

/** A part of an event that is made when somebody looks at it; it may stand at several places. */
type Part = { make: () => any; replaced?: () => void; isMade: boolean; value: any };

/** The parts by their name and by the object that has them. */
const parts = new Map<string, WeakMap<object, Part>>();

function valueOf(part: Part): any {
  if (!part.isMade) {
    part.value = part.make();
    part.isMade = true;
  }
  return part.value;
}

/** The getter and the setter of all parts of a name. */
export function partAccessor(name: string): any[] {
  const known = new WeakMap<object, Part>();
  mapSet(parts, name, known);
  return lateAccessor(name, known, valueOf, (part) => part.replaced?.());
}

/** Notes what the properties of these names of these objects stand for. `replaced` is told when one gets another value. */
export function notePart(make: () => any, replaced: (() => void) | undefined, names: string[], objects: object[]): void {
  const part: Part = { make, replaced, isMade: false, value: undefined };
  for (let index = 0; index < names.length; index++) weakMapSet(mapGet(parts, names[index])!, objects[index], part);
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
