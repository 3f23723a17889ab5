/** `WritableStream` with its writer and controller. */

import { codeTypeError, invalidArgType, invalidArgValue } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { kWebState } from "../streams/common.ts";
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

const loadAbort = lazyModule("web/abort.ts");
const CLOSE = Symbol("close");

interface StreamState {
  state: "writable" | "erroring" | "errored" | "closed";
  error: any;
  writer: any;
  controller: any;
  /** Promises of writes that wait in the queue. */
  requests: Deferred<void>[];
  writing: Deferred<void> | undefined;
  closeRequest: Deferred<void> | undefined;
  closing: Deferred<void> | undefined;
  pendingAbort: { done: Deferred<void>; reason: any; wasErroring: boolean } | undefined;
  backpressure: boolean;
  ended: Deferred<void>;
}

/** What a sink is made of, whether a script's or our own. */
export interface Sink {
  start?: ((controller: any) => any) | undefined;
  write?: ((chunk: any, controller: any) => any) | undefined;
  close?: (() => any) | undefined;
  abort?: ((reason: any) => any) | undefined;
  limit?: number;
  size?: (chunk: any) => number;
}

export class WritableStream {
  declare [kState]: StreamState;

  constructor(sink?: any, strategy?: any) {
    initStream(this);
    if (sink === kInternal) return;
    if (sink !== undefined && (sink === null || typeof sink !== "object")) throw invalidArgType("sink", "Object", sink);
    if (sink?.type !== undefined) throw invalidArgValue("type", sink.type, "is invalid", RangeError);
    setUpController(this, {
      start: methodOf(sink, "start"),
      write: methodOf(sink, "write"),
      close: methodOf(sink, "close"),
      abort: methodOf(sink, "abort"),
      limit: limitOf(strategy, 1),
      size: sizeOf(strategy),
    });
  }

  get locked(): boolean {
    return stateOf(this, WritableStream, "WritableStream").writer !== undefined;
  }

  abort(reason?: any): Promise<void> {
    if (!isWritableStream(this)) return Promise.reject(codeTypeError("ERR_INVALID_THIS", 'Value of "this" must be of type WritableStream'));
    if (this.locked) return Promise.reject(invalidState("WritableStream is locked"));
    return abortStream(this, reason);
  }

  close(): Promise<void> {
    if (!isWritableStream(this)) return Promise.reject(codeTypeError("ERR_INVALID_THIS", 'Value of "this" must be of type WritableStream'));
    if (this.locked) return Promise.reject(invalidState("WritableStream is locked"));
    if (isClosing(this)) return Promise.reject(invalidState("Failure closing WritableStream"));
    return closeStream(this);
  }

  getWriter(): WritableStreamDefaultWriter {
    return new WritableStreamDefaultWriter(this);
  }

  [kWebState](): string {
    const { state } = this[kState];
    return state === "erroring" ? "errored" : state;
  }
  [kWebClosed](): Promise<void> {
    return this[kState].ended.promise;
  }
}
tag(WritableStream, "WritableStream");

export function isWritableStream(value: any): value is WritableStream {
  return value instanceof WritableStream && Boolean(value[kState]);
}

function initStream(stream: WritableStream): void {
  stream[kState] = {
    state: "writable",
    error: undefined,
    writer: undefined,
    controller: undefined,
    requests: [],
    writing: undefined,
    closeRequest: undefined,
    closing: undefined,
    pendingAbort: undefined,
    backpressure: false,
    ended: deferred(),
  };
  quiet(stream[kState].ended.promise);
}

export function createWritable(sink: Sink): WritableStream {
  const stream = new WritableStream(kInternal);
  setUpController(stream, sink);
  return stream;
}

/** Whether closing was asked for or is under way. */
export function isClosing(stream: WritableStream): boolean {
  const state = stream[kState];
  return state.closeRequest !== undefined || state.closing !== undefined;
}

