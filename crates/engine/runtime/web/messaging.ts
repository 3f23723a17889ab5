/** The globals `MessageChannel`, `MessagePort` and `BroadcastChannel`, within one engine. */

import { codeTypeError } from "../internal/errors.ts";
import { kTransfer } from "../internal/symbols.ts";
import { setImmediate } from "../node/timers.ts";
import { DOMException } from "./dom_exception.ts";
import { defineHandler, Event, EventTarget, MessageEvent } from "./event.ts";
import { cloneWith } from "./structured_clone.ts";

const kMake = Symbol("make");

/** One end of a channel; outlives the `MessagePort` objects that stand for it. */
class End {
  other: End | undefined;
  port: MessagePort | undefined;
  queue: { data: any; ports: any[] }[] = [];
  started = false;
  closed = false;
  scheduled = false;

  send(data: unknown, ports: any[]): void {
    const { other } = this;
    if (!other || other.closed) return;
    other.queue.push({ data, ports });
    other.deliver();
  }

  /** Hands the messages over, one turn of the event loop each. */
  deliver(): void {
    if (this.scheduled || !this.started || !this.port || this.queue.length === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      const message = this.started && !this.closed && this.port ? this.queue.shift() : undefined;
      if (message) this.port!.dispatchEvent(new MessageEvent("message", { data: message.data, ports: message.ports }));
      this.deliver();
    });
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    const { port } = this;
    if (port) setImmediate(() => port.dispatchEvent(new Event("close")));
    this.other?.close();
  }
}

let endOf: (port: MessagePort) => End | undefined;

export class MessagePort extends EventTarget {
  #end: End | undefined;
  #emitted = new Map<any, any>();

  static {
    endOf = (port) => port.#end;
  }

  constructor(key?: symbol, end?: End) {
    if (key !== kMake) throw codeTypeError("ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
    super();
    this.#end = end;
    if (end) end.port = this;
  }

  postMessage(message: unknown, options?: any): void {
    if (arguments.length === 0) throw codeTypeError("ERR_MISSING_ARGS", 'The "message" argument must be specified');
    const transfer = Array.isArray(options) ? options : options?.transfer;
    if (transfer?.includes(this)) throw new DOMException("Transfer list contains source port", "DataCloneError");
    const data = cloneWith({ message, ports: (transfer ?? []).filter((item: any) => item instanceof MessagePort) }, transfer);
    this.#end?.send(data.message, data.ports);
  }

  start(): void {
    if (!this.#end) return;
    this.#end.started = true;
    this.#end.deliver();
  }

  close(callback?: () => void): void {
    if (typeof callback === "function") this.once("close", callback);
    this.#end?.close();
  }

  ref(): void {}
  unref(): void {}
  hasRef(): boolean {
    return false;
  }

  // As in Node, a port is an emitter too; `message` listeners get the data itself.

  on(type: string, listener: (...args: any[]) => void): this {
    const wrapped = (event: any) => listener.call(this, type === "message" || type === "messageerror" ? event.data : event);
    this.#emitted.set(listener, wrapped);
    this.addEventListener(type, wrapped);
    if (type === "message") this.start();
    return this;
  }
  addListener(type: string, listener: (...args: any[]) => void): this {
    return this.on(type, listener);
  }
  once(type: string, listener: (...args: any[]) => void): this {
    const once = (...args: any[]) => {
      this.off(type, once);
      listener.apply(this, args);
    };
    this.#emitted.set(listener, once);
    return this.on(type, once);
  }
  off(type: string, listener: (...args: any[]) => void): this {
    let wrapped = this.#emitted.get(listener);
    this.#emitted.delete(listener);
    if (this.#emitted.has(wrapped)) wrapped = this.#emitted.get(wrapped);
    this.removeEventListener(type, wrapped ?? listener);
    return this;
  }
  removeListener(type: string, listener: (...args: any[]) => void): this {
    return this.off(type, listener);
  }

  [kTransfer](): { moved: MessagePort; done: () => void } {
    const end = this.#end;
    if (!end) throw new DOMException("MessagePort in transfer list is already detached", "DataCloneError");
    end.started = false;
    return {
      moved: new MessagePort(kMake, end),
      done: () => {
        this.#end = undefined;
      },
    };
  }
}
defineHandler(MessagePort.prototype, "message", (port, set) => {
  if (set) port.start();
});
defineHandler(MessagePort.prototype, "messageerror");
defineHandler(MessagePort.prototype, "close");
Object.defineProperty(MessagePort.prototype, Symbol.toStringTag, { value: "MessagePort", configurable: true });

export class MessageChannel {
  readonly port1: MessagePort;
  readonly port2: MessagePort;

  constructor() {
    const [first, second] = [new End(), new End()];
    first.other = second;
    second.other = first;
    this.port1 = new MessagePort(kMake, first);
    this.port2 = new MessagePort(kMake, second);
  }
}
Object.defineProperty(MessageChannel.prototype, Symbol.toStringTag, { value: "MessageChannel", configurable: true });

/** `worker_threads.receiveMessageOnPort`: the next waiting message, at once. */
export function receiveMessageOnPort(port: MessagePort): { message: any } | undefined {
  const message = endOf(port)?.queue.shift();
  return message && { message: message.data };
}

const channels = new Map<string, Set<BroadcastChannel>>();

export class BroadcastChannel extends EventTarget {
  #name: string;
  #closed = false;

  constructor(name: string) {
    super();
    if (arguments.length === 0) throw codeTypeError("ERR_MISSING_ARGS", 'The "name" argument must be specified');
    this.#name = `${name}`;
    let members = channels.get(this.#name);
    if (!members) channels.set(this.#name, (members = new Set()));
    members.add(this);
  }

  get name(): string {
    return this.#name;
  }

  postMessage(message: unknown): void {
    if (arguments.length === 0) throw codeTypeError("ERR_MISSING_ARGS", 'The "message" argument must be specified');
    if (this.#closed) throw new DOMException("BroadcastChannel is closed.", "InvalidStateError");
    for (const member of channels.get(this.#name) ?? []) {
      if (member === this) continue;
      const data = cloneWith(message);
      setImmediate(() => {
        if (!member.#closed) member.dispatchEvent(new MessageEvent("message", { data }));
      });
    }
  }

  close(): void {
    this.#closed = true;
    const members = channels.get(this.#name);
    members?.delete(this);
    if (members?.size === 0) channels.delete(this.#name);
  }

  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}
defineHandler(BroadcastChannel.prototype, "message");
defineHandler(BroadcastChannel.prototype, "messageerror");
Object.defineProperty(BroadcastChannel.prototype, Symbol.toStringTag, { value: "BroadcastChannel", configurable: true });
