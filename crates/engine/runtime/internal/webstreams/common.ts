/** What all web streams share: the key of their inner state, sized queues, promises with their switches. */

import { codeTypeError, invalidArgValue, invalidThis } from "../errors.ts";
import { validateFunction } from "../validators.ts";

/** The inner state of a stream, reader, writer or controller. */
export const kState = Symbol("state");

/** Lets the module make objects whose constructors are not for scripts. */
export const kInternal = Symbol("internal");

/** A promise with its switches. */
export interface Deferred<T = any> {
  promise: Promise<T>;
  resolve: (value: T | PromiseLike<T>) => void;
  reject: (error: unknown) => void;
  pending: boolean;
}

export function deferred<T = any>(): Deferred<T> {
  const result = { pending: true } as Deferred<T>;
  result.promise = new Promise<T>((resolve, reject) => {
    result.resolve = (value) => {
      result.pending = false;
      resolve(value);
    };
    result.reject = (error) => {
      result.pending = false;
      reject(error);
    };
  });
  return result;
}

export function resolved<T>(value?: T): Deferred<T> {
  const result = deferred<T>();
  result.resolve(value as T);
  return result;
}

export function rejected(error: unknown): Deferred {
  const result = deferred();
  quiet(result.promise);
  result.reject(error);
  return result;
}

/** Rejections of this promise are never reported as unhandled. */
export function quiet(promise: Promise<any>): void {
  promise.then(undefined, nothing);
}

export function nothing(): void {}

/** Calls `fn` and gives a promise of its result, also when it throws. */
export function promised(fn: () => any): Promise<any> {
  try {
    return Promise.resolve(fn());
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Chunks with their sizes. */
export class SizedQueue {
  #items: { value: any; size: number }[] = [];
  #head = 0;
  total = 0;

  get isEmpty(): boolean {
    return this.#head === this.#items.length;
  }
  push(value: unknown, size: number): void {
    if (typeof size !== "number" || !(size >= 0) || size === Infinity) {
      throw invalidArgValue("size", size, "is invalid", RangeError);
    }
    this.#items.push({ value, size });
    this.total += size;
  }
  peek(): any {
    return this.#items[this.#head]!.value;
  }
  shift(): any {
    const { value, size } = this.#items[this.#head]!;
    this.#items[this.#head++] = undefined!;
    if (this.#head === this.#items.length) {
      this.#items = [];
      this.#head = 0;
    }
    this.total = Math.max(0, this.total - size);
    return value;
  }
  clear(): void {
    this.#items = [];
    this.#head = 0;
    this.total = 0;
  }
}

/** The high water mark that a strategy asks for. */
export function limitOf(strategy: any, fallback: number): number {
  const limit = strategy?.highWaterMark;
  if (limit === undefined) return fallback;
  const number = Number(limit);
  if (Number.isNaN(number) || number < 0) {
    throw invalidArgValue("strategy.highWaterMark", limit, "is invalid", RangeError);
  }
  return number;
}

/** The size function that a strategy asks for. */
export function sizeOf(strategy: any): (chunk: unknown) => number {
  const size = strategy?.size;
  if (size === undefined) return () => 1;
  validateFunction(size, "strategy.size");
  return (chunk) => size(chunk);
}

/** A method of the script's object as a function, or `undefined`. */
export function methodOf(object: any, name: string): ((...args: any[]) => any) | undefined {
  const method = object?.[name];
  if (method === undefined) return undefined;
  validateFunction(method, `${name}`);
  return (...args) => Reflect.apply(method, object, args);
}

export function illegalConstructor(key: unknown): void {
  if (key !== kInternal) throw codeTypeError("ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
}

/** The inner state of `object`, which must be a `name`. */
export function stateOf(object: any, Class: any, name: string): any {
  if (!(object instanceof Class) || !(object as any)[kState]) throw invalidThis(name);
  return (object as any)[kState];
}

export function invalidState(message: string): any {
  return codeTypeError("ERR_INVALID_STATE", `Invalid state: ${message}`);
}

export function tag(Class: any, name: string): void {
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

/** Strategies. */
export class CountQueuingStrategy {
  readonly highWaterMark: number;
  constructor(init: { highWaterMark: number }) {
    this.highWaterMark = Number(requireInit(init).highWaterMark);
  }
  get size(): (chunk?: unknown) => number {
    return countSize;
  }
}
tag(CountQueuingStrategy, "CountQueuingStrategy");

export class ByteLengthQueuingStrategy {
  readonly highWaterMark: number;
  constructor(init: { highWaterMark: number }) {
    this.highWaterMark = Number(requireInit(init).highWaterMark);
  }
  get size(): (chunk: unknown) => number {
    return byteSize;
  }
}
tag(ByteLengthQueuingStrategy, "ByteLengthQueuingStrategy");

function requireInit(init: any): any {
  if (init === null || typeof init !== "object" || init.highWaterMark === undefined) {
    throw codeTypeError("ERR_MISSING_OPTION", "options.highWaterMark is required");
  }
  return init;
}

const countSize = function size(): number {
  return 1;
};
const byteSize = function size(chunk: any): number {
  return chunk.byteLength;
};