export function abortStream(stream: WritableStream, reason: any): Promise<void> {
  const state = stream[kState];
  if (state.state === "closed" || state.state === "errored") return Promise.resolve();
  state.controller[kState].abortController?.abort(reason);
  state.controller[kState].aborted = { reason };
  // A listener of the signal may have changed everything.
  const now = state.state as string;
  if (now === "closed" || now === "errored") return Promise.resolve();
  if (state.pendingAbort) return state.pendingAbort.done.promise;
  const wasErroring = now === "erroring";
  const done = deferred<void>();
  state.pendingAbort = { done, reason: wasErroring ? undefined : reason, wasErroring };
  if (!wasErroring) startErroring(stream, reason);
  return done.promise;
}

export function closeStream(stream: WritableStream): Promise<void> {
  const state = stream[kState];
  if (state.state === "closed" || state.state === "errored") {
    return Promise.reject(invalidState(`The WritableStream is ${state.state}`));
  }
  const request = deferred<void>();
  state.closeRequest = request;
  const writer = state.writer?.[kState];
  if (writer && state.backpressure && state.state === "writable") writer.ready.resolve(undefined);
  const inner = state.controller[kState];
  inner.queue.push(CLOSE, 0);
  advance(state.controller);
  return request.promise;
}

function startErroring(stream: WritableStream, reason: any): void {
  const state = stream[kState];
  state.state = "erroring";
  state.error = reason;
  const writer = state.writer?.[kState];
  if (writer) rejectReady(writer, reason);
  if (!state.writing && !state.closing && state.controller[kState].started) finishErroring(stream);
}

function finishErroring(stream: WritableStream): void {
  const state = stream[kState];
  state.state = "errored";
  const inner = state.controller[kState];
  inner.queue.clear();
  for (const request of state.requests.splice(0)) request.reject(state.error);
  const pending = state.pendingAbort;
  if (!pending) {
    rejectClosed(stream);
    return;
  }
  state.pendingAbort = undefined;
  if (pending.wasErroring) {
    pending.done.reject(state.error);
    rejectClosed(stream);
    return;
  }
  const { abort } = inner;
  forgetSink(inner);
  promised(() => abort?.(pending.reason)).then(
    () => {
      pending.done.resolve(undefined);
      rejectClosed(stream);
    },
    (error) => {
      pending.done.reject(error);
      rejectClosed(stream);
    },
  );
}

function rejectClosed(stream: WritableStream): void {
  const state = stream[kState];
  if (state.closeRequest) {
    state.closeRequest.reject(state.error);
    state.closeRequest = undefined;
  }
  state.ended.reject(state.error);
  const writer = state.writer?.[kState];
  if (writer) {
    quiet(writer.closed.promise);
    writer.closed.reject(state.error);
  }
}

function setBackpressure(stream: WritableStream, backpressure: boolean): void {
  const state = stream[kState];
  const writer = state.writer?.[kState];
  if (writer && backpressure !== state.backpressure) {
    if (backpressure) writer.ready = deferred();
    else writer.ready.resolve(undefined);
  }
  state.backpressure = backpressure;
}

/** A write or a close failed. */
function onFailure(stream: WritableStream, error: any): void {
  if (stream[kState].state === "writable") startErroring(stream, error);
  else finishErroring(stream);
}

// The writer

function rejectReady(writer: any, error: any): void {
  if (writer.ready.pending) {
    quiet(writer.ready.promise);
    writer.ready.reject(error);
  } else {
    writer.ready = rejected(error);
  }
}

export class WritableStreamDefaultWriter {
  declare [kState]: any;

