/** The controller of byte streams. */

import { codeTypeError, invalidArgType, invalidArgValue } from "../errors.ts";
import { ReadableStreamBYOBRequest } from "./byob.ts";
import {
  illegalConstructor,
  invalidState,
  kInternal,
  kState,
  methodOf,
  promised,
  tag,
} from "./common.ts";
import {
  bareStream,
  closeStream,
  failStream,
  waiting,
  type ReadableStream,
  type ReadRequest,
} from "./readable.ts";

/** A buffer that waits to be filled. */
export interface PullInto {
  buffer: ArrayBuffer;
  offset: number;
  length: number;
  filled: number;
  /** Enough when this many bytes are in. */
  minimum: number;
  elementSize: number;
  View: any;
  /** Who waits for it; `none` after the reader let go. */
  reader: "default" | "byob" | "none";
}

interface ByteSource {
  start?: ((controller: any) => any) | undefined;
  pull?: ((controller: any) => any) | undefined;
  cancel?: ((reason: any) => any) | undefined;
  limit?: number;
  autoAllocate?: number | undefined;
}

/** Takes the memory over, so that the giver can no longer change it. */
export function transfer(buffer: any): ArrayBuffer {
  if (typeof buffer.transfer === "function") return buffer.transfer();
  return buffer.slice(0);
}

/** Whether the memory was taken over by someone else. */
export function isDetached(buffer: any): boolean {
  return buffer.detached === true;
}

export function isByteController(controller: any): boolean {
  return controller instanceof ReadableByteStreamController;
}

export class ReadableByteStreamController {
  declare [kState]: any;

  constructor(key?: symbol) {
    illegalConstructor(key);
  }

  get byobRequest(): ReadableStreamBYOBRequest | null {
    const inner = this[kState];
    if (!inner.request && inner.pulls.length > 0) {
      const first: PullInto = inner.pulls[0];
      const request = new ReadableStreamBYOBRequest(kInternal);
      request[kState] = {
        controller: this,
        view: new Uint8Array(first.buffer, first.offset + first.filled, first.length - first.filled),
      };
      inner.request = request;
    }
    return inner.request ?? null;
  }

  get desiredSize(): number | null {
    return desiredSize(this);
  }

  close(): void {
    if (!isOpen(this)) throw invalidState("Controller is already closed");
    closeBytes(this);
  }

  enqueue(chunk: any): void {
    if (!ArrayBuffer.isView(chunk)) throw invalidArgType("chunk", ["Buffer", "TypedArray", "DataView"], chunk);
    if (chunk.byteLength === 0 || chunk.buffer.byteLength === 0) {
      throw invalidState("chunk ArrayBuffer is zero-length or detached");
    }
    if (!isOpen(this)) throw invalidState("Controller is already closed");
    enqueueBytes(this, chunk);
  }

  error(error?: any): void {
    errorBytes(this, error);
  }
}
tag(ReadableByteStreamController, "ReadableByteStreamController");

/** Sets up `stream` for the bytes of a script's source. */
export function setUpFromSource(stream: ReadableStream, source: any, limit: number): void {
  const autoAllocate = source.autoAllocateChunkSize;
  if (autoAllocate !== undefined && !(Number.isInteger(autoAllocate) && autoAllocate > 0)) {
    throw invalidArgValue("source.autoAllocateChunkSize", autoAllocate);
  }
  setUp(stream, {
    start: methodOf(source, "start"),
    pull: methodOf(source, "pull"),
    cancel: methodOf(source, "cancel"),
    limit,
    autoAllocate,
  });
}

export function createByteStream(source: ByteSource): ReadableStream {
  const stream = bareStream();
  setUp(stream, source);
  return stream;
}

