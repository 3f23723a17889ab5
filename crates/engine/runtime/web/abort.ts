/** The globals `AbortController` and `AbortSignal`. */

import { codeError, invalidArgType } from "../internal/errors.ts";
import { kListeners } from "../internal/symbols.ts";
import { validateUint32 } from "../internal/validators.ts";
import { setTimeout } from "../node/timers.ts";
import { DOMException } from "./dom_exception.ts";
import { defineHandler, Event, EventTarget } from "./event.ts";

const kCreate = Symbol("create");
let abortSignal: (signal: AbortSignal, reason: unknown) => void;

/** Combined signals with listeners: their sources hold them weakly, so this keeps them. */
const listenedTo = new Set<AbortSignal>();

export class AbortSignal extends EventTarget {
  #aborted = false;
  #reason: unknown;
  #sources: Set<AbortSignal> | undefined;
  #dependents: Set<WeakRef<AbortSignal>> | undefined;

  static {
    abortSignal = (signal, reason) => signal.#abort(reason);
  }

  constructor(key?: symbol) {
    if (key !== kCreate) throw codeError("ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor", TypeError);
    super();
  }

  static abort(reason?: unknown): AbortSignal {
    const signal = new AbortSignal(kCreate);
    signal.#aborted = true;
    signal.#reason = arguments.length === 0 || reason === undefined ? aborted() : reason;
    return signal;
  }

  static timeout(delay: number): AbortSignal {
    validateUint32(delay, "delay");
    const signal = new AbortSignal(kCreate);
    setTimeout(() => {
      signal.#abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    }, delay).unref();
    return signal;
  }

  static any(signals: Iterable<AbortSignal>): AbortSignal {
    if (signals === null || typeof signals !== "object" || typeof signals[Symbol.iterator] !== "function") {
      throw invalidArgType("signals", "Iterable", signals);
    }
    const list = [...signals];
    list.forEach((signal, index) => {
      if (!(signal instanceof AbortSignal)) throw invalidArgType(`signals[${index}]`, "AbortSignal", signal);
    });
    const result = new AbortSignal(kCreate);
    const first = list.find((signal) => signal.#aborted);
    if (first) {
      result.#aborted = true;
      result.#reason = first.#reason;
      return result;
    }
    result.#sources = new Set();
    const weak = new WeakRef(result);
    for (const signal of list) {
      // A combined signal stands for the signals it was made of.
      for (const source of signal.#sources ?? [signal]) {
        if (result.#sources.has(source)) continue;
        result.#sources.add(source);
        source.#dependents ??= new Set();
        for (const other of source.#dependents) {
          if (!other.deref()) source.#dependents.delete(other);
        }
        source.#dependents.add(weak);
      }
    }
    return result;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): any {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  override addEventListener(type: string, callback: unknown, options?: unknown): void {
    super.addEventListener(type, callback, options);
    this.#keepWhileHeard();
  }

  override removeEventListener(type: string, callback: unknown, options?: unknown): void {
    super.removeEventListener(type, callback, options);
    this.#keepWhileHeard();
  }

  #keepWhileHeard(): void {
    if (!this.#sources || this.#aborted) return;
    if (this[kListeners]("abort").length > 0) listenedTo.add(this);
    else listenedTo.delete(this);
  }

  #abort(reason: unknown): void {
    if (this.#aborted) return;
    const affected: AbortSignal[] = [this];
    for (const weak of this.#dependents ?? []) {
      const dependent = weak.deref();
      if (dependent && !dependent.#aborted) affected.push(dependent);
    }
    this.#dependents = undefined;
    // Every signal is marked before the first listener runs.
    for (const signal of affected) {
      signal.#aborted = true;
      signal.#reason = reason;
    }
    for (const signal of affected) {
      listenedTo.delete(signal);
      signal.#sources = undefined;
      signal.dispatchEvent(new Event("abort"));
    }
  }
}
defineHandler(AbortSignal.prototype, "abort");
Object.defineProperty(AbortSignal.prototype, Symbol.toStringTag, { value: "AbortSignal", configurable: true });

function aborted(): DOMException {
  return new DOMException("This operation was aborted", "AbortError");
}

export class AbortController {
  #signal = new AbortSignal(kCreate);

  get signal(): AbortSignal {
    return this.#signal;
  }

  abort(reason?: unknown): void {
    abortSignal(this.#signal, reason === undefined ? aborted() : reason);
  }
}
Object.defineProperty(AbortController.prototype, Symbol.toStringTag, { value: "AbortController", configurable: true });

/** A signal and the function that aborts it, for modules that hand out signals. */
export function createSignal(): { signal: AbortSignal; abort: (reason?: unknown) => void } {
  const signal = new AbortSignal(kCreate);
  return { signal, abort: (reason) => abortSignal(signal, reason === undefined ? aborted() : reason) };
}
