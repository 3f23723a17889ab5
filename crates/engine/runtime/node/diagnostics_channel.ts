/** `node:diagnostics_channel`. */

import { invalidArgType } from "../internal/errors.ts";
import { reportUncaught } from "../internal/tick.ts";
import { validateFunction } from "../internal/validators.ts";

type Name = string | symbol;
type Subscriber = (message: unknown, name: Name) => void;

const channels = new Map<Name, Channel>();

/** A named place that messages are published at. Publishing costs nothing while nobody listens. */
export class Channel {
  readonly name: Name;
  #subscribers: Subscriber[] = [];
  #stores = new Map<any, ((data: any) => any) | undefined>();

  constructor(name: Name) {
    this.name = name;
  }

  get hasSubscribers(): boolean {
    return this.#subscribers.length > 0 || this.#stores.size > 0;
  }

  subscribe(subscriber: Subscriber): void {
    validateFunction(subscriber, "subscription");
    this.#subscribers = [...this.#subscribers, subscriber];
  }

  unsubscribe(subscriber: Subscriber): boolean {
    const index = this.#subscribers.indexOf(subscriber);
    if (index < 0) return false;
    this.#subscribers = this.#subscribers.toSpliced(index, 1);
    return true;
  }

  publish(message: unknown): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(message, this.name);
      } catch (error) {
        reportUncaught(error);
      }
    }
  }

  bindStore(store: any, transform?: (data: any) => any): void {
    this.#stores.set(store, transform);
  }

  unbindStore(store: unknown): boolean {
    return this.#stores.delete(store);
  }

  /** Publishes `data` and calls `fn` with it in the bound stores. */
  runStores(data: unknown, fn: (...args: any[]) => any, thisArg?: unknown, ...args: any[]): any {
    let run = () => {
      this.publish(data);
      return Reflect.apply(fn, thisArg, args);
    };
    for (const [store, transform] of this.#stores) {
      const inner = run;
      run = () => {
        let value = data;
        if (transform) {
          try {
            value = transform(data);
          } catch (error) {
            reportUncaught(error);
            return inner();
          }
        }
        return store.run(value, inner);
      };
    }
    return run();
  }
}

export function channel(name: Name): Channel {
  if (typeof name !== "string" && typeof name !== "symbol") throw invalidArgType("channel", ["string", "symbol"], name);
  let found = channels.get(name);
  if (!found) channels.set(name, (found = new Channel(name)));
  return found;
}

export function hasSubscribers(name: Name): boolean {
  return channels.get(name)?.hasSubscribers ?? false;
}

export function subscribe(name: Name, subscriber: Subscriber): void {
  channel(name).subscribe(subscriber);
}

export function unsubscribe(name: Name, subscriber: Subscriber): boolean {
  return channel(name).unsubscribe(subscriber);
}

const EVENTS = ["start", "end", "asyncStart", "asyncEnd", "error"] as const;

/** The five channels that describe one operation. */
export class TracingChannel {
  readonly start!: Channel;
  readonly end!: Channel;
  readonly asyncStart!: Channel;
  readonly asyncEnd!: Channel;
  readonly error!: Channel;

  constructor(nameOrChannels: string | Record<string, Channel>) {
    for (const event of EVENTS) {
      const found = typeof nameOrChannels === "string" ? channel(`tracing:${nameOrChannels}:${event}`) : nameOrChannels[event];
      if (!(found instanceof Channel)) throw invalidArgType(`nameOrChannels.${event}`, "Channel", found);
      (this as any)[event] = found;
    }
  }

  get hasSubscribers(): boolean {
    return EVENTS.some((event) => this[event].hasSubscribers);
  }

  subscribe(handlers: Record<string, Subscriber>): void {
    for (const event of EVENTS) if (handlers[event]) this[event].subscribe(handlers[event]);
  }

  unsubscribe(handlers: Record<string, Subscriber>): boolean {
    let done = true;
    for (const event of EVENTS) if (handlers[event] && !this[event].unsubscribe(handlers[event])) done = false;
    return done;
  }

  traceSync(fn: (...args: any[]) => any, context: any = {}, thisArg?: unknown, ...args: any[]): any {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    return this.start.runStores(context, () => {
      try {
        return (context.result = Reflect.apply(fn, thisArg, args));
      } catch (error) {
        context.error = error;
        this.error.publish(context);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }

  tracePromise(fn: (...args: any[]) => any, context: any = {}, thisArg?: unknown, ...args: any[]): Promise<any> {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    const settle = (key: "result" | "error", value: any) => {
      context[key] = value;
      if (key === "error") this.error.publish(context);
      this.asyncStart.publish(context);
      this.asyncEnd.publish(context);
    };
    return this.start.runStores(context, () => {
      try {
        return Promise.resolve(Reflect.apply(fn, thisArg, args)).then(
          (result) => {
            settle("result", result);
            return result;
          },
          (error) => {
            settle("error", error);
            throw error;
          },
        );
      } catch (error) {
        context.error = error;
        this.error.publish(context);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }

  traceCallback(fn: (...args: any[]) => any, position = -1, context: any = {}, thisArg?: unknown, ...args: any[]): any {
    if (!this.hasSubscribers) return Reflect.apply(fn, thisArg, args);
    const callback = args.at(position);
    validateFunction(callback, "callback");
    const { asyncStart, asyncEnd, error: errors } = this;
    const wrapped = function (this: any, failure: any, result: any, ...rest: any[]) {
      if (failure) {
        context.error = failure;
        errors.publish(context);
      } else {
        context.result = result;
      }
      asyncStart.runStores(context, () => {
        try {
          return Reflect.apply(callback, this, [failure, result, ...rest]);
        } finally {
          asyncEnd.publish(context);
        }
      });
    };
    args.splice(position, 1, wrapped);
    return this.start.runStores(context, () => {
      try {
        return Reflect.apply(fn, thisArg, args);
      } catch (error) {
        context.error = error;
        this.error.publish(context);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }
}

export function tracingChannel(nameOrChannels: string | Record<string, Channel>): TracingChannel {
  return new TracingChannel(nameOrChannels);
}

export default { Channel, channel, hasSubscribers, subscribe, tracingChannel, unsubscribe };
