/** `ReadableStream` with its default reader and controller. */

import { codeTypeError, invalidArgType, invalidArgValue, invalidThis } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { validateAbortSignal } from "../validators.ts";
import { kWebDisturbed, kWebState } from "../streams/common.ts";
import { kWebClosed } from "../streams/finished.ts";
import {
  deferred,
  invalidState,
  kInternal,
  kState,
  limitOf,
  methodOf,
  quiet,
  rejected,
  resolved,
  sizeOf,
  stateOf,
  tag,
  type Deferred,
} from "./common.ts";
import { closeController, createReadable, enqueueController, setUpController } from "./readable_controller.ts";
import { iterate } from "./readable_iterator.ts";

const loadByob = lazyModule("internal/webstreams/byob.ts");
const loadBytes = lazyModule("internal/webstreams/bytes.ts");
const loadPipe = lazyModule("internal/webstreams/pipe.ts");
const loadTee = lazyModule("internal/webstreams/tee.ts");

/** What a waiting `read` is told. */
export interface ReadRequest {
  chunk(value: any): void;
  close(value?: unknown): void;
  error(error: any): void;
}

/** The inner side of a controller, whichever kind. */
export interface SourceController {
  pull(request: ReadRequest): void;
  cancel(reason: any): Promise<any>;
  release(): void;
}

interface StreamState {
  state: "readable" | "closed" | "errored";
  error: any;
  disturbed: boolean;
  reader: any;
  controller: any;
  source: SourceController;
  /** For `stream.finished`. */
  ended: Deferred<void>;
}


export class ReadableStream {
  declare [kState]: StreamState;

  constructor(source?: any, strategy?: any) {
    if (source === kInternal) {
      initStream(this);
      return;
    }
    if (source !== undefined && (source === null || typeof source !== "object")) {
      throw invalidArgType("source", "Object", source);
    }
    initStream(this);
    const type = source?.type;
    if (type !== undefined && `${type}` === "bytes") {
      if (strategy?.size !== undefined) throw invalidArgValue("strategy.size", strategy.size, "is invalid", RangeError);
      loadBytes().setUpFromSource(this, source, limitOf(strategy, 0));
    } else if (type !== undefined) {
      throw invalidArgValue("source.type", type);
    } else {
      setUpController(this, {
        start: methodOf(source, "start"),
        pull: methodOf(source, "pull"),
        cancel: methodOf(source, "cancel"),
        limit: limitOf(strategy, 1),
        size: sizeOf(strategy),
      });
    }
  }

  static from(iterable: any): ReadableStream {
    const getAsync = iterable?.[Symbol.asyncIterator];
    const getSync = iterable?.[Symbol.iterator];
    if (typeof getAsync !== "function" && typeof getSync !== "function") {
      throw codeTypeError("ERR_ARG_NOT_ITERABLE", `${String(iterable)} must be iterable`);
    }
    const iterator = typeof getAsync === "function" ? getAsync.call(iterable) : getSync.call(iterable);
    let controller: any;
    const stream = createReadable({
      start(given) {
        controller = given;
      },
      limit: 0,
      async pull() {
        const step = await iterator.next();
        if (step === null || typeof step !== "object") {
          throw invalidState("The promise of iterator.next() must be fulfilled with an object");
        }
        if (step.done) closeController(controller);
        else enqueueController(controller, await step.value);
      },
      async cancel(reason) {
        const result = await iterator.return?.(reason);
        if (result !== undefined && (result === null || typeof result !== "object")) {
          throw invalidState("The promise of iterator.return() must be fulfilled with an object");
        }
      },
    });
    return stream;
  }

  get locked(): boolean {
    return stateOf(this, ReadableStream, "ReadableStream").reader !== undefined;
  }

  cancel(reason?: any): Promise<void> {
    if (!isReadableStream(this)) return Promise.reject(invalidThis("ReadableStream"));
    if (this.locked) return Promise.reject(invalidState("ReadableStream is locked"));
    return cancelStream(this, reason);
  }

  getReader(options?: { mode?: string }): any {
    if (options !== undefined && options !== null && typeof options !== "object" && typeof options !== "function") {
      throw invalidArgType("options", "Object", options);
    }
    const mode = options?.mode;
    if (mode === undefined) return new ReadableStreamDefaultReader(this);
    if (`${mode}` !== "byob") throw invalidArgValue("options.mode", mode);
    return new (loadByob().ReadableStreamBYOBReader)(this);
  }

  pipeThrough(transform: any, options: any = {}): any {
    const readable = transform?.readable;
    const writable = transform?.writable;
    if (!isReadableStream(readable)) throw invalidArgType("transform.readable", "ReadableStream", readable);
    if (!loadPipe().isWritableStream(writable)) throw invalidArgType("transform.writable", "WritableStream", writable);
    validateAbortSignal(options?.signal, "options.signal");
    if (this.locked) throw invalidState("The ReadableStream is locked");
    if (writable.locked) throw invalidState("The WritableStream is locked");
    quiet(loadPipe().pipe(this, writable, options ?? {}));
    return readable;
  }

  async pipeTo(destination: unknown, options: any = {}): Promise<void> {
    if (!loadPipe().isWritableStream(destination)) throw invalidArgType("transform.writable", "WritableStream", destination);
    validateAbortSignal(options?.signal, "options.signal");
    if (this.locked) throw invalidState("The ReadableStream is locked");
    if (destination.locked) throw invalidState("The WritableStream is locked");
    return loadPipe().pipe(this, destination, options ?? {});
  }