function setUp(stream: ReadableStream, source: ByteSource): void {
  const controller = new ReadableByteStreamController(kInternal);
  const inner: any = {
    stream,
    queue: [] as { buffer: ArrayBuffer; offset: number; length: number }[],
    total: 0,
    started: false,
    closeRequested: false,
    pulling: false,
    pullAgain: false,
    limit: source.limit ?? 0,
    autoAllocate: source.autoAllocate,
    pulls: [] as PullInto[],
    request: null,
    pull: source.pull,
    cancel: source.cancel,
  };
  controller[kState] = inner;
  const state = stream[kState];
  state.controller = controller;
  state.source = {
    pull(request) {
      if (inner.total > 0) {
        serveFromQueue(controller, request);
        return;
      }
      if (inner.autoAllocate !== undefined) {
        inner.pulls.push({
          buffer: new ArrayBuffer(inner.autoAllocate),
          offset: 0,
          length: inner.autoAllocate,
          filled: 0,
          minimum: 1,
          elementSize: 1,
          View: Uint8Array,
          reader: "default",
        });
      }
      state.reader[kState].requests.push(request);
      pullIfNeeded(controller);
    },
    cancel(reason) {
      invalidateRequest(inner);
      inner.pulls = [];
      inner.queue = [];
      inner.total = 0;
      const { cancel } = inner;
      forgetSource(inner);
      return promised(() => cancel?.(reason));
    },
    release() {
      if (inner.pulls.length === 0) return;
      inner.pulls[0].reader = "none";
      inner.pulls = [inner.pulls[0]];
    },
  };
  const startResult = source.start?.(controller);
  Promise.resolve(startResult).then(
    () => {
      inner.started = true;
      pullIfNeeded(controller);
    },
    (error) => errorBytes(controller, error),
  );
}

function forgetSource(inner: any): void {
  inner.pull = inner.cancel = undefined;
}

function isOpen(controller: any): boolean {
  const inner = controller[kState];
  return !inner.closeRequested && inner.stream[kState].state === "readable";
}

function desiredSize(controller: any): number | null {
  const inner = controller[kState];
  const { state } = inner.stream[kState];
  if (state === "errored") return null;
  if (state === "closed") return 0;
  return inner.limit - inner.total;
}

function pullIfNeeded(controller: any): void {
  const inner = controller[kState];
  if (!isOpen(controller) || !inner.started) return;
  if (waiting(inner.stream).length === 0 && !(desiredSize(controller)! > 0)) return;
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
    (error) => errorBytes(controller, error),
  );
}

export function closeBytes(controller: any): void {
  if (!isOpen(controller)) return;
  const inner = controller[kState];
  if (inner.total > 0) {
    inner.closeRequested = true;
    return;
  }
  const first: PullInto | undefined = inner.pulls[0];
  if (first && first.filled % first.elementSize !== 0) {
    const error = codeTypeError("ERR_INVALID_STATE", "Invalid state: Partial read");
    errorBytes(controller, error);
    throw error;
  }
  forgetSource(inner);
  closeStream(inner.stream);
}

export function errorBytes(controller: any, error: any): void {
  const inner = controller[kState];
  if (inner.stream[kState].state !== "readable") return;
  invalidateRequest(inner);
  inner.pulls = [];
  inner.queue = [];
  inner.total = 0;
  forgetSource(inner);
  failStream(inner.stream, error);
}

function invalidateRequest(inner: any): void {
  if (!inner.request) return;
  inner.request[kState] = { controller: undefined, view: null };
  inner.request = null;
}

export function enqueueBytes(controller: any, chunk: ArrayBufferView): void {
  if (!isOpen(controller)) return;
  const inner = controller[kState];
  const { byteOffset: offset, byteLength: length } = chunk;
  const buffer = transfer(chunk.buffer);
  const first: PullInto | undefined = inner.pulls[0];
  if (first) {
    if (isDetached(first.buffer)) throw invalidState("Destination ArrayBuffer is detached");
    invalidateRequest(inner);
    first.buffer = transfer(first.buffer);
    if (first.reader === "none") keepFilled(inner, first);
  }
  const { reader } = inner.stream[kState];
  if (reader && !reader[kState].byob) {
    const { requests } = reader[kState];
    while (requests.length > 0 && inner.total > 0) serveFromQueue(controller, requests.shift());
    if (requests.length === 0) {
      append(inner, buffer, offset, length);
    } else {
      inner.pulls.shift();
      requests.shift().chunk(new Uint8Array(buffer, offset, length));
    }
  } else {
    append(inner, buffer, offset, length);
    if (reader) fillPulls(controller).forEach((pull) => commit(inner.stream, pull));
  }
  pullIfNeeded(controller);
}

function append(inner: any, buffer: ArrayBuffer, offset: number, length: number): void {
  inner.queue.push({ buffer, offset, length });
  inner.total += length;
}

/** What was already filled for a reader that let go stays in the stream. */
function keepFilled(inner: any, pull: PullInto): void {
  if (pull.filled > 0) append(inner, pull.buffer.slice(pull.offset, pull.offset + pull.filled), 0, pull.filled);
  inner.pulls.shift();
}

