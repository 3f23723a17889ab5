// Properties that are made when somebody reads them, and then are like any other.

const getters = new WeakSet<object>();

/** Marks the getter of such a property. */
export function markLate<T extends object>(getter: T): T {
  getters.add(getter);
  return getter;
}

/** Whether a getter only stands for a value that was not needed so far. */
export function isLate(getter: object): boolean {
  return getters.has(getter);
}
