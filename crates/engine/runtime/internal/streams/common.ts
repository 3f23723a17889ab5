/** What all kinds of Node streams share: limits, chunk queues, and questions about foreign streams. */

import { codeError, invalidArgValue } from "../errors.ts";
import { lazyModule } from "../lazy.ts";

const loadBuffer = lazyModule("node/buffer.ts");

let bytesLimit = 64 * 1024;
let objectsLimit = 16;

/** The high water mark of streams that do not set one. */
export function getDefaultHighWaterMark(objectMode?: boolean): number {
  return objectMode ? objectsLimit : bytesLimit;
}

export function setDefaultHighWaterMark(objectMode: boolean, value: number): void {
  if (!Number.isInteger(value) || value < 0) throw invalidArgValue("value", value);
  if (objectMode) objectsLimit = value;
  else bytesLimit = value;
}

/** The limit that `options` ask for; `side` is `readable` or `writable` for a duplex. */
export function highWaterMarkOf(options: any, objectMode: boolean, side: string, isDuplex: boolean): number {
  const key = `${side}HighWaterMark`;
  const wanted = options?.highWaterMark ?? (isDuplex ? options?.[key] : undefined);
  if (wanted === undefined || wanted === null) return getDefaultHighWaterMark(objectMode);
  if (!Number.isInteger(wanted) || wanted < 0) {
    throw invalidArgValue(options.highWaterMark == null ? `options.${key}` : "options.highWaterMark", wanted);
  }
  return wanted;
}

/** `Buffer`, loaded when the first bytes need it. */
export function bufferClass(): any {
  return loadBuffer().Buffer;
}

