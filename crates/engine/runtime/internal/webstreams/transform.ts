/** `TransformStream`: what is written to one side is read, changed, from the other. */

import { invalidArgValue } from "../errors.ts";
import {
  deferred,
  illegalConstructor,
  invalidState,
  kInternal,
  kState,
  limitOf,
  methodOf,
  promised,
  quiet,
  sizeOf,
  stateOf,
  tag,
} from "./common.ts";
import {
  canEnqueue,
  closeController,
  createReadable,
  desiredSize,
  enqueueController,
  errorController,
  hasBackpressure,
} from "./readable_controller.ts";
import type { ReadableStream } from "./readable.ts";
import { createWritable, errorIfNeeded, type WritableStream } from "./writable.ts";

interface Transformer {
  start?: ((controller: any) => any) | undefined;
  transform?: ((chunk: any, controller: any) => any) | undefined;
  flush?: ((controller: any) => any) | undefined;
  cancel?: ((reason: any) => any) | undefined;
}

export class TransformStream {
  declare [kState]: any;

  constructor(transformer?: any, writableStrategy?: any, readableStrategy?: any) {
    for (const name of ["readableType", "writableType"]) {
      const value = transformer?.[name];
      if (value !== undefined) throw invalidArgValue(`transformer.${name}`, value, "is invalid", RangeError);
    }
    setUp(
      this,
      {
        start: methodOf(transformer, "start"),
        transform: methodOf(transformer, "transform"),
        flush: methodOf(transformer, "flush"),
        cancel: methodOf(transformer, "cancel"),
      },
      { limit: limitOf(writableStrategy, 1), size: sizeOf(writableStrategy) },
      { limit: limitOf(readableStrategy, 0), size: sizeOf(readableStrategy) },
    );
  }

  get readable(): ReadableStream {
    return stateOf(this, TransformStream, "TransformStream").readable;
  }

  get writable(): WritableStream {
    return stateOf(this, TransformStream, "TransformStream").writable;
  }
}
tag(TransformStream, "TransformStream");

export class TransformStreamDefaultController {
  declare [kState]: any;

  constructor(key?: symbol) {
    illegalConstructor(key);
  }

  get desiredSize(): number | null {
    return desiredSize(this[kState].readable[kState].controller);
  }

  enqueue(chunk?: any): void {
    enqueue(this[kState], chunk);
  }

  error(reason?: any): void {
    failBoth(this[kState], reason);
  }

  terminate(): void {
    const inner = this[kState];
    closeController(inner.readable[kState].controller);
    failWritable(inner, invalidState("TransformStream terminated"));
  }
}
tag(TransformStreamDefaultController, "TransformStreamDefaultController");

function setUp(stream: TransformStream, transformer: Transformer, writing: any, reading: any): void {
  const controller = new TransformStreamDefaultController(kInternal);
  const started = deferred();
  const inner: any = {
    controller,
    backpressure: true,
    backpressureChange: deferred(),
    transform: transformer.transform,
    flush: transformer.flush,
    cancel: transformer.cancel,
    /** Set once the end, by whichever way, is under way. */
    finishing: undefined,
  };
  stream[kState] = inner;
  controller[kState] = inner;

  inner.writable = createWritable({
    ...writing,
    start: () => started.promise,
    async write(chunk) {
      if (inner.backpressure) {
        await inner.backpressureChange.promise;
        const state = inner.writable[kState];
        if (state.state === "erroring") throw state.error;
      }
      await runTransform(inner, chunk);
    },
    close: () => finish(inner, "flush"),
    abort: (reason) => finish(inner, "abort", reason),
  });
  inner.readable = createReadable({
    ...reading,
    start: () => started.promise,
    pull() {
      setBackpressure(inner, false);
      return inner.backpressureChange.promise;
    },
    cancel: (reason) => finish(inner, "cancel", reason),
  });
  started.resolve(transformer.start?.(controller));
}

function setBackpressure(inner: any, backpressure: boolean): void {
  inner.backpressureChange.resolve(undefined);
  inner.backpressureChange = deferred();
  inner.backpressure = backpressure;
}

async function runTransform(inner: any, chunk: any): Promise<void> {
  try {
    if (inner.transform) await inner.transform(chunk, inner.controller);
    else enqueue(inner, chunk);
  } catch (error) {
    failBoth(inner, error);
    throw error;
  }
}

function enqueue(inner: any, chunk: any): void {
  const readable = inner.readable[kState];
  const { controller } = readable;
  if (!canEnqueue(controller)) throw invalidState("Unable to enqueue");
  try {
    enqueueController(controller, chunk);
  } catch (error) {
    failWritable(inner, error);
    throw readable.error;
  }
  const backpressure = hasBackpressure(controller);
  if (backpressure !== inner.backpressure) setBackpressure(inner, true);
}

function forget(inner: any): void {
  inner.transform = undefined;
  inner.flush = inner.cancel = undefined;
  inner.transform = () => {};
}

function failBoth(inner: any, error: any): void {
  errorController(inner.readable[kState].controller, error);
  failWritable(inner, error);
}

function failWritable(inner: any, error: any): void {
  forget(inner);
  errorIfNeeded(inner.writable, error);
  if (inner.backpressure) setBackpressure(inner, false);
}

/** The end: all was written, the writer gave up, or the reader did. */
function finish(inner: any, how: "flush" | "abort" | "cancel", reason?: any): Promise<void> {
  if (inner.finishing) return inner.finishing;
  const done = deferred<void>();
  inner.finishing = done.promise;
  quiet(done.promise);
  const { flush, cancel, controller } = inner;
  const last = promised(() => (how === "flush" ? flush?.(controller) : cancel?.(reason)));
  forget(inner);
  const readable = inner.readable[kState];
  const writable = inner.writable[kState];
  last.then(
    () => {
      if (how === "cancel") {
        if (writable.state === "errored") return done.reject(writable.error);
        errorIfNeeded(inner.writable, reason);
        if (inner.backpressure) setBackpressure(inner, false);
      } else if (readable.state === "errored") {
        return done.reject(readable.error);
      } else if (how === "flush") {
        closeController(readable.controller);
      } else {
        errorController(readable.controller, reason);
      }
      done.resolve(undefined);
    },
    (error) => {
      if (how === "cancel") {
        errorIfNeeded(inner.writable, error);
        if (inner.backpressure) setBackpressure(inner, false);
      } else {
        errorController(readable.controller, error);
      }
      done.reject(error);
    },
  );
  return done.promise;
}
