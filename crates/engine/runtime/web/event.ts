/** The globals `Event`, `EventTarget`, `CustomEvent`, `ErrorEvent`, `MessageEvent` and `CloseEvent`. */

import { ops } from "tau:ops";
import { codeError, invalidArgType, missingArgs } from "../internal/errors.ts";
import { kListeners, kMaxListeners } from "../internal/symbols.ts";
import { reportUncaught } from "../internal/tick.ts";

/** What dispatch changes on an event; kept apart so that scripts cannot. */
interface Progress {
  target: any;
  currentTarget: any;
  dispatching: boolean;
  stopped: boolean;
  stoppedNow: boolean;
  canceled: boolean;
  passive: boolean;
}

export interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
  composed?: boolean;
}

let progressOf: (event: Event) => Progress;

export class Event {
  static readonly NONE = 0;
  static readonly CAPTURING_PHASE = 1;
  static readonly AT_TARGET = 2;
  static readonly BUBBLING_PHASE = 3;
  readonly NONE = 0;
  readonly CAPTURING_PHASE = 1;
  readonly AT_TARGET = 2;
  readonly BUBBLING_PHASE = 3;

  #type: string;
  #bubbles: boolean;
  #cancelable: boolean;
  #composed: boolean;
  #timeStamp: number = ops.now();
  #progress: Progress = {
    target: null,
    currentTarget: null,
    dispatching: false,
    stopped: false,
    stoppedNow: false,
    canceled: false,
    passive: false,
  };

  static {
    progressOf = (event) => event.#progress;
  }

  constructor(type: string, init?: EventInit | null) {
    if (arguments.length === 0) throw missingArgs("type");
    if (init !== undefined && init !== null && typeof init !== "object" && typeof init !== "function") {
      throw invalidArgType("options", "object", init);
    }
    this.#type = `${type}`;
    this.#bubbles = Boolean(init?.bubbles);
    this.#cancelable = Boolean(init?.cancelable);
    this.#composed = Boolean(init?.composed);
  }

  get type(): string {
    return this.#type;
  }
  get target(): any {
    return this.#progress.target;
  }
  get srcElement(): any {
    return this.#progress.target;
  }
  get currentTarget(): any {
    return this.#progress.currentTarget;
  }
  get eventPhase(): number {
    return this.#progress.dispatching ? Event.AT_TARGET : Event.NONE;
  }
  get bubbles(): boolean {
    return this.#bubbles;
  }
  get cancelable(): boolean {
    return this.#cancelable;
  }
  get composed(): boolean {
    return this.#composed;
  }
  get defaultPrevented(): boolean {
    return this.#progress.canceled;
  }
  get returnValue(): boolean {
    return !this.#progress.canceled;
  }
  set returnValue(value: boolean) {
    if (!value) this.preventDefault();
  }
  get cancelBubble(): boolean {
    return this.#progress.stopped;
  }
  set cancelBubble(value: boolean) {
    if (value) this.stopPropagation();
  }
  get timeStamp(): number {
    return this.#timeStamp;
  }
  get isTrusted(): boolean {
    return false;
  }

  composedPath(): any[] {
    return this.#progress.dispatching ? [this.#progress.currentTarget] : [];
  }
  preventDefault(): void {
    if (this.#cancelable && !this.#progress.passive) this.#progress.canceled = true;
  }
  stopPropagation(): void {
    this.#progress.stopped = true;
  }
  stopImmediatePropagation(): void {
    this.#progress.stopped = true;
    this.#progress.stoppedNow = true;
  }
  initEvent(type: string, bubbles = false, cancelable = false): void {
    if (this.#progress.dispatching) return;
    this.#type = `${type}`;
    this.#bubbles = Boolean(bubbles);
    this.#cancelable = Boolean(cancelable);
  }
}
tag(Event, "Event");

interface Listener {
  callback: any;
  capture: boolean;
  once: boolean;
  passive: boolean;
  removed: boolean;
  stopSignal?: () => void;
}

export class EventTarget {
  #listeners: Map<string, Listener[]> | undefined;
  /** The limit that `events.setMaxListeners` sets. */
  declare [kMaxListeners]: number | undefined;

  addEventListener(type: string, callback: any, options?: any): void {
    if (arguments.length < 2) throw missingArgs("type", "listener");
    const capture = typeof options === "boolean" ? options : Boolean(options?.capture);
    const signal = options?.signal;
    if (signal !== undefined && (signal === null || typeof signal.addEventListener !== "function")) {
      throw invalidArgType("options.signal", "AbortSignal", signal);
    }
    if (callback === null || callback === undefined) return;
    if (typeof callback !== "function" && typeof callback !== "object") {
      throw invalidArgType("listener", "EventListener", callback);
    }
    if (signal?.aborted) return;
    const key = `${type}`;
    this.#listeners ??= new Map();
    let list = this.#listeners.get(key);
    if (!list) this.#listeners.set(key, (list = []));
    if (list.some((item) => item.callback === callback && item.capture === capture)) return;
    const listener: Listener = {
      callback,
      capture,
      once: Boolean(options?.once),
      passive: Boolean(options?.passive),
      removed: false,
    };
    if (signal) {
      const onAbort = () => this.removeEventListener(key, callback, { capture });
      signal.addEventListener("abort", onAbort, { once: true });
      listener.stopSignal = () => signal.removeEventListener("abort", onAbort);
    }
    list.push(listener);
  }

  removeEventListener(type: string, callback: any, options?: any): void {
    const capture = typeof options === "boolean" ? options : Boolean(options?.capture);
    const list = this.#listeners?.get(`${type}`);
    const found = list?.find((item) => item.callback === callback && item.capture === capture);
    if (found) this.#remove(`${type}`, found);
  }

  #remove(type: string, listener: Listener): void {
    const list = this.#listeners?.get(type);
    if (!list) return;
    listener.removed = true;
    listener.stopSignal?.();
    const rest = list.filter((item) => item !== listener);
    if (rest.length) this.#listeners!.set(type, rest);
    else this.#listeners!.delete(type);
  }

  dispatchEvent(event: Event): boolean {
    if (!(event instanceof Event)) throw invalidArgType("event", "Event", event);
    const progress = progressOf(event);
    if (progress.dispatching) {
      throw codeError("ERR_EVENT_RECURSION", `The event "${event.type}" is already being dispatched`);
    }
    progress.target = progress.currentTarget = this;
    progress.dispatching = true;
    try {
      for (const listener of this.#listeners?.get(event.type)?.slice() ?? []) {
        if (listener.removed) continue;
        if (listener.once) this.#remove(event.type, listener);
        progress.passive = listener.passive;
        call(listener.callback, this, event);
        progress.passive = false;
        if (progress.stoppedNow) break;
      }
    } finally {
      progress.dispatching = false;
      progress.stopped = progress.stoppedNow = false;
    }
    return !progress.canceled;
  }

  [kListeners](type: string): any[] {
    return (this.#listeners?.get(`${type}`) ?? []).map((item) => item.callback.original ?? item.callback);
  }
}
tag(EventTarget, "EventTarget");

function call(callback: any, target: EventTarget, event: Event): void {
  try {
    if (typeof callback === "function") {
      const result = callback.call(target, event);
      if (typeof result?.then === "function") result.then(undefined, reportUncaught);
    } else {
      callback.handleEvent?.(event);
    }
  } catch (error) {
    reportUncaught(error);
  }
}

/** Gives `prototype` an `on<type>` property whose function takes part in dispatch. */
export function defineHandler(prototype: any, type: string, changed?: (target: any, set: boolean) => void): void {
  const handlers = new WeakMap<object, { fn: any; listener: any }>();
  Object.defineProperty(prototype, `on${type}`, {
    configurable: true,
    enumerable: true,
    get(this: any) {
      return handlers.get(this)?.fn ?? null;
    },
    set(this: any, fn: any) {
      const usable = typeof fn === "function" || (fn !== null && typeof fn === "object");
      const entry = handlers.get(this);
      if (entry) {
        if (usable) entry.fn = fn;
        else {
          this.removeEventListener(type, entry.listener);
          handlers.delete(this);
        }
      } else if (usable) {
        const created: any = { fn };
        created.listener = function (this: any, event: Event) {
          if (typeof created.fn === "function" && created.fn.call(this, event) === false) event.preventDefault();
        };
        handlers.set(this, created);
        this.addEventListener(type, created.listener);
      }
      changed?.(this, usable);
    },
  });
}

function tag(target: any, name: string): void {
  Object.defineProperty(target.prototype, Symbol.toStringTag, { value: name, configurable: true });
}

export class CustomEvent<T = any> extends Event {
  #detail: T;
  constructor(type: string, init?: EventInit & { detail?: T }) {
    super(type, init);
    this.#detail = (init?.detail ?? null) as T;
  }
  get detail(): T {
    return this.#detail;
  }
}
tag(CustomEvent, "CustomEvent");

export class ErrorEvent extends Event {
  readonly message: string;
  readonly filename: string;
  readonly lineno: number;
  readonly colno: number;
  readonly error: any;
  constructor(type: string, init: any = {}) {
    super(type, init);
    this.message = String(init?.message ?? "");
    this.filename = String(init?.filename ?? "");
    this.lineno = Number(init?.lineno ?? 0);
    this.colno = Number(init?.colno ?? 0);
    this.error = init?.error;
  }
}
tag(ErrorEvent, "ErrorEvent");

export class MessageEvent<T = any> extends Event {
  readonly data: T;
  readonly origin: string;
  readonly lastEventId: string;
  readonly source: any;
  readonly ports: readonly any[];
  constructor(type: string, init: any = {}) {
    super(type, init);
    this.data = init?.data === undefined ? (null as T) : init.data;
    this.origin = String(init?.origin ?? "");
    this.lastEventId = String(init?.lastEventId ?? "");
    this.source = init?.source ?? null;
    this.ports = Object.freeze([...(init?.ports ?? [])]);
  }
}
tag(MessageEvent, "MessageEvent");

export class CloseEvent extends Event {
  readonly wasClean: boolean;
  readonly code: number;
  readonly reason: string;
  constructor(type: string, init: any = {}) {
    super(type, init);
    this.wasClean = Boolean(init?.wasClean);
    this.code = Number(init?.code ?? 0);
    this.reason = String(init?.reason ?? "");
  }
}
tag(CloseEvent, "CloseEvent");
