/**
 * `node:timers` over the engine's timer ops. Every callback is its own call from the engine, so an error in one
 * never stops another.
 */

import { ops } from "tau:ops";
import { capture, enqueueJob, isActive, restore, wrap, type Context } from "../internal/async_context.ts";
import { apply, Map, mapDelete, mapGet, mapSet } from "../internal/primordials.ts";
import { kInspect, kPromisify } from "../internal/symbols.ts";
import { validateFunction } from "../internal/validators.ts";
import promises from "./timers/promises.ts";

const LONGEST = 2 ** 31 - 1;

const pending = new Map<number, Timeout | Immediate>();
let lastId = 0;
let registered = false;

function keep(entry: Timeout | Immediate, id: number): void {
  if (!registered) {
    registered = true;
    ops.timerHandler(fire);
  }
  mapSet(pending, id, entry);
}

function start(entry: Timeout, id: number, ms: number, repeat: boolean): void {
  keep(entry, id);
  ops.timerStart(id, ms, repeat);
}

function stop(id: number): void {
  if (mapDelete(pending, id)) ops.timerCancel(id);
}

function fire(id: number): void {
  const entry = mapGet(pending, id);
  if (!entry) return;
  if (entry._repeat === null) mapDelete(pending, id);
  if (isActive()) restore(entry._context, entry._onTimeout, entry, entry._timerArgs);
  else apply(entry._onTimeout, entry, entry._timerArgs);
}

/** What `setTimeout` and `setInterval` return. */
export class Timeout {
  _onTimeout: (...args: any[]) => void;
  _timerArgs: any[];
  _idleTimeout: number;
  _repeat: number | null;
  _destroyed = false;
  _context: Context = capture();
  #id = ++lastId;
  #ref = true;

  constructor(callback: (...args: any[]) => void, after: unknown, args: any[], repeat: boolean) {
    let ms = Number(after);
    if (!(ms >= 1 && ms <= LONGEST)) ms = 1;
    ms = Math.trunc(ms);
    this._onTimeout = callback;
    this._timerArgs = args;
    this._idleTimeout = ms;
    this._repeat = repeat ? ms : null;
    start(this, this.#id, ms, repeat);
  }

  /** Whether the timer keeps a program without other work alive. */
  hasRef(): boolean {
    return this.#ref;
  }

  ref(): this {
    this.#ref = true;
    return this;
  }

  unref(): this {
    this.#ref = false;
    return this;
  }

  /** Starts the waiting time again, also after the callback ran. */
  refresh(): this {
    if (this._destroyed) return this;
    stop(this.#id);
    start(this, this.#id, this._idleTimeout, this._repeat !== null);
    return this;
  }

  close(): this {
    this._destroyed = true;
    stop(this.#id);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.#id;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  [kInspect](): string {
    return `Timeout { _idleTimeout: ${this._idleTimeout}, _repeat: ${this._repeat}, _destroyed: ${this._destroyed} }`;
  }
}

/** What `setImmediate` returns. */
export class Immediate {
  _onTimeout: (...args: any[]) => void;
  _timerArgs: any[];
  _repeat = null;
  _context: Context = capture();
  #id = ++lastId;
  #ref = true;

  constructor(callback: (...args: any[]) => void, args: any[]) {
    this._onTimeout = callback;
    this._timerArgs = args;
    keep(this, this.#id);
    ops.immediateStart(this.#id);
  }

  hasRef(): boolean {
    return this.#ref;
  }

  ref(): this {
    this.#ref = true;
    return this;
  }

  unref(): this {
    this.#ref = false;
    return this;
  }

  close(): void {
    if (mapDelete(pending, this.#id)) ops.immediateCancel(this.#id);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

export function setTimeout(callback: (...args: any[]) => void, after?: number, ...args: any[]): Timeout {
  validateFunction(callback, "callback");
  return new Timeout(callback, after, args, false);
}

export function setInterval(callback: (...args: any[]) => void, repeat?: number, ...args: any[]): Timeout {
  validateFunction(callback, "callback");
  return new Timeout(callback, repeat, args, true);
}

export function setImmediate(callback: (...args: any[]) => void, ...args: any[]): Immediate {
  validateFunction(callback, "callback");
  return new Immediate(callback, args);
}

export function clearTimeout(timer?: unknown): void {
  if (timer instanceof Timeout) {
    timer.close();
  } else if (typeof timer === "number" || typeof timer === "string") {
    const entry = mapGet(pending, Number(timer));
    if (entry instanceof Timeout) entry.close();
  }
}

export function clearInterval(timer?: unknown): void {
  clearTimeout(timer);
}

export function clearImmediate(immediate?: unknown): void {
  if (immediate instanceof Immediate) immediate.close();
}

export function queueMicrotask(callback: () => void): void {
  validateFunction(callback, "callback");
  enqueueJob(wrap(callback));
}

function promisified(target: unknown, name: "setTimeout" | "setImmediate"): void {
  Object.defineProperty(target, kPromisify, { get: () => promises[name], configurable: true });
}
promisified(setTimeout, "setTimeout");
promisified(setImmediate, "setImmediate");

export { promises };

const api = {
  setTimeout,
  clearTimeout,
  setImmediate,
  clearImmediate,
  setInterval,
  clearInterval,
};
// A getter, because the two modules import each other.
Object.defineProperty(api, "promises", { get: () => promises, enumerable: true, configurable: true });

export default api;
