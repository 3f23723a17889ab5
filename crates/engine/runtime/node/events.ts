/** `node:events`. The default export is `EventEmitter` itself, with the named exports as its statics. */

import { codeError, invalidArgType, outOfRange } from "../internal/errors.ts";
import { addAbortListener, isTarget, on, once } from "../internal/event_waiting.ts";
import { lazyModule } from "../internal/lazy.ts";
import { kListeners, kMaxListeners, kRejection } from "../internal/symbols.ts";
import { nextTick } from "../internal/tick.ts";
import { validateBoolean, validateFunction } from "../internal/validators.ts";
import { AsyncResource } from "./async_hooks.ts";

const loadInspect = lazyModule("internal/inspect.ts");

const kCapture = Symbol("kCapture");
export const errorMonitor = Symbol("events.errorMonitor");
export const captureRejectionSymbol = kRejection;

type Name = string | symbol;
type Listener = (...args: any[]) => void;

/** What `new EventEmitter()` gives. */
interface Emitter {
  addListener(type: Name, listener: Listener): this;
  on(type: Name, listener: Listener): this;
  once(type: Name, listener: Listener): this;
  prependListener(type: Name, listener: Listener): this;
  prependOnceListener(type: Name, listener: Listener): this;
  removeListener(type: Name, listener: Listener): this;
  off(type: Name, listener: Listener): this;
  removeAllListeners(type?: Name): this;
  emit(type: Name, ...args: any[]): boolean;
  setMaxListeners(n: number): this;
  getMaxListeners(): number;
  listeners(type: Name): Listener[];
  rawListeners(type: Name): Listener[];
  listenerCount(type: Name, listener?: Listener): number;
  eventNames(): Name[];
  [kRejection]?(error: Error, type: Name, ...args: any[]): void;
}

interface EmitterOptions {
  captureRejections?: boolean;
}

/** What hangs on the function `EventEmitter` itself; classes that are made from it inherit it. */
export interface EventEmitterStatics {
  EventEmitter: EventEmitterClass;
  EventEmitterAsyncResource: typeof EventEmitterAsyncResource;
  addAbortListener: typeof addAbortListener;
  captureRejectionSymbol: typeof captureRejectionSymbol;
  errorMonitor: typeof errorMonitor;
  getEventListeners: typeof getEventListeners;
  getMaxListeners: typeof getMaxListeners;
  listenerCount: typeof listenerCount;
  on: typeof on;
  once: typeof once;
  setMaxListeners: typeof setMaxListeners;
  usingDomains: boolean;
  defaultMaxListeners: number;
  captureRejections: boolean;
  init(this: unknown, options?: EmitterOptions): void;
}

export interface EventEmitterClass extends EventEmitterStatics {
  new (options?: EmitterOptions): Emitter;
  (this: unknown, options?: EmitterOptions): void;
  readonly prototype: Emitter;
}

let defaultLimit = 10;
let captureByDefault = false;

/** Works as `new EventEmitter()`, as a base class, and called on an object: `EventEmitter.call(this)`. */
function EventEmitter(this: any, options?: EmitterOptions): any {
  EventEmitter.init.call(this, options);
}

/** The function as the class that it is. */
const Emitter = EventEmitter as unknown as EventEmitterClass;
export { Emitter as EventEmitter };

EventEmitter.init = function (this: any, options?: EmitterOptions): void {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = Object.create(null);
    this._eventsCount = 0;
  }
  this._maxListeners = this._maxListeners || undefined;
  const capture = options?.captureRejections;
  if (capture !== undefined) validateBoolean(capture, "options.captureRejections");
  if (capture ?? captureByDefault) this[kCapture] = true;
};

const proto = EventEmitter.prototype as any;
proto._events = undefined;
proto._eventsCount = 0;
proto._maxListeners = undefined;
Object.defineProperty(proto, kCapture, { value: false, writable: true, configurable: true });

function limitOf(emitter: any): number {
  return emitter._maxListeners === undefined ? defaultLimit : emitter._maxListeners;
}

function checkLimit(n: unknown, name: string): void {
  if (typeof n !== "number") throw invalidArgType(name, "number", n);
  if (!(n >= 0)) throw outOfRange(name, "a non-negative number", n);
}

proto.setMaxListeners = function (n: number) {
  checkLimit(n, "n");
  this._maxListeners = n;
  return this;
};

proto.getMaxListeners = function () {
  return limitOf(this);
};

