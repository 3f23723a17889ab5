/** `process.env`: the engine's own environment, which its children inherit. */

import { ops } from "tau:ops";

function text(value: unknown): string {
  if (typeof value === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
  return String(value);
}

const base = {};

/** `process.env`. Names and values are always text. */
export const env: Record<string, string | undefined> = new Proxy(base, {
  get(_, key) {
    if (typeof key === "symbol") return (base as any)[key];
    return ops.envGet(key) ?? (base as any)[key];
  },
  set(_, key, value) {
    if (typeof key === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
    ops.envSet(key, text(value));
    return true;
  },
  has: (_, key) => (typeof key === "symbol" ? false : ops.envGet(key) !== undefined || key in base),
  deleteProperty(_, key) {
    if (typeof key === "string") ops.envDelete(key);
    return true;
  },
  ownKeys: () => ops.envKeys(),
  getOwnPropertyDescriptor(_, key) {
    const value = typeof key === "symbol" ? undefined : ops.envGet(key);
    return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
  },
  defineProperty(_, key, descriptor) {
    if (typeof key === "symbol" || !("value" in descriptor)) return false;
    ops.envSet(key, text(descriptor.value));
    return true;
  },
});
