// Properties that are made when somebody reads them, and then are like any other.

import { weakAdd, weakHas, WeakSet } from "./primordials.ts";

const getters = new WeakSet<object>();

/** Marks the getter of such a property. */
export function markLate<T extends object>(getter: T): T {
  weakAdd(getters, getter);
  return getter;
}

/** Whether a getter only stands for a value that was not needed so far. */
export function isLate(getter: object): boolean {
  return weakHas(getters, getter);
}
