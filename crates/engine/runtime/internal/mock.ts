/** `mock` of `node:test`: functions and methods that record their calls. */

import { codeError, invalidArgType, invalidArgValue } from "./errors.ts";
import { validateFunction, validateInteger } from "./validators.ts";

interface Call {
  arguments: any[];
  error: any;
  result: any;
  stack: Error;
  target: any;
  this: any;
}

class MockFunctionContext {
  #calls: Call[] = [];
  #implementation: any;
  #original: any;
  #once = new Map<number, any>();
  #restore: () => void;
  #times: number;

  constructor(implementation: unknown, original: unknown, times: number, restore: () => void) {
    this.#implementation = implementation;
    this.#original = original;
    this.#times = times;
    this.#restore = restore;
  }

  get calls(): readonly Call[] {
    return this.#calls.slice();
  }

  callCount(): number {
    return this.#calls.length;
  }

  mockImplementation(implementation: unknown): void {
    validateFunction(implementation, "implementation");
    this.#implementation = implementation;
  }

  mockImplementationOnce(implementation: unknown, onCall?: number): void {
    validateFunction(implementation, "implementation");
    const call = onCall ?? this.#calls.length;
    validateInteger(call, "onCall", this.#calls.length);
    this.#once.set(call, implementation);
  }

  resetCalls(): void {
    this.#calls = [];
  }

  restore(): void {
    this.#implementation = this.#original;
    this.#restore();
  }

  /** Runs one call and records it. */
  run(self: unknown, args: any[], newTarget: any): any {
    const index = this.#calls.length;
    const implementation = this.#once.get(index) ?? this.#implementation;
    this.#once.delete(index);
    if (index + 1 === this.#times) this.restore();
    const stack = new Error();
    const call: Call = { arguments: args, error: undefined, result: undefined, stack, target: newTarget, this: self };
    try {
      if (newTarget === undefined) {
        call.result = Reflect.apply(implementation, self, args);
      } else {
        call.result = Reflect.construct(implementation, args, newTarget);
        call.this = call.result;
      }
      return call.result;
    } catch (error) {
      call.error = error;
      throw error;
    } finally {
      this.#calls.push(call);
    }
  }
}

function mocked(original: any, context: MockFunctionContext): any {
  const proxy: any = new Proxy(original, {
    apply: (_target, self, args) => context.run(self, args, undefined),
    construct: (_target, args, newTarget) => context.run(undefined, args, newTarget === proxy ? original : newTarget),
    get: (target, key, receiver) => (key === "mock" ? context : Reflect.get(target, key, receiver)),
  });
  return proxy;
}

const isOptions = (value: unknown): boolean => value !== null && typeof value === "object";

function timesOf(options: any): number {
  const times = options?.times ?? Infinity;
  if (times !== Infinity) validateInteger(times, "options.times", 1);
  return times;
}

export class MockTracker {
  #contexts: MockFunctionContext[] = [];

  #track(context: MockFunctionContext): MockFunctionContext {
    this.#contexts.push(context);
    return context;
  }

  fn(original?: unknown, implementation?: unknown, options?: any): any {
    if (isOptions(original)) [original, options] = [undefined, original];
    else if (isOptions(implementation)) [implementation, options] = [undefined, implementation];
    original ??= function () {};
    implementation ??= original;
    validateFunction(original, "original");
    validateFunction(implementation, "implementation");
    return mocked(original, this.#track(new MockFunctionContext(implementation, original, timesOf(options), () => {})));
  }

  method(object: any, name: PropertyKey, implementation?: unknown, options?: any): any {
    if (isOptions(implementation)) [implementation, options] = [undefined, implementation];
    if (object === null || (typeof object !== "object" && typeof object !== "function")) {
      throw invalidArgType("objectOrFunction", ["object", "function"], object);
    }
    let owner = object;
    let descriptor: PropertyDescriptor | undefined;
    while (owner && !(descriptor = Object.getOwnPropertyDescriptor(owner, name))) owner = Object.getPrototypeOf(owner);
    const slot = options?.getter ? "get" : options?.setter ? "set" : "value";
    const original = descriptor?.[slot];
    if (typeof original !== "function") throw invalidArgValue("methodName", original, "must be a method");
    const restore = () => {
      if (owner === object) Object.defineProperty(object, name, descriptor!);
      else delete object[name];
    };
    const context = this.#track(new MockFunctionContext(implementation ?? original, original, timesOf(options), restore));
    const mock = mocked(original, context);
    Object.defineProperty(object, name, { ...descriptor, configurable: true, [slot]: mock });
    return mock;
  }

  getter(object: any, name: PropertyKey, implementation?: any, options?: any): any {
    if (isOptions(implementation)) [implementation, options] = [undefined, implementation];
    return this.method(object, name, implementation, { ...options, getter: true });
  }

  setter(object: any, name: PropertyKey, implementation?: any, options?: any): any {
    if (isOptions(implementation)) [implementation, options] = [undefined, implementation];
    return this.method(object, name, implementation, { ...options, setter: true });
  }

  /** Puts everything back and forgets the mocks. */
  reset(): void {
    this.restoreAll();
    this.#contexts = [];
  }

  restoreAll(): void {
    for (const context of this.#contexts) context.restore();
  }

  get timers(): never {
    throw codeError("ERR_METHOD_NOT_IMPLEMENTED", "mock.timers is not available in tau");
  }
}
