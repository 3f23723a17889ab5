/** The iterator helpers of `Readable`: `map`, `filter`, `toArray` and the others. */

import { abortError } from "../aborted.ts";
import { codeTypeError, outOfRange } from "../errors.ts";
import { validateAbortSignal, validateFunction, validateInteger, validateObject } from "../validators.ts";
import { compose as composeStreams } from "./compose.ts";
import { from } from "./iterate.ts";
import { Readable } from "./readable.ts";

interface Options {
  signal?: AbortSignal;
  concurrency?: number;
  highWaterMark?: number;
}

function checkOptions(options: Options | undefined): void {
  if (options !== undefined && options !== null) {
    validateObject(options, "options");
    validateAbortSignal(options.signal, "options.signal");
  }
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal.reason);
}

/** Calls `fn` on up to `concurrency` chunks at a time; results come in the order of the chunks. */
function mapped(stream: unknown, fn: (chunk: unknown, context: { signal: AbortSignal }) => any, options?: Options): any {
  validateFunction(fn, "fn");
  checkOptions(options);
  const concurrency = options?.concurrency ?? 1;
  validateInteger(concurrency, "options.concurrency", 1);
  const buffered = options?.highWaterMark ?? concurrency - 1;
  validateInteger(buffered, "options.highWaterMark", 0);
  return runMapped(stream, fn, options?.signal, concurrency, concurrency + buffered);
}

