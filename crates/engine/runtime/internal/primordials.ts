// The built-in functions as they are before any extension runs. Extensions share globals and may replace what they like,
// also by accident; what decides whether a tool runs must not pass through that. The modules that run when a gate is
// asked take from here alone; tests/it/untouchable.rs says which modules these are and what they may not use.
//
// The loader runs this module before anything else.

export const { apply } = Reflect;
export const { defineProperty, defineProperties, getOwnPropertyDescriptors, getPrototypeOf } = Object;
export const { isArray } = Array;
export const { isView } = ArrayBuffer;

const { defineProperty: defineQuietly } = Reflect;
const NativePromise = Promise;
const NativeMap = Map;
const NativeWeakMap = WeakMap;
const NativeWeakSet = WeakSet;
const NativeProxy = Proxy;
const NativeError = Error;
const NativeTypeError = TypeError;
const NativeString = String;
const NativeSymbol = Symbol;
export {
  NativeError as Error,
  NativeMap as Map,
  NativeProxy as Proxy,
  NativeString as String,
  NativeSymbol as Symbol,
  NativeTypeError as TypeError,
  NativeWeakMap as WeakMap,
  NativeWeakSet as WeakSet,
};

const bufferLength = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength")!.get!;
/** Whether a value is an `ArrayBuffer`. */
export function isBuffer(value: unknown): boolean {
  try {
    apply(bufferLength, value, []);
    return true;
  } catch {
    return false;
  }
}

const { get: mapGetter, set: mapSetter, has: mapHaver, delete: mapDeleter, clear: mapClearer } = Map.prototype;
const { add: weakAdder, has: weakHaver } = WeakSet.prototype;
const { get: weakMapGetter, has: weakMapHaver } = WeakMap.prototype;
export const { set: weakMapSetter } = WeakMap.prototype;
export const promisePrototype = Promise.prototype;
const { then: thener } = promisePrototype;

export const mapGet = <K, V>(map: Map<K, V>, key: K): V | undefined => apply(mapGetter, map, [key]);
export const mapSet = <K, V>(map: Map<K, V>, key: K, value: V): void => void apply(mapSetter, map, [key, value]);
export const mapHas = <K>(map: Map<K, any>, key: K): boolean => apply(mapHaver, map, [key]);
export const mapDelete = <K>(map: Map<K, any>, key: K): boolean => apply(mapDeleter, map, [key]);
export const mapClear = (map: Map<any, any>): void => void apply(mapClearer, map, []);
export const weakAdd = (set: WeakSet<any>, value: object): void => void apply(weakAdder, set, [value]);
export const weakHas = (set: WeakSet<any>, value: object): boolean => apply(weakHaver, set, [value]);
export const weakMapGet = <V>(map: WeakMap<any, V>, key: object): V | undefined => apply(weakMapGetter, map, [key]);
export const weakMapSet = <V>(map: WeakMap<any, V>, key: object, value: V): void =>
  void apply(weakMapSetter, map, [key, value]);
export const weakMapHas = (map: WeakMap<any, any>, key: object): boolean => apply(weakMapHaver, map, [key]);

/** Gives an object a plain property of its own, whatever its prototypes have under that name. */
export function define(object: unknown, name: string | symbol, value: unknown): void {
  defineProperty(object, name, { __proto__: null, enumerable: true, configurable: true, writable: true, value } as any);
}

/** As `define`; whether it could be done. */
export function definesQuietly(object: any, name: string | symbol, value: unknown): boolean {
  const descriptor = { __proto__: null, enumerable: true, configurable: true, writable: true, value };
  return defineQuietly(object, name, descriptor as any);
}

/** A new list of what `make` gives for each item. */
export function mapped<T, U>(list: ArrayLike<T>, make: (item: T) => U): U[] {
  const all: U[] = [];
  for (let index = 0; index < list.length; index++) define(all, index as any, make(list[index]));
  return all;
}

/**
 * A promise of the engine that is awaited as it is: `await` asks a promise for its `constructor`, and where somebody has
 * replaced that of all promises, for `then`.
 */
export function safe<T>(promise: T): T {
  const constructor = { __proto__: null, value: NativePromise, configurable: true, writable: true, enumerable: false };
  defineQuietly(promise as any, "constructor", constructor as any);
  return promise;
}

/** `promise.then(done, failed)` of a promise of the engine. What it gives belongs to nobody. */
export function whenSettled<T>(promise: Promise<T>, done: (value: T) => void, failed: (error: unknown) => void): void {
  apply(thener, safe(promise), [done, failed]);
}

/** A promise that is settled with `value`, or as `value` is when that is a promise. */
export const resolved = (value: unknown): Promise<any> => {
  const settled = new NativePromise((resolve) => resolve(value));
  return safe(settled);
};

/** `promise.then(done, failed)`, for whoever wants the promise that `then` makes. */
export const promiseThen = (promise: unknown, done: unknown, failed: unknown): any => apply(thener, promise, [done, failed]);

/**
 * A promise of what `make` makes of a value, or of what its promise comes to. Code behind `await` gets that and nothing
 * else, whatever became of promises.
 */
export function awaiting(value: unknown, make: (ok: boolean, value: unknown) => any): Promise<any> {
  const waits = value instanceof NativePromise ? value : resolved(value);
  return safe(apply(thener, safe(waits), [(value: unknown) => make(true, value), (error: unknown) => make(false, error)]));
}

/** Calls `job` when the running code has come to its end. */
export const enqueue = (job: () => void): void => void apply(thener, resolved(undefined), [job]);
