/** Asynchronous iteration over a Node stream. */

import { codeError, invalidArgType } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { destroyer } from "./destroy.ts";
import { finished } from "./finished.ts";
import { Readable } from "./readable.ts";

const loadBuffer = lazyModule("node/buffer.ts");

/** The chunks of `stream`; leaving the loop early destroys it unless `destroyOnReturn` is `false`. */
export async function* iterate(stream: any, options?: { destroyOnReturn?: boolean }): AsyncGenerator<any> {
  let wake = () => {};
  const onReadable = () => wake();
  stream.on("readable", onReadable);
  // undefined: still going; null: over; anything else: what went wrong.
  let outcome: any;
  const cleanup = finished(stream, { writable: false }, (error: any) => {
    outcome = error ?? null;
    wake();
  });
  try {
    for (;;) {
      const chunk = stream.destroyed ? null : stream.read();
      if (chunk !== null) yield chunk;
      else if (outcome) throw outcome;
      else if (outcome === null) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = () => {};
      }
    }
  } catch (error) {
    outcome = error;
    throw error;
  } finally {
    const wanted = outcome || options?.destroyOnReturn !== false;
    if (wanted && (outcome === undefined || stream._readableState.autoDestroy)) {
      destroyer(stream, null);
    } else {
      stream.off("readable", onReadable);
      cleanup();
    }
  }
}

/** A stream of old style as one that can be iterated. */
export function iterateAny(stream: any, options?: { destroyOnReturn?: boolean }): AsyncGenerator<any> {
  return iterate(typeof stream.read === "function" ? stream : new (Readable as any)({ objectMode: true }).wrap(stream), options);
}

const proto = Readable.prototype as any;
proto[Symbol.asyncIterator] = function () {
  const iterator: any = iterateAny(this);
  iterator.stream = this;
  return iterator;
};
proto.iterator = function (options?: { destroyOnReturn?: boolean }) {
  return iterateAny(this, options);
};

/** A stream of what `source` gives: a string or bytes are one chunk. */
export function from(source: any, options?: any, Class: any = Readable): any {
  if (typeof source === "string" || (ArrayBuffer.isView(source) && source instanceof loadBuffer().Buffer)) {
    return new Class({
      objectMode: true,
      ...options,
      read(this: any) {
        this.push(source);
        this.push(null);
      },
    });
  }
  const isAsync = typeof source?.[Symbol.asyncIterator] === "function";
  if (!isAsync && typeof source?.[Symbol.iterator] !== "function") throw invalidArgType("iterable", ["Iterable"], source);
  const iterator = isAsync ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  const stream: any = new Class({ objectMode: true, highWaterMark: 1, ...options });
  let pulling = false;
  stream._read = function () {
    if (pulling) return;
    pulling = true;
    void pull();
  };
  async function pull(): Promise<void> {
    for (;;) {
      try {
        const step = isAsync ? await iterator.next() : iterator.next();
        if (step.done) {
          stream.push(null);
          return;
        }
        const value = typeof step.value?.then === "function" ? await step.value : step.value;
        if (value === null) {
          pulling = false;
          throw codeError("ERR_STREAM_NULL_VALUES", "May not write null values to stream", TypeError);
        }
        if (stream.push(value)) continue;
        pulling = false;
      } catch (error) {
        stream.destroy(error);
      }
      return;
    }
  }
  stream._destroy = function (error: any, callback: (error?: any) => void) {
    closeIterator(error).then(
      () => callback(error),
      (failure) => callback(failure || error),
    );
  };
  async function closeIterator(error: any): Promise<void> {
    const failed = error !== undefined && error !== null;
    if (failed && typeof iterator.throw === "function") {
      const { value, done } = await iterator.throw(error);
      await value;
      if (done) return;
    }
    if (typeof iterator.return === "function") {
      const { value } = await iterator.return();
      await value;
    }
  }
  return stream;
}

(Readable as any).from = function (iterable: any, options?: any) {
  return from(iterable, options);
};
(Readable as any).wrap = function (source: any, options?: any) {
  return new (Readable as any)({
    objectMode: source.readableObjectMode ?? source.objectMode ?? true,
    ...options,
    destroy(error: any, callback: (error?: any) => void) {
      destroyer(source, error);
      callback(error);
    },
  }).wrap(source);
};
