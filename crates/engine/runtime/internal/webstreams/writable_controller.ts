/** The controller of a `WritableStream`: one write at a time, then the close. */

import { lazyModule } from "../lazy.ts";
import { illegalConstructor, kInternal, kState, promised, SizedQueue, tag } from "./common.ts";
import { finishErroring, isClosing, onFailure, setBackpressure, startErroring, type WritableStream } from "./writable.ts";

const loadAbort = lazyModule("web/abort.ts");
const CLOSE = Symbol("close");

/** What a sink is made of, whether a script's or our own. */
export interface Sink {
  start?: ((controller: unknown) => any) | undefined;
  write?: ((chunk: unknown, controller: any) => any) | undefined;
  close?: (() => any) | undefined;
  abort?: ((reason: unknown) => any) | undefined;
  limit?: number;
  size?: (chunk: any) => number;
}

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

/** Gives `stream` a controller over `sink` and starts it. */
export function setUpController(stream: WritableStream, sink: Sink): void {
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

/** Lets go of the script's functions. */
export function forgetSink(inner: any): void {
  inner.write = inner.close = inner.abort = undefined;
  inner.size = () => 1;
}

/** Starts the next step of the queue when nothing is under way. */
export function advance(controller: any): void {
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

/** Closes once everything that waits has been written. */
export function requestClose(controller: any): void {
  controller[kState].queue.push(CLOSE, 0);
  advance(controller);
}