  constructor(stream: WritableStream) {
    if (!isWritableStream(stream)) throw invalidArgType("stream", "WritableStream", stream);
    const state = stream[kState];
    if (state.writer) throw invalidState("WritableStream is locked");
    const inner: any = { stream };
    switch (state.state) {
      case "writable":
        inner.ready = !isClosing(stream) && state.backpressure ? deferred() : resolved();
        inner.closed = deferred();
        break;
      case "erroring":
        inner.ready = rejected(state.error);
        inner.closed = deferred();
        break;
      case "closed":
        inner.ready = resolved();
        inner.closed = resolved();
        break;
      default:
        inner.ready = rejected(state.error);
        inner.closed = rejected(state.error);
    }
    this[kState] = inner;
    state.writer = this;
  }

  get closed(): Promise<void> {
    return this[kState].closed.promise;
  }

  get ready(): Promise<void> {
    return this[kState].ready.promise;
  }

  get desiredSize(): number | null {
    const { stream } = this[kState];
    if (stream === undefined) throw invalidState("Writer is not bound to a WritableStream");
    return writerDesiredSize(stream);
  }

  abort(reason?: any): Promise<void> {
    const { stream } = this[kState];
    if (stream === undefined) return Promise.reject(invalidState("Writer is not bound to a WritableStream"));
    return abortStream(stream, reason);
  }

  close(): Promise<void> {
    const { stream } = this[kState];
    if (stream === undefined) return Promise.reject(invalidState("Writer is not bound to a WritableStream"));
    if (isClosing(stream)) return Promise.reject(invalidState("Failure to close WritableStream"));
    return closeStream(stream);
  }

  write(chunk?: any): Promise<void> {
    if (this[kState].stream === undefined) return Promise.reject(invalidState("Writer is not bound to a WritableStream"));
    return writeTo(this, chunk);
  }

  releaseLock(): void {
    releaseWriter(this);
  }
}
tag(WritableStreamDefaultWriter, "WritableStreamDefaultWriter");

export function releaseWriter(writer: any): void {
  const inner = writer[kState];
  const { stream } = inner;
  if (stream === undefined) return;
  const error = invalidState("Writer has been released");
  rejectReady(inner, error);
  if (inner.closed.pending) {
    quiet(inner.closed.promise);
    inner.closed.reject(error);
  } else {
    inner.closed = rejected(error);
  }
  stream[kState].writer = undefined;
  inner.stream = undefined;
}

export function writerDesiredSize(stream: WritableStream): number | null {
  const state = stream[kState];
  if (state.state === "errored" || state.state === "erroring") return null;
  if (state.state === "closed") return 0;
  const inner = state.controller[kState];
  return inner.limit - inner.queue.total;
}

export function writeTo(writer: any, chunk: any): Promise<void> {
  const { stream } = writer[kState];
  const state = stream[kState];
  const { controller } = state;
  const inner = controller[kState];
  let size = 1;
  try {
    size = inner.size(chunk);
  } catch (error) {
    if (state.state === "writable") startErroring(stream, error);
  }
  if (writer[kState].stream !== stream) return Promise.reject(invalidState("Mismatched WritableStreams"));
  if (state.state === "errored") return Promise.reject(state.error);
  if (isClosing(stream) || state.state === "closed") return Promise.reject(invalidState("WritableStream is closed"));
  if (state.state === "erroring") return Promise.reject(state.error);
  const request = deferred<void>();
  state.requests.push(request);
  try {
    inner.queue.push(chunk, size);
  } catch (error) {
    if (state.state === "writable") startErroring(stream, error);
    return request.promise;
  }
  if (!isClosing(stream) && state.state === "writable") setBackpressure(stream, inner.limit - inner.queue.total <= 0);
  advance(controller);
  return request.promise;
}

/** Closes unless that is under way already; what `pipeTo` does at the end. */
export function closeFromPipe(writer: any): Promise<void> {
  const { stream } = writer[kState];
  const state = stream[kState];
  if (isClosing(stream) || state.state === "closed") return Promise.resolve();
  if (state.state === "errored") return Promise.reject(state.error);
  return closeStream(stream);
}

// The controller

export class WritableStreamDefaultController {
  declare [kState]: any;