/** The bytes of a view as a `Buffer` over the same memory. */
export function toBuffer(view: ArrayBufferView): any {
  const Buffer = bufferClass();
  return view instanceof Buffer ? view : Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

/** A queue of chunks: taking from the front does not move the rest. */
export class ChunkQueue {
  #items: any[] = [];
  #head = 0;

  get count(): number {
    return this.#items.length - this.#head;
  }
  get first(): any {
    return this.#items[this.#head];
  }
  push(item: any): void {
    this.#items.push(item);
  }
  unshift(item: any): void {
    if (this.#head > 0) this.#items[--this.#head] = item;
    else this.#items.unshift(item);
  }
  shift(): any {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
  /** Everything, leaving the queue empty. */
  drain(): any[] {
    const items = this.toArray();
    this.clear();
    return items;
  }
  toArray(): any[] {
    return this.#head === 0 ? this.#items.slice() : this.#items.slice(this.#head);
  }
  clear(): void {
    this.#items = [];
    this.#head = 0;
  }
}

const state = {
  readable: (stream: any) => stream?._readableState,
  writable: (stream: any) => stream?._writableState,
};

export function isReadableNode(stream: any, strict = false): boolean {
  return Boolean(
    stream &&
      typeof stream.pipe === "function" &&
      typeof stream.on === "function" &&
      (!strict || (typeof stream.pause === "function" && typeof stream.resume === "function")) &&
      (!state.writable(stream) || state.readable(stream)?.readable !== false) &&
      (!state.writable(stream) || state.readable(stream)),
  );
}

export function isWritableNode(stream: any): boolean {
  return Boolean(
    stream &&
      typeof stream.write === "function" &&
      typeof stream.on === "function" &&
      (!state.readable(stream) || state.writable(stream)?.writable !== false),
  );
}

export function isNodeStream(value: any): boolean {
  return Boolean(
    value &&
      (state.readable(value) ||
        state.writable(value) ||
        (typeof value.write === "function" && typeof value.on === "function") ||
        (typeof value.pipe === "function" && typeof value.on === "function")),
  );
}

export function isReadableWeb(value: any): boolean {
  return Boolean(
    value && !isNodeStream(value) && typeof value.pipeThrough === "function" && typeof value.getReader === "function",
  );
}

export function isWritableWeb(value: any): boolean {
  return Boolean(value && !isNodeStream(value) && typeof value.getWriter === "function" && typeof value.abort === "function");
}

export function isTransformWeb(value: any): boolean {
  return Boolean(
    value && !isNodeStream(value) && isReadableWeb(value.readable) && isWritableWeb(value.writable),
  );
}

export function isWebStream(value: any): boolean {
  return isReadableWeb(value) || isWritableWeb(value) || isTransformWeb(value);
}

/** Whether `value` can be iterated: `true` for asynchronously only, `false` for synchronously only. */
export function isIterable(value: any, isAsync?: boolean): boolean {
  if (value === null || value === undefined) return false;
  if (isAsync === true) return typeof value[Symbol.asyncIterator] === "function";
  if (isAsync === false) return typeof value[Symbol.iterator] === "function";
  return typeof value[Symbol.asyncIterator] === "function" || typeof value[Symbol.iterator] === "function";
}

export function isDestroyed(stream: any): boolean | null {
  if (!isNodeStream(stream)) return null;
  const side = state.writable(stream) ?? state.readable(stream);
  return Boolean(stream.destroyed || side?.destroyed);
}

export function isErrored(stream: any): boolean {
  if (stream && typeof stream.getReader === "function") return stream[kWebState]?.() === "errored";
  return Boolean(state.writable(stream)?.errored ?? state.readable(stream)?.errored);
}

export function isDisturbed(stream: any): boolean {
  if (stream && typeof stream[kWebDisturbed] === "function") return stream[kWebDisturbed]();
  return Boolean(stream && (stream.readableDidRead || stream.readableAborted));
}

export function isReadable(stream: any): boolean | null {
  if (stream && typeof stream[kWebState] === "function" && typeof stream.getReader === "function") {
    return stream[kWebState]() === "readable";
  }
  if (typeof stream?.readable !== "boolean") return null;
  if (isDestroyed(stream)) return false;
  return isReadableNode(stream) && stream.readable && !isReadableFinished(stream);
}

export function isWritable(stream: any): boolean | null {
  if (stream && typeof stream[kWebState] === "function" && typeof stream.getWriter === "function") {
    return stream[kWebState]() === "writable";
  }
  if (typeof stream?.writable !== "boolean") return null;
  if (isDestroyed(stream)) return false;
  return isWritableNode(stream) && stream.writable && !stream._writableState?.ended;
}

/** Whether everything was read; without `strict` also when the source has ended and nothing is buffered. */
export function isReadableFinished(stream: any, strict = true): boolean | null {
  if (!isReadableNode(stream)) return null;
  const side = state.readable(stream);
  if (side?.errored) return false;
  if (typeof side?.endEmitted !== "boolean") return null;
  return side.endEmitted || (!strict && side.ended === true && side.length === 0);
}

/** Whether everything was written; without `strict` also when the end was asked for and nothing is buffered. */
export function isWritableFinished(stream: any, strict = true): boolean | null {
  if (!isWritableNode(stream)) return null;
  if (stream.writableFinished === true) return true;
  const side = state.writable(stream);
  if (side?.errored) return false;
  if (typeof side?.finished !== "boolean") return null;
  return side.finished || (!strict && side.ended === true && side.length === 0);
}

/** Whether the stream has emitted `close`; `null` when it cannot be known. */
export function isClosed(stream: any): boolean | null {
  if (!isNodeStream(stream)) return null;
  if (typeof stream.closed === "boolean") return stream.closed;
  const closed = state.writable(stream)?.closed ?? state.readable(stream)?.closed;
  return typeof closed === "boolean" ? closed : null;
}

/** How a web stream tells its state: a method giving `readable`, `writable`, `closed` or `errored`. */
export const kWebState = Symbol.for("tau.webStream.state");
/** How a web stream tells whether it was ever read. */
export const kWebDisturbed = Symbol.for("tau.webStream.disturbed");

export function prematureClose(): Error {
  return codeError("ERR_STREAM_PREMATURE_CLOSE", "Premature close");
}
