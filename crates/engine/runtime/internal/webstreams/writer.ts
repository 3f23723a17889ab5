/** The writer of a `WritableStream`. */

import { invalidArgType } from "../errors.ts";
import { deferred, invalidState, kState, quiet, rejected, resolved, tag } from "./common.ts";
import {
  abortStream,
  closeStream,
  isClosing,
  isWritableStream,
  setBackpressure,
  startErroring,
  type WritableStream,
} from "./writable.ts";
import { advance } from "./writable_controller.ts";

/** Fails `writer.ready`. */
export function rejectReady(writer: any, error: any): void {
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
