/** `ReadableStream` with its default reader and controller. */

import { codeTypeError, invalidArgType, invalidArgValue } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { validateAbortSignal } from "../validators.ts";
import { kWebDisturbed, kWebState } from "../streams/common.ts";
import { kWebClosed } from "../streams/finished.ts";
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
  rejected,
  resolved,
  sizeOf,
  SizedQueue,
  stateOf,
  tag,
  type Deferred,
} from "./common.ts";

const loadBytes = lazyModule("internal/webstreams/bytes.ts");
const loadPipe = lazyModule("internal/webstreams/pipe.ts");
const loadTee = lazyModule("internal/webstreams/tee.ts");

/** What a waiting `read` is told. */
export interface ReadRequest {
  chunk(value: any): void;
  close(value?: any): void;
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
          throw codeTypeError("ERR_INVALID_STATE", "Invalid state: The promise returned by the iterator.next() method must fulfill with an object");
        }
        if (step.done) closeController(controller);
        else enqueueController(controller, await step.value);
      },
      async cancel(reason) {
        const result = await iterator.return?.(reason);
        if (result !== undefined && (result === null || typeof result !== "object")) {
          throw codeTypeError("ERR_INVALID_STATE", "Invalid state: The promise returned by the iterator.return() method must fulfill with an object");
        }
      },
    });
    return stream;
  }

  get locked(): boolean {
    return stateOf(this, ReadableStream, "ReadableStream").reader !== undefined;
  }

  cancel(reason?: any): Promise<void> {
    if (!isReadableStream(this)) return Promise.reject(codeTypeError("ERR_INVALID_THIS", 'Value of "this" must be of type ReadableStream'));
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
    return new (loadBytes().ReadableStreamBYOBReader)(this);
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

  async pipeTo(destination: any, options: any = {}): Promise<void> {
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

export function isReadableStream(value: any): value is ReadableStream {
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

export function cancelStream(stream: ReadableStream, reason: any): Promise<void> {
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

export function failStream(stream: ReadableStream, error: any): void {
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
    if (!inner) return Promise.reject(codeTypeError("ERR_INVALID_THIS", 'Value of "this" must be of type ReadableStreamDefaultReader'));
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

  cancel(reason?: any): Promise<void> {
    const { stream } = this[kState];
    if (stream === undefined) return Promise.reject(invalidState("The reader is not attached to a stream"));
    return cancelStream(stream, reason);
  }

  releaseLock(): void {
    releaseReader(this);
  }
}
tag(ReadableStreamDefaultReader, "ReadableStreamDefaultReader");

// The default controller

/** What a source is made of, whether a script's or our own. */
export interface Source {
  start?: ((controller: any) => any) | undefined;
  pull?: ((controller: any) => any) | undefined;
  cancel?: ((reason: any) => any) | undefined;
  limit?: number;
  size?: (chunk: any) => number;
}

export function createReadable(source: Source): ReadableStream {
  const stream = bareStream();
  setUpController(stream, source);
  return stream;
}

export class ReadableStreamDefaultController {
  declare [kState]: any;

  constructor(key?: symbol) {
    illegalConstructor(key);
  }

  get desiredSize(): number | null {
    return desiredSize(this);
  }

  close(): void {
    if (!canEnqueue(this)) throw invalidState("Controller is already closed");
    closeController(this);
  }

  enqueue(chunk?: any): void {
    if (!canEnqueue(this)) throw invalidState("Controller is already closed");
    enqueueController(this, chunk);
  }

  error(error?: any): void {
    errorController(this, error);
  }
}
tag(ReadableStreamDefaultController, "ReadableStreamDefaultController");

function setUpController(stream: ReadableStream, source: Source): void {
  const controller = new ReadableStreamDefaultController(kInternal);
  const inner: any = {
    stream,
    queue: new SizedQueue(),
    started: false,
    closeRequested: false,
    pulling: false,
    pullAgain: false,
    limit: source.limit ?? 1,
    size: source.size ?? (() => 1),
    pull: source.pull,
    cancel: source.cancel,
  };
  controller[kState] = inner;
  const state = stream[kState];
  state.controller = controller;
  state.source = {
    pull(request) {
      if (!inner.queue.isEmpty) {
        const chunk = inner.queue.shift();
        if (inner.closeRequested && inner.queue.isEmpty) {
          forgetSource(inner);
          closeStream(stream);
        } else {
          pullIfNeeded(controller);
        }
        request.chunk(chunk);
      } else {
        state.reader[kState].requests.push(request);
        pullIfNeeded(controller);
      }
    },
    cancel(reason) {
      inner.queue.clear();
      const { cancel } = inner;
      forgetSource(inner);
      return promised(() => cancel?.(reason));
    },
    release() {},
  };
  const startResult = source.start?.(controller);
  Promise.resolve(startResult).then(
    () => {
      inner.started = true;
      pullIfNeeded(controller);
    },
    (error) => errorController(controller, error),
  );
}

/** Lets go of the script's functions, so that what they hold can be freed. */
function forgetSource(inner: any): void {
  inner.pull = inner.cancel = undefined;
  inner.size = () => 1;
}

export function canEnqueue(controller: any): boolean {
  const inner = controller[kState];
  return !inner.closeRequested && inner.stream[kState].state === "readable";
}

export function desiredSize(controller: any): number | null {
  const inner = controller[kState];
  const { state } = inner.stream[kState];
  if (state === "errored") return null;
  if (state === "closed") return 0;
  return inner.limit - inner.queue.total;
}

/** Whether the source is being asked too fast. */
export function hasBackpressure(controller: any): boolean {
  return !shouldPull(controller);
}

function shouldPull(controller: any): boolean {
  const inner = controller[kState];
  if (!canEnqueue(controller) || !inner.started) return false;
  if (waiting(inner.stream).length > 0) return true;
  return desiredSize(controller)! > 0;
}

function pullIfNeeded(controller: any): void {
  const inner = controller[kState];
  if (!shouldPull(controller)) return;
  if (inner.pulling) {
    inner.pullAgain = true;
    return;
  }
  inner.pulling = true;
  const { pull } = inner;
  promised(() => pull?.(controller)).then(
    () => {
      inner.pulling = false;
      if (inner.pullAgain) {
        inner.pullAgain = false;
        pullIfNeeded(controller);
      }
    },
    (error) => errorController(controller, error),
  );
}

export function closeController(controller: any): void {
  if (!canEnqueue(controller)) return;
  const inner = controller[kState];
  inner.closeRequested = true;
  if (!inner.queue.isEmpty) return;
  forgetSource(inner);
  closeStream(inner.stream);
}

export function enqueueController(controller: any, chunk: any): void {
  if (!canEnqueue(controller)) return;
  const inner = controller[kState];
  const requests = waiting(inner.stream);
  if (requests.length > 0) {
    requests.shift()!.chunk(chunk);
  } else {
    try {
      inner.queue.push(chunk, inner.size(chunk));
    } catch (error) {
      errorController(controller, error);
      throw error;
    }
  }
  pullIfNeeded(controller);
}

export function errorController(controller: any, error: any): void {
  const inner = controller[kState];
  if (inner.stream[kState].state !== "readable") return;
  inner.queue.clear();
  forgetSource(inner);
  failStream(inner.stream, error);
}

// Iteration

function iterate(stream: ReadableStream, preventCancel: boolean): AsyncIterableIterator<any> {
  const reader = new ReadableStreamDefaultReader(stream);
  let finished = false;
  let last: Promise<any> = Promise.resolve();

  const read = () =>
    new Promise<any>((resolve, reject) => {
      if (finished) {
        resolve({ value: undefined, done: true });
        return;
      }
      readFrom(reader, {
        chunk: (value) => resolve({ value, done: false }),
        close() {
          finished = true;
          releaseReader(reader);
          resolve({ value: undefined, done: true });
        },
        error(error) {
          finished = true;
          releaseReader(reader);
          reject(error);
        },
      });
    });
  const stop = async (value: any) => {
    if (finished) return { value, done: true };
    finished = true;
    if (preventCancel) {
      releaseReader(reader);
      return { value, done: true };
    }
    const canceled = cancelStream(stream, value);
    releaseReader(reader);
    await canceled;
    return { value, done: true };
  };
  // Calls run one after another, also when nobody waits in between.
  const queue = (step: () => Promise<any>) => {
    const result = last.then(step, step);
    last = result;
    quiet(result);
    return result;
  };
  const iterator = Object.create(IteratorPrototype);
  iterator.next = () => queue(read);
  iterator.return = (value?: any) => queue(() => stop(value));
  return iterator;
}

const IteratorPrototype = Object.create(
  Object.getPrototypeOf(Object.getPrototypeOf((async function* () {}).prototype)),
);