  constructor(key?: symbol) {
    illegalConstructor(key);
  }

  get signal(): AbortSignal {
    const inner = this[kState];
    if (!inner.abortController) {
      inner.abortController = new (loadAbort().AbortController)();
      if (inner.aborted) inner.abortController.abort(inner.aborted.reason);
    }
    return inner.abortController.signal;
  }

  error(error?: any): void {
    errorController(this, error);
  }
}
tag(WritableStreamDefaultController, "WritableStreamDefaultController");

export function errorController(controller: any, error: any): void {
  const { stream } = controller[kState];
  if (stream[kState].state !== "writable") return;
  forgetSink(controller[kState]);
  startErroring(stream, error);
}

/** As `errorController`, but the sink's `abort` may still be called. */
export function errorIfNeeded(stream: WritableStream, error: any): void {
  if (stream[kState].state === "writable") startErroring(stream, error);
}

function setUpController(stream: WritableStream, sink: Sink): void {
  const controller = new WritableStreamDefaultController(kInternal);
  const inner: any = {
    stream,
    queue: new SizedQueue(),
    started: false,
    limit: sink.limit ?? 1,
    size: sink.size ?? (() => 1),
    write: sink.write,
    close: sink.close,
    abort: sink.abort,
    abortController: undefined,
    aborted: undefined,
  };
  controller[kState] = inner;
  stream[kState].controller = controller;
  setBackpressure(stream, inner.limit <= 0);
  const startResult = sink.start?.(controller);
  Promise.resolve(startResult).then(
    () => {
      inner.started = true;
      advance(controller);
    },
    (error) => {
      inner.started = true;
      onFailure(stream, error);
    },
  );
}

function forgetSink(inner: any): void {
  inner.write = inner.close = inner.abort = undefined;
  inner.size = () => 1;
}

/** Starts the next step of the queue when nothing is under way. */
function advance(controller: any): void {
  const inner = controller[kState];
  const { stream } = inner;
  const state = stream[kState];
  if (!inner.started || state.writing) return;
  if (state.state === "erroring") {
    finishErroring(stream);
    return;
  }
  if (inner.queue.isEmpty) return;
  const chunk = inner.queue.peek();
  if (chunk === CLOSE) runClose(stream, inner);
  else runWrite(stream, controller, chunk);
}

function runWrite(stream: WritableStream, controller: any, chunk: any): void {
  const state = stream[kState];
  const inner = controller[kState];
  state.writing = state.requests.shift();
  const { write } = inner;
  promised(() => write?.(chunk, controller)).then(
    () => {
      state.writing!.resolve(undefined);
      state.writing = undefined;
      inner.queue.shift();
      if (!isClosing(stream) && state.state === "writable") {
        setBackpressure(stream, inner.limit - inner.queue.total <= 0);
      }
      advance(controller);
    },
    (error) => {
      if (state.state === "writable") forgetSink(inner);
      state.writing!.reject(error);
      state.writing = undefined;
      onFailure(stream, error);
    },
  );
}

function runClose(stream: WritableStream, inner: any): void {
  const state = stream[kState];
  state.closing = state.closeRequest;
  state.closeRequest = undefined;
  inner.queue.shift();
  const { close } = inner;
  forgetSink(inner);
  promised(() => close?.()).then(
    () => {
      state.closing!.resolve(undefined);
      state.closing = undefined;
      if (state.state === "erroring") {
        // Closing won over a late error.
        state.error = undefined;
        state.pendingAbort?.done.resolve(undefined);
        state.pendingAbort = undefined;
      }
      state.state = "closed";
      state.ended.resolve(undefined);
      state.writer?.[kState].closed.resolve(undefined);
    },
    (error) => {
      state.closing!.reject(error);
      state.closing = undefined;
      state.pendingAbort?.done.reject(error);
      state.pendingAbort = undefined;
      onFailure(stream, error);
    },
  );
}
