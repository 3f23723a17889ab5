/**
 * `node:async_hooks`: `AsyncLocalStorage` and `AsyncResource` over the engine's asynchronous context. Asynchronous
 * ids exist and are unique per resource; hooks can be created and enabled, but are never called.
 */

import { activate, enter, restore, snapshot as currentContext, type Context } from "../internal/async_context.ts";
import { codeError, invalidArgType } from "../internal/errors.ts";
import { validateFunction } from "../internal/validators.ts";

let lastId = 1;
let running: AsyncResource | undefined;
const topLevel = {};

function withStore(context: Context, storage: object, store: unknown): Context {
  const next = new Map(context ?? []);
  next.set(storage, store);
  return next;
}

/** Stores that follow the code that set them through promises, timers and callbacks. */
export class AsyncLocalStorage<T = any> {
  /** The name given at construction, for people who debug. */
  readonly name: string;
  #defaultValue: T | undefined;

  constructor(options: { defaultValue?: T; name?: string } = {}) {
    activate();
    this.#defaultValue = options.defaultValue;
    this.name = options.name ?? "";
  }

  static bind<F extends (...args: any[]) => any>(fn: F): F {
    return AsyncResource.bind(fn);
  }

  static snapshot(): (fn: (...args: any[]) => any, ...args: any[]) => any {
    const context = currentContext();
    return function runInAsyncScope(fn, ...args) {
      validateFunction(fn, "fn");
      return restore(context, fn, undefined, args);
    };
  }

  run<R>(store: T, callback: (...args: any[]) => R, ...args: any[]): R {
    return restore(withStore(currentContext(), this, store), callback, undefined, args);
  }

  exit<R>(callback: (...args: any[]) => R, ...args: any[]): R {
    const context = currentContext();
    if (!context?.has(this)) return callback.apply(undefined, args);
    const without = new Map(context);
    without.delete(this);
    return restore(without, callback, undefined, args);
  }

  enterWith(store: T): void {
    enter(withStore(currentContext(), this, store));
  }

  getStore(): T | undefined {
    const context = currentContext();
    return context?.has(this) ? (context.get(this) as T) : this.#defaultValue;
  }

  disable(): void {
    const context = currentContext();
    if (!context?.has(this)) return;
    const without = new Map(context);
    without.delete(this);
    enter(without);
  }
}

/** A place in the program's asynchronous structure that callbacks can be run in later. */
export class AsyncResource {
  #context = currentContext();
  #id = ++lastId;
  #triggerId: number;

  constructor(type: string, options: number | { triggerAsyncId?: number; requireManualDestroy?: boolean } = {}) {
    if (typeof type !== "string") throw invalidArgType("type", "string", type);
    const trigger = typeof options === "number" ? options : options?.triggerAsyncId;
    if (trigger !== undefined && !(Number.isSafeInteger(trigger) && trigger >= -1)) {
      throw codeError("ERR_INVALID_ASYNC_ID", `Invalid triggerAsyncId value: ${trigger}`, RangeError);
    }
    this.#triggerId = trigger ?? executionAsyncId();
  }

  static bind<F extends (...args: any[]) => any>(fn: F, type?: string, thisArg?: unknown): F {
    validateFunction(fn, "fn");
    return new AsyncResource(type || fn.name || "bound-anonymous-fn").bind(fn, thisArg);
  }

  runInAsyncScope<R>(fn: (...args: any[]) => R, thisArg?: unknown, ...args: any[]): R {
    const previous = running;
    running = this;
    try {
      return restore(this.#context, fn, thisArg, args);
    } finally {
      running = previous;
    }
  }

  bind<F extends (...args: any[]) => any>(fn: F, thisArg?: unknown): F {
    validateFunction(fn, "fn");
    const resource = this;
    const bound = function (this: any, ...args: any[]) {
      return resource.runInAsyncScope(fn, thisArg === undefined ? this : thisArg, ...args);
    };
    Object.defineProperty(bound, "length", { value: fn.length, configurable: true });
    return bound as F;
  }

  emitDestroy(): this {
    return this;
  }

  asyncId(): number {
    return this.#id;
  }

  triggerAsyncId(): number {
    return this.#triggerId;
  }
}

export function executionAsyncId(): number {
  return running ? running.asyncId() : 1;
}

export function triggerAsyncId(): number {
  return running ? running.triggerAsyncId() : 0;
}

export function executionAsyncResource(): object {
  return running ?? topLevel;
}

class AsyncHook {
  enable(): this {
    return this;
  }
  disable(): this {
    return this;
  }
}

export function createHook(callbacks: Record<string, unknown>): AsyncHook {
  for (const name of ["init", "before", "after", "destroy", "promiseResolve"]) {
    const callback = callbacks?.[name];
    if (callback !== undefined && typeof callback !== "function") {
      throw codeError("ERR_ASYNC_CALLBACK", `hook.${name} must be a function`, TypeError);
    }
  }
  return new AsyncHook();
}

/** The table of native providers is empty: no hook is ever called. */
export const asyncWrapProviders = Object.freeze(Object.create(null));

export default {
  AsyncLocalStorage,
  AsyncResource,
  asyncWrapProviders,
  createHook,
  executionAsyncId,
  executionAsyncResource,
  triggerAsyncId,
};
