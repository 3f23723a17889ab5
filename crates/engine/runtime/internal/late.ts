// Properties that are made when somebody reads them, and then are like any other.
//
// All objects that have one of a name share its getter and setter: functions of its own for each object would cost more than
// the object, and tie it into a circle that only a search for garbage can end. So what is behind one is known by the object.
import { ops } from "tau:ops";
import {
  define,
  definesQuietly,
  getPrototypeOf,
  weakAdd,
  weakHas,
  WeakMap,
  weakMapGet,
  weakMapHas,
  weakMapSet,
  WeakSet,
} from "./primordials.ts";

const getters = new WeakSet<object>();

/** Whether a getter only stands for a value that was not needed so far. */
export function isLate(getter: object): boolean {
  return weakHas(getters, getter);
}

const fillers = new WeakMap<object, () => void>();

/** Makes what a list stands for that is behind a proxy: for those who look there. */
export function fillLate(target: object): void {
  weakMapGet(fillers, target)?.();
}

/** How such a list is made. */
export function noteLate(target: object, fill: () => void): void {
  weakMapSet(fillers, target, fill);
}

/** What is behind a proxy. */
function target(object: unknown): object | undefined {
  return ops.proxyDetails(object)?.[0] ?? undefined;
}

/** The object that `receiver` stands for, of those that something is known of: itself, what is behind a proxy, or what it
 * inherits from. No code of a program runs. */
function standsFor(known: WeakMap<object, any>, receiver: unknown): any {
  for (let at = receiver; at; at = target(at) ?? getPrototypeOf(at)) {
    if (weakMapHas(known, at)) return at;
  }
  return undefined;
}

/**
 * Getter and setter of a property. `make` gives its value from what is `known` of an object; `replaced` hears that somebody
 * puts something else there.
 */
export function lateAccessor<T>(
  name: string,
  known: WeakMap<object, T>,
  make: (found: T) => any,
  replaced?: (found: T) => void,
): any[] {
  // Of frozen objects.
  const kept = new WeakMap<object, { value: any }>();
  const get = function (this: any) {
    const object = standsFor(known, this);
    if (object === undefined) return undefined;
    const before = weakMapGet(kept, object);
    if (before) return before.value;
    const value = make(weakMapGet(known, object)!);
    if (!definesQuietly(object, name, value)) weakMapSet(kept, object, { value });
    return value;
  };
  const set = function (this: any, value: unknown) {
    const object = weakMapHas(known, this) ? this : target(this);
    const found = weakMapGet(known, object);
    if (found !== undefined) replaced?.(found);
    define(this, name, value);
  };
  weakAdd(getters, get);
  return [get, set];
}