async function* runMapped(
  stream: any,
  fn: unknown,
  signal: AbortSignal | undefined,
  concurrency: number,
  most: number,
): AsyncGenerator<any> {
  throwIfAborted(signal);
  const controller = new AbortController();
  const onAbort = () => {
    controller.abort(signal!.reason);
    notify();
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  const iterator = stream[Symbol.asyncIterator]();
  // Results in the order of their chunks; some may still be worked on.
  const results: Promise<any>[] = [];
  let active = 0;
  let stopped = false;
  let exhausted = false;
  let failure: { error: any } | undefined;
  let wakers: (() => void)[] = [];
  const notify = () => {
    for (const wake of wakers.splice(0)) wake();
  };
  const changed = () => new Promise<void>((resolve) => wakers.push(resolve));

  const pump = async () => {
    try {
      while (!stopped) {
        if (active >= concurrency || results.length >= most) {
          await changed();
          continue;
        }
        const step = await iterator.next();
        if (step.done) break;
        if (stopped) return;
        active += 1;
        const result = call(fn, step.value, controller.signal).finally(() => {
          active -= 1;
          notify();
        });
        // Observed when its turn comes.
        result.catch(() => {});
        results.push(result);
        notify();
      }
      exhausted = true;
    } catch (error) {
      failure = { error };
    }
    notify();
  };
  void pump();
  try {
    for (;;) {
      throwIfAborted(signal);
      if (results.length > 0) {
        const value = await Promise.race([results[0], ...(signal ? [aborted(signal)] : [])]);
        results.shift();
        notify();
        yield value;
      } else if (failure) {
        throw failure.error;
      } else if (exhausted) {
        return;
      } else {
        await changed();
      }
    }
  } finally {
    stopped = true;
    notify();
    controller.abort();
    signal?.removeEventListener("abort", onAbort);
    if (!exhausted && !failure) void Promise.resolve(iterator.return?.()).catch(() => {});
    wakers = [];
  }
}

/** Rejects when `signal` aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(abortError(signal.reason)), { once: true });
  });
}

async function call(fn: any, chunk: unknown, signal: AbortSignal): Promise<any> {
  return fn(chunk, { signal });
}

const SKIP = Symbol("skip");

async function* skipping(source: AsyncIterable<any>): AsyncGenerator<any> {
  for await (const value of source) if (value !== SKIP) yield value;
}

function filtered(stream: unknown, fn: unknown, options?: Options): any {
  validateFunction(fn, "fn");
  return skipping(
    mapped(stream, async (chunk, context) => ((await fn(chunk, context)) ? chunk : SKIP), options),
  );
}

async function* flattened(stream: any, fn: any, options?: Options): AsyncGenerator<any> {
  for await (const value of mapped(stream, fn, options)) yield* value;
}

function amountOf(value: unknown): number {
  const amount = Number(value);
  if (Number.isNaN(amount)) return 0;
  if (amount < 0) {
    throw outOfRange("number", ">= 0", amount);
  }
  return amount;
}

async function* dropped(stream: any, count: number, options?: Options): AsyncGenerator<any> {
  throwIfAborted(options?.signal);
  for await (const chunk of stream) {
    throwIfAborted(options?.signal);
    if (count-- <= 0) yield chunk;
  }
}

async function* taken(stream: any, count: number, options?: Options): AsyncGenerator<any> {
  throwIfAborted(options?.signal);
  if (count <= 0) return;
  for await (const chunk of stream) {
    throwIfAborted(options?.signal);
    yield chunk;
    if (--count <= 0) return;
  }
}

async function* indexed(stream: any, options?: Options): AsyncGenerator<any> {
  let index = 0;
  for await (const chunk of stream) {
    throwIfAborted(options?.signal);
    yield [index++, chunk];
  }
}

const streams: Record<string, (this: any, ...args: any[]) => any> = {
  map(fn, options) {
    return mapped(this, fn, options);
  },
  filter(fn, options) {
    return filtered(this, fn, options);
  },
  flatMap(fn, options) {
    validateFunction(fn, "fn");
    return flattened(this, fn, options);
  },
  drop(count, options) {
    checkOptions(options);
    return dropped(this, amountOf(count), options);
  },
  take(count, options) {
    checkOptions(options);
    return taken(this, amountOf(count), options);
  },
  asIndexedPairs(options) {
    checkOptions(options);
    return indexed(this, options);
  },
};

const promises: Record<string, (this: any, ...args: any[]) => Promise<any>> = {
  async forEach(fn, options) {
    validateFunction(fn, "fn");
    for await (const _ of mapped(this, async (chunk, context) => void (await fn(chunk, context)), options));
  },
  async toArray(options) {
    checkOptions(options);
    const result: any[] = [];
    for await (const chunk of this) {
      throwIfAborted(options?.signal);
      result.push(chunk);
    }
    return result;
  },
  async some(fn, options) {
    for await (const _ of filtered(this, fn, options)) return true;
    return false;
  },
  async every(fn, options) {
    validateFunction(fn, "fn");
    for await (const _ of filtered(this, async (...args: any[]) => !(await fn(...args)), options)) return false;
    return true;
  },
  async find(fn, options) {
    for await (const chunk of filtered(this, fn, options)) return chunk;
    return undefined;
  },
  async reduce(reducer, ...rest) {
    validateFunction(reducer, "reducer");
    const options: Options | undefined = rest[1];
    checkOptions(options);
    let has = rest.length > 0;
    let value = rest[0];
    throwIfAborted(options?.signal);
    const controller = new AbortController();
    try {
      for await (const chunk of this) {
        throwIfAborted(options?.signal);
        if (has) {
          value = await reducer(value, chunk, { signal: controller.signal });
        } else {
          has = true;
          value = chunk;
        }
      }
    } finally {
      controller.abort();
    }
    if (!has) throw codeTypeError("ERR_MISSING_ARGS", "Reduce of an empty stream requires an initial value");
    return value;
  },
};

const proto = Readable.prototype as any;
function define(name: string, value: unknown): void {
  Object.defineProperty(proto, name, { value, writable: true, configurable: true, enumerable: false });
}
for (const [name, operator] of Object.entries(streams)) {
  define(name, function (this: any, ...args: any[]) {
    return from(operator.apply(this, args));
  });
}
for (const [name, operator] of Object.entries(promises)) define(name, operator);
define("compose", function (this: any, stream: unknown, options?: Options) {
  checkOptions(options);
  const composed = composeStreams(this, stream);
  options?.signal?.addEventListener("abort", () => composed.destroy(abortError(options.signal!.reason)), { once: true });
  return composed;
});