function serveFromQueue(controller: any, request: ReadRequest): void {
  const inner = controller[kState];
  const { buffer, offset, length } = inner.queue.shift();
  inner.total -= length;
  afterTaking(controller);
  request.chunk(new Uint8Array(buffer, offset, length));
}

function afterTaking(controller: any): void {
  const inner = controller[kState];
  if (inner.total === 0 && inner.closeRequested) {
    forgetSource(inner);
    closeStream(inner.stream);
  } else {
    pullIfNeeded(controller);
  }
}

/** Copies queued bytes into a waiting buffer; says whether it has enough. */
function fill(inner: any, pull: PullInto): boolean {
  const most = pull.filled + Math.min(inner.total, pull.length - pull.filled);
  const aligned = most - (most % pull.elementSize);
  const ready = aligned >= pull.minimum;
  let left = (ready ? aligned : most) - pull.filled;
  while (left > 0) {
    const head = inner.queue[0];
    const count = Math.min(left, head.length);
    new Uint8Array(pull.buffer, pull.offset + pull.filled, count).set(new Uint8Array(head.buffer, head.offset, count));
    if (count === head.length) {
      inner.queue.shift();
    } else {
      head.offset += count;
      head.length -= count;
    }
    inner.total -= count;
    pull.filled += count;
    left -= count;
  }
  return ready;
}

function fillPulls(controller: any): PullInto[] {
  const inner = controller[kState];
  const done: PullInto[] = [];
  while (inner.pulls.length > 0 && inner.total > 0) {
    if (!fill(inner, inner.pulls[0])) break;
    invalidateRequest(inner);
    done.push(inner.pulls.shift());
  }
  return done;
}

function viewOf(pull: PullInto): any {
  return new pull.View(transfer(pull.buffer), pull.offset, pull.filled / pull.elementSize);
}

function commit(stream: ReadableStream, pull: PullInto): void {
  const request = waiting(stream).shift()!;
  const over = stream[kState].state === "closed";
  const view = viewOf(pull);
  if (!over) request.chunk(view);
  else if (pull.reader === "default") request.close();
  else request.close(view);
}

/** Takes what a source wrote into the first waiting buffer. */
export function respond(controller: any, written: number): void {
  const inner = controller[kState];
  const first: PullInto = inner.pulls[0];
  const { stream } = inner;
  invalidateRequest(inner);
  if (stream[kState].state === "closed") {
    if (first.reader === "none") inner.pulls.shift();
    if (stream[kState].reader?.[kState].byob) {
      while (waiting(stream).length > 0) commit(stream, inner.pulls.shift());
    }
    return;
  }
  first.filled += written;
  if (first.reader === "none") {
    keepFilled(inner, first);
    fillPulls(controller).forEach((pull) => commit(stream, pull));
  } else if (first.filled >= first.minimum) {
    inner.pulls.shift();
    const rest = first.filled % first.elementSize;
    if (rest > 0) {
      const end = first.offset + first.filled;
      append(inner, first.buffer.slice(end - rest, end), 0, rest);
      first.filled -= rest;
    }
    const more = fillPulls(controller);
    commit(stream, first);
    more.forEach((pull) => commit(stream, pull));
  }
  pullIfNeeded(controller);
}

/** Fills `view` now or when there are bytes. */
export function pullInto(controller: any, view: any, min: number, request: ReadRequest): void {
  const inner = controller[kState];
  const { stream } = inner;
  const View = view instanceof DataView ? DataView : Object.getPrototypeOf(view).constructor;
  const elementSize = view.BYTES_PER_ELEMENT ?? 1;
  const { byteOffset: offset, byteLength: length } = view;
  const pull: PullInto = {
    buffer: transfer(view.buffer),
    offset,
    length,
    filled: 0,
    minimum: min * elementSize,
    elementSize,
    View,
    reader: "byob",
  };
  const { requests } = stream[kState].reader[kState];
  if (inner.pulls.length > 0) {
    inner.pulls.push(pull);
    requests.push(request);
    return;
  }
  if (stream[kState].state === "closed") {
    request.close(new View(pull.buffer, offset, 0));
    return;
  }
  if (inner.total > 0) {
    if (fill(inner, pull)) {
      const filled = viewOf(pull);
      afterTaking(controller);
      request.chunk(filled);
      return;
    }
    if (inner.closeRequested) {
      const error = codeTypeError("ERR_INVALID_STATE", "Invalid state: ReadableStream closed");
      errorBytes(controller, error);
      request.error(error);
      return;
    }
  }
  inner.pulls.push(pull);
  requests.push(request);
  pullIfNeeded(controller);
}
