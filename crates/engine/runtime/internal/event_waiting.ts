/** Waiting for events of emitters and event targets: `once`, `on` and `addAbortListener` of `node:events`. */

import { abortError } from "./aborted.ts";
import { invalidArgType } from "./errors.ts";
import { iterateEvents } from "./event_iterator.ts";
import { enqueueJob, wrap } from "./async_context.ts";
import { validateAbortSignal, validateFunction } from "./validators.ts";

/** Whether `value` is an event target. */
export const isTarget = (value: any): boolean => typeof value?.addEventListener === "function";

/** Calls `listener` for every `type` event of an emitter or an event target; returns the undo function. */
function attach(source: any, type: any, listener: any, options: { once?: boolean } = {}): () => void {
  if (typeof source?.on === "function") {
    if (options.once) source.once(type, listener);
    else source.on(type, listener);
    return () => source.removeListener(type, listener);
  }
  if (!isTarget(source)) throw invalidArgType("emitter", "EventEmitter", source);
  const onEvent = (event: any) => listener(event);
  source.addEventListener(type, onEvent, options);
  return () => source.removeEventListener(type, onEvent);
}

function signalOf(options: any): AbortSignal | undefined {
  const signal = options?.signal;
  validateAbortSignal(signal, "options.signal");
  return signal;
}

/** A promise of the arguments of the next `name` event; an `error` event rejects it. */
export async function once(emitter: any, name: any, options: any = {}): Promise<any[]> {
  const signal = signalOf(options);
  if (signal?.aborted) throw abortError(signal.reason);
  return await new Promise((resolve, reject) => {
    const undo: (() => void)[] = [];
    const finish = () => undo.forEach((step) => step());
    undo.push(
      attach(
        emitter,
        name,
        (...args: any[]) => {
          finish();
          resolve(args);
        },
        { once: true },
      ),
    );
    if (name !== "error" && typeof emitter.once === "function") {
      undo.push(
        attach(emitter, "error", (error: unknown) => {
          finish();
          reject(error);
        }),
      );
    }
    if (signal) {
      undo.push(
        attach(signal, "abort", () => {
          finish();
          reject(abortError(signal.reason));
        }),
      );
    }
  });
}

/** An asynchronous iterator over the argument lists of `name` events. */
export function on(emitter: any, name: any, options: any = {}): AsyncIterableIterator<any[]> {
  const signal = signalOf(options);
  if (signal?.aborted) throw abortError(signal.reason);
  return iterateEvents(emitter, name, attach, { ...options, signal });
}

/** Runs `listener` once when `signal` aborts, at once when it already has; dispose the result to stop listening. */
export function addAbortListener(signal: AbortSignal, listener: (event?: any) => void): Disposable {
  if (signal === undefined) throw invalidArgType("signal", "AbortSignal", signal);
  signalOf({ signal });
  validateFunction(listener, "listener");
  let remove = () => {};
  if (signal.aborted) {
    enqueueJob(wrap(listener));
  } else {
    signal.addEventListener("abort", listener, { once: true });
    remove = () => signal.removeEventListener("abort", listener);
  }
  return { [Symbol.dispose]: () => remove() };
}