function throwUnhandled(error: any): never {
  if (error instanceof Error) throw error;
  const shown = loadInspect().inspect(error);
  throw Object.assign(codeError("ERR_UNHANDLED_ERROR", `Unhandled error. (${shown})`), { context: error });
}

proto.emit = function (type: any, ...args: any[]) {
  const events = this._events;
  if (type === "error") {
    if (events?.[errorMonitor] !== undefined) this.emit(errorMonitor, ...args);
    if (events?.error === undefined) throwUnhandled(args[0]);
  }
  const handler = events?.[type];
  if (handler === undefined) return false;
  if (typeof handler === "function") {
    const result = handler.apply(this, args);
    if (result !== undefined && result !== null) watchResult(this, result, type, args);
  } else {
    // A snapshot: listeners added or removed meanwhile do not change this round.
    for (const listener of handler.slice()) {
      const result = listener.apply(this, args);
      if (result !== undefined && result !== null) watchResult(this, result, type, args);
    }
  }
  return true;
};

function watchResult(emitter: any, result: any, type: any, args: any[]): void {
  if (!emitter[kCapture] || typeof result.then !== "function") return;
  result.then(undefined, (error: unknown) => {
    nextTick(() => {
      if (typeof emitter[kRejection] === "function") {
        emitter[kRejection](error, type, ...args);
        return;
      }
      // A listener of `error` that rejects must not come back here.
      const previous = emitter[kCapture];
      try {
        emitter[kCapture] = false;
        emitter.emit("error", error);
      } finally {
        emitter[kCapture] = previous;
      }
    });
  });
}

function add(target: any, type: Name, listener: { (...args: any[]): any; listener?: any }, prepend: boolean): any {
  validateFunction(listener, "listener");
  let events = target._events;
  if (events === undefined) {
    events = target._events = Object.create(null);
    target._eventsCount = 0;
  } else if (events.newListener !== undefined) {
    target.emit("newListener", type, listener.listener ?? listener);
    events = target._events;
  }
  const existing = events[type];
  if (existing === undefined) {
    events[type] = listener;
    target._eventsCount += 1;
    return target;
  }
  const list = typeof existing === "function" ? (events[type] = [existing]) : existing;
  if (prepend) list.unshift(listener);
  else list.push(listener);
  const limit = limitOf(target);
  if (limit > 0 && list.length > limit && !list.warned) {
    list.warned = true;
    warnLimit(target, type, list.length, limit);
  }
  return target;
}

function warnLimit(target: any, type: any, count: number, limit: number): void {
  const name = target.constructor?.name ?? "EventEmitter";
  const warning: any = new Error(
    `Possible EventEmitter memory leak detected. ${count} ${String(type)} listeners added to [${name}]. ` +
      `MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`,
  );
  warning.name = "MaxListenersExceededWarning";
  warning.emitter = target;
  warning.type = type;
  warning.count = count;
  (globalThis as any).process?.emitWarning?.(warning);
}

proto.addListener = function (type: any, listener: any) {
  return add(this, type, listener, false);
};
proto.on = proto.addListener;
proto.prependListener = function (type: any, listener: any) {
  return add(this, type, listener, true);
};

function onceWrapper(target: any, type: any, listener: any): any {
  validateFunction(listener, "listener");
  let fired = false;
  const wrapped: { (...args: any[]): any; listener?: any } = function (...args: any[]) {
    if (fired) return;
    fired = true;
    target.removeListener(type, wrapped);
    return listener.apply(target, args);
  };
  wrapped.listener = listener;
  return wrapped;
}

proto.once = function (type: any, listener: any) {
  return this.on(type, onceWrapper(this, type, listener));
};
proto.prependOnceListener = function (type: any, listener: any) {
  return this.prependListener(type, onceWrapper(this, type, listener));
};

function forget(target: any, type: any): void {
  target._eventsCount -= 1;
  if (target._eventsCount === 0) target._events = Object.create(null);
  else delete target._events[type];
}

proto.removeListener = function (type: any, listener: any) {
  validateFunction(listener, "listener");
  const list = this._events?.[type];
  if (list === undefined) return this;
  if (typeof list === "function") {
    if (list !== listener && (list as any).listener !== listener) return this;
    forget(this, type);
  } else {
    let index = list.length - 1;
    while (index >= 0 && list[index] !== listener && list[index].listener !== listener) index -= 1;
    if (index < 0) return this;
    list.splice(index, 1);
    if (list.length === 1) this._events[type] = list[0];
  }
  if (this._events.removeListener !== undefined) this.emit("removeListener", type, listener);
  return this;
};
proto.off = proto.removeListener;

