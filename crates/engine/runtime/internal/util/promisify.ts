// Callbacks to promises and back.
import { codeError, invalidArgType } from "../errors.ts";

/** Under this name a function keeps its own promise form. */
export const promisifyCustom = Symbol.for("nodejs.util.promisify.custom");
/** Under this name a function lists names for callbacks with several values (`["stdout", "stderr"]`). */
export const promisifyArgs = Symbol("customPromisifyArgs");

/** `util.promisify`. */
export function promisify(original: any): any {
  if (typeof original !== "function") throw invalidArgType("original", "function", original);
  const own = original[promisifyCustom];
  if (own) {
    if (typeof own !== "function") throw invalidArgType("util.promisify.custom", "Function", own);
    return Object.defineProperty(own, promisifyCustom, { value: own, enumerable: false, writable: false, configurable: true });
  }
  const names: string[] | undefined = original[promisifyArgs];
  function promised(this: unknown, ...args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      Reflect.apply(original, this, [
        ...args,
        (error: unknown, ...values: unknown[]) => {
          if (error) reject(error);
          else if (names !== undefined && values.length > 1) {
            resolve(Object.fromEntries(names.map((name, i) => [name, values[i]])));
          } else resolve(values[0]);
        },
      ]);
    });
  }
  Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
  Object.defineProperty(promised, promisifyCustom, { value: promised, configurable: true });
  const properties: any = Object.getOwnPropertyDescriptors(original);
  for (const key of Reflect.ownKeys(properties)) {
    // Only what can be set again.
    const { value, ...rest } = properties[key];
    try {
      Object.defineProperty(promised, key, "value" in properties[key] ? { value, ...rest } : properties[key]);
    } catch {
      // `prototype` of this function cannot be replaced by a getter and the like.
    }
  }
  return promised;
}
promisify.custom = promisifyCustom;

/** `util.callbackify`. */
export function callbackify(original: any): any {
  if (typeof original !== "function") throw invalidArgType("original", "function", original);
  function callbackified(this: unknown, ...args: any[]): void {
    const callback = args.pop();
    if (typeof callback !== "function") throw invalidArgType("last argument", "Function", callback);
    const later = (...values: unknown[]): void => globalThis.process.nextTick(() => Reflect.apply(callback, this, values));
    (Reflect.apply(original, this, args) as Promise<unknown>).then(
      (value: unknown) => later(null, value),
      (reason: unknown) => {
        if (reason) return later(reason);
        const error = codeError("ERR_FALSY_VALUE_REJECTION", "Promise was rejected with falsy value");
        error.reason = reason;
        later(error);
      },
    );
  }
  const properties: any = Object.getOwnPropertyDescriptors(original);
  if (typeof properties.length?.value === "number") properties.length.value++;
  if (typeof properties.name?.value === "string") properties.name.value += "Callbackified";
  delete properties.prototype;
  return Object.defineProperties(callbackified, properties);
}
