/** `WritableStream`. Its writer and its controller have files of their own. */

import { invalidArgType, invalidArgValue, invalidThis } from "../errors.ts";
import { kWebState } from "../streams/common.ts";
import { kWebClosed } from "../streams/finished.ts";
import {
  deferred,
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
  type Deferred,
} from "./common.ts";
import { forgetSink, requestClose, setUpController, type Sink } from "./writable_controller.ts";
import { rejectReady, WritableStreamDefaultWriter } from "./writer.ts";

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

  abort(reason?: unknown): Promise<void> {
    if (!isWritableStream(this)) return Promise.reject(invalidThis("WritableStream"));
    if (this.locked) return Promise.reject(invalidState("WritableStream is locked"));
    return abortStream(this, reason);
  }

  close(): Promise<void> {
    if (!isWritableStream(this)) return Promise.reject(invalidThis("WritableStream"));
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

export function isWritableStream(value: unknown): value is WritableStream {
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

export function abortStream(stream: WritableStream, reason: unknown): Promise<void> {
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
  requestClose(state.controller);
  return request.promise;
}

export function startErroring(stream: WritableStream, reason: unknown): void {
  const state = stream[kState];
  state.state = "erroring";
  state.error = reason;
  const writer = state.writer?.[kState];
  if (writer) rejectReady(writer, reason);
  if (!state.writing && !state.closing && state.controller[kState].started) finishErroring(stream);
}

export function finishErroring(stream: WritableStream): void {
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

export function setBackpressure(stream: WritableStream, backpressure: boolean): void {
  const state = stream[kState];
  const writer = state.writer?.[kState];
  if (writer && backpressure !== state.backpressure) {
    if (backpressure) writer.ready = deferred();
    else writer.ready.resolve(undefined);
  }
  state.backpressure = backpressure;
}

/** A write or a close failed. */
export function onFailure(stream: WritableStream, error: unknown): void {
  if (stream[kState].state === "writable") startErroring(stream, error);
  else finishErroring(stream);
}

/** Fails a stream that is still open; the sink's `abort` may still be called. */
export function errorIfNeeded(stream: WritableStream, error: unknown): void {
  if (stream[kState].state === "writable") startErroring(stream, error);
}