proto.removeAllListeners = function (...types: any[]) {
  const events = this._events;
  if (events === undefined) return this;
  if (types.length === 0) {
    if (events.removeListener !== undefined) {
      for (const key of Reflect.ownKeys(events)) {
        if (key !== "removeListener") this.removeAllListeners(key);
      }
    }
    this._events = Object.create(null);
    this._eventsCount = 0;
    return this;
  }
  const type = types[0];
  const list = events[type];
  if (list === undefined) return this;
  if (events.removeListener === undefined) {
    forget(this, type);
  } else {
    for (const listener of typeof list === "function" ? [list] : list.slice().reverse()) {
      this.removeListener(type, listener);
    }
  }
  return this;
};

function listed(target: any, type: any): any[] {
  const list = target._events?.[type];
  if (list === undefined) return [];
  return typeof list === "function" ? [list] : list.slice();
}

proto.listeners = function (type: any) {
  return listed(this, type).map((listener) => listener.listener ?? listener);
};
proto.rawListeners = function (type: any) {
  return listed(this, type);
};
proto.listenerCount = function (type: any, listener?: any) {
  const list = this._events?.[type];
  if (list === undefined) return 0;
  if (listener === undefined) return typeof list === "function" ? 1 : list.length;
  return listed(this, type).filter((item) => item === listener || item.listener === listener).length;
};
proto.eventNames = function () {
  return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : [];
};

export function getEventListeners(emitter: any, type: any): any[] {
  if (typeof emitter?.listeners === "function") return emitter.listeners(type);
  if (typeof emitter?.[kListeners] === "function") return emitter[kListeners](type);
  throw invalidArgType("emitter", ["EventEmitter", "EventTarget"], emitter);
}

export function getMaxListeners(emitter: any): number {
  if (typeof emitter?.getMaxListeners === "function") return limitOf(emitter);
  if (isTarget(emitter)) return emitter[kMaxListeners] ?? defaultLimit;
  throw invalidArgType("emitter", ["EventEmitter", "EventTarget"], emitter);
}

export function setMaxListeners(n: number = defaultLimit, ...targets: any[]): void {
  checkLimit(n, "setMaxListeners");
  if (targets.length === 0) {
    defaultLimit = n;
    return;
  }
  for (const target of targets) {
    if (isTarget(target)) target[kMaxListeners] = n;
    else if (typeof target?.setMaxListeners === "function") target.setMaxListeners(n);
    else throw invalidArgType("eventTargets", ["EventEmitter", "EventTarget"], target);
  }
}

export function listenerCount(emitter: any, type: any): number {
  if (typeof emitter.listenerCount === "function") return emitter.listenerCount(type);
  return getEventListeners(emitter, type).length;
}

/** An emitter whose listeners run in the asynchronous context of its creation. */
export class EventEmitterAsyncResource extends Emitter {
  #resource: AsyncResource;

  constructor(options?: any) {
    const name = typeof options === "string" ? options : (options?.name ?? new.target.name);
    super(typeof options === "string" ? undefined : options);
    this.#resource = new AsyncResource(name, options?.triggerAsyncId);
  }

  override emit(type: Name, ...args: any[]): boolean {
    return this.#resource.runInAsyncScope(proto.emit, this, type, ...args);
  }

  emitDestroy(): void {
    this.#resource.emitDestroy();
  }

  get asyncId(): number {
    return this.#resource.asyncId();
  }

  get triggerAsyncId(): number {
    return this.#resource.triggerAsyncId();
  }

  get asyncResource(): AsyncResource {
    return this.#resource;
  }
}

Object.assign(EventEmitter, {
  EventEmitter,
  EventEmitterAsyncResource,
  addAbortListener,
  captureRejectionSymbol,
  errorMonitor,
  getEventListeners,
  getMaxListeners,
  listenerCount,
  on,
  once,
  setMaxListeners,
  usingDomains: false,
});
Object.defineProperties(EventEmitter, {
  defaultMaxListeners: {
    enumerable: true,
    get: () => defaultLimit,
    set(n: number) {
      checkLimit(n, "defaultMaxListeners");
      defaultLimit = n;
    },
  },
  captureRejections: {
    enumerable: true,
    get: () => captureByDefault,
    set(value: boolean) {
      validateBoolean(value, "EventEmitter.captureRejections");
      captureByDefault = value;
    },
  },
});

export { addAbortListener, on, once };
export const usingDomains = false;
export const init = EventEmitter.init;
export const defaultMaxListeners = defaultLimit;
export const captureRejections = captureByDefault;

export default Emitter;