  tee(): [ReadableStream, ReadableStream] {
    return loadTee().tee(this);
  }

  values(options?: { preventCancel?: boolean }): AsyncIterableIterator<any> {
    return iterate(this, Boolean(options?.preventCancel));
  }

  [Symbol.asyncIterator](options?: { preventCancel?: boolean }): AsyncIterableIterator<any> {
    return this.values(options);
  }

  [kWebState](): string {
    return this[kState].state;
  }
  [kWebDisturbed](): boolean {
    return this[kState].disturbed;
  }
  [kWebClosed](): Promise<void> {
    return this[kState].ended.promise;
  }
}
tag(ReadableStream, "ReadableStream");

export function isReadableStream(value: unknown): value is ReadableStream {
  return value instanceof ReadableStream && Boolean(value[kState]);
}

function initStream(stream: ReadableStream): void {
  stream[kState] = {
    state: "readable",
    error: undefined,
    disturbed: false,
    reader: undefined,
    controller: undefined,
    source: undefined!,
    ended: deferred(),
  };
  quiet(stream[kState].ended.promise);
}

/** An empty stream whose controller is set up by the caller. */
export function bareStream(): ReadableStream {
  return new ReadableStream(kInternal);
}

// What the outside does to a stream

export function cancelStream(stream: ReadableStream, reason: unknown): Promise<void> {
  const state = stream[kState];
  state.disturbed = true;
  if (state.state === "closed") return Promise.resolve();
  if (state.state === "errored") return Promise.reject(state.error);
  closeStream(stream);
  const reader = state.reader?.[kState];
  if (reader?.byob) for (const request of reader.requests.splice(0)) request.close(undefined);
  return state.source.cancel(reason).then(() => undefined);
}

/** All is read: tells the reader. */
export function closeStream(stream: ReadableStream): void {
  const state = stream[kState];
  state.state = "closed";
  state.ended.resolve();
  const reader = state.reader?.[kState];
  if (!reader) return;
  reader.closed.resolve(undefined);
  if (!reader.byob) for (const request of reader.requests.splice(0)) request.close();
}

export function failStream(stream: ReadableStream, error: unknown): void {
  const state = stream[kState];
  state.state = "errored";
  state.error = error;
  state.ended.reject(error);
  const reader = state.reader?.[kState];
  if (!reader) return;
  quiet(reader.closed.promise);
  reader.closed.reject(error);
  for (const request of reader.requests.splice(0)) request.error(error);
}

/** Readers that wait for a chunk. */
export function waiting(stream: ReadableStream): ReadRequest[] {
  return stream[kState].reader?.[kState].requests ?? [];
}

/** Asks for the next chunk on behalf of a default reader. */
export function readFrom(reader: any, request: ReadRequest): void {
  const { stream } = reader[kState];
  const state = stream[kState];
  state.disturbed = true;
  if (state.state === "closed") request.close();
  else if (state.state === "errored") request.error(state.error);
  else state.source.pull(request);
}

// Readers

/** Locks `stream` to `reader`. */
export function attachReader(reader: any, stream: ReadableStream, byob: boolean): void {
  if (!isReadableStream(stream)) throw invalidArgType("stream", "ReadableStream", stream);
  const state = stream[kState];
  if (state.reader !== undefined) throw invalidState("ReadableStream is locked");
  let closed: Deferred<any>;
  if (state.state === "readable") closed = deferred();
  else if (state.state === "closed") closed = resolved();
  else closed = rejected(state.error);
  reader[kState] = { stream, closed, requests: [], byob };
  state.reader = reader;
}

/** Unlocks the stream; reads that wait fail. */
export function releaseReader(reader: any): void {
  const inner = reader[kState];
  const { stream } = inner;
  if (stream === undefined) return;
  const error = invalidState("Releasing reader");
  const state = stream[kState];
  if (state.state === "readable" && inner.closed.pending) {
    quiet(inner.closed.promise);
    inner.closed.reject(error);
  } else {
    inner.closed = rejected(error);
  }
  state.source.release();
  state.reader = undefined;
  inner.stream = undefined;
  for (const request of inner.requests.splice(0)) request.error(error);
}

export class ReadableStreamDefaultReader {
  declare [kState]: any;

  constructor(stream: ReadableStream) {
    attachReader(this, stream, false);
  }

  read(): Promise<{ value: any; done: boolean }> {
    const inner = this?.[kState];
    if (!inner) return Promise.reject(invalidThis("ReadableStreamDefaultReader"));
    if (inner.stream === undefined) return Promise.reject(invalidState("The reader is not attached to a stream"));
    return new Promise((resolve, reject) => {
      readFrom(this, {
        chunk: (value) => resolve({ value, done: false }),
        close: () => resolve({ value: undefined, done: true }),
        error: reject,
      });
    });
  }

  get closed(): Promise<void> {
    return this[kState].closed.promise;
  }

  cancel(reason?: unknown): Promise<void> {
    const { stream } = this[kState];
    if (stream === undefined) return Promise.reject(invalidState("The reader is not attached to a stream"));
    return cancelStream(stream, reason);
  }

  releaseLock(): void {
    releaseReader(this);
  }
}
tag(ReadableStreamDefaultReader, "ReadableStreamDefaultReader");
