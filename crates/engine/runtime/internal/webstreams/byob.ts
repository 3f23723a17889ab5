/** Readers that bring their own buffer, and what a source sees of that buffer. */

import { codeRangeError, invalidArgType, invalidArgValue, outOfRange } from "../errors.ts";
import { isByteController, isDetached, pullInto, respond, transfer, type PullInto } from "./bytes.ts";
import { illegalConstructor, invalidState, kState, tag } from "./common.ts";
import { attachReader, cancelStream, releaseReader, type ReadableStream, type ReadRequest } from "./readable.ts";

export class ReadableStreamBYOBReader {
  declare [kState]: any;

  constructor(stream: ReadableStream) {
    if (stream && stream[kState] && !isByteController(stream[kState].controller)) {
      throw invalidArgType("reader", "ReadableByteStreamController", stream[kState].controller);
    }
    attachReader(this, stream, true);
  }

  async read(view: unknown, options: { min?: number } = {}): Promise<{ value: any; done: boolean }> {
    if (!ArrayBuffer.isView(view)) throw invalidArgType("view", ["Buffer", "TypedArray", "DataView"], view);
    if (view.byteLength === 0 || view.buffer.byteLength === 0) {
      throw invalidState("View ArrayBuffer is zero-length or detached");
    }
    const min = options?.min ?? 1;
    const size = (view as any).length ?? view.byteLength;
    if (!Number.isInteger(min) || min < 1) throw invalidArgValue("options.min", min);
    if (min > size) throw outOfRange("options.min", `<= ${size}`, min);
    const { stream } = this[kState];
    if (stream === undefined) throw invalidState("The reader is not attached to a stream");
    return new Promise((resolve, reject) => {
      const request: ReadRequest = {
        chunk: (value) => resolve({ value, done: false }),
        close: (value) => resolve({ value, done: true }),
        error: reject,
      };
      const state = stream[kState];
      state.disturbed = true;
      if (state.state === "errored") request.error(state.error);
      else pullInto(state.controller, view, min, request);
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
tag(ReadableStreamBYOBReader, "ReadableStreamBYOBReader");

/** The buffer a source may fill directly. */
export class ReadableStreamBYOBRequest {
  declare [kState]: any;

  constructor(key?: symbol) {
    illegalConstructor(key);
  }

  get view(): Uint8Array | null {
    return this[kState].view;
  }

  respond(bytesWritten: number): void {
    const { controller, view } = this[kState];
    if (!controller) throw invalidState("This BYOB request has been invalidated");
    if (isDetached(view.buffer)) throw invalidState("Viewed ArrayBuffer is detached");
    const inner = controller[kState];
    const first: PullInto = inner.pulls[0];
    const written = Number(bytesWritten);
    if (inner.stream[kState].state === "closed") {
      if (written !== 0) throw invalidArgValue("bytesWritten", written);
    } else {
      if (written === 0) throw invalidState("Controller is closed");
      if (first.filled + written > first.length) {
        throw invalidArgValue("bytesWritten", written, "is invalid", RangeError);
      }
    }
    first.buffer = transfer(first.buffer);
    respond(controller, written);
  }

  respondWithNewView(view: unknown): void {
    const { controller } = this[kState];
    if (!controller) throw invalidState("This BYOB request has been invalidated");
    if (!ArrayBuffer.isView(view)) throw invalidArgType("view", ["Buffer", "TypedArray", "DataView"], view);
    if (isDetached(view.buffer)) throw invalidState("Viewed ArrayBuffer is detached");
    const inner = controller[kState];
    const first: PullInto = inner.pulls[0];
    if (inner.stream[kState].state === "closed") {
      if (view.byteLength !== 0) throw invalidState("View is not zero-length");
    } else if (view.byteLength === 0) {
      throw invalidState("View is zero-length");
    }
    if (first.offset + first.filled !== view.byteOffset || first.filled + view.byteLength > first.length) {
      throw codeRangeError("ERR_INVALID_ARG_VALUE", "The argument 'view' is invalid");
    }
    const { byteLength } = view;
    first.buffer = transfer(view.buffer);
    respond(controller, byteLength);
  }
}
tag(ReadableStreamBYOBRequest, "ReadableStreamBYOBRequest");
