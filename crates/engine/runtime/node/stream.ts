/** `node:stream`. The default export is `Stream` itself, with everything else as its properties. */

import { addAbortSignal } from "../internal/streams/abort_signal.ts";
import {
  getDefaultHighWaterMark,
  isDestroyed,
  isDisturbed,
  isErrored,
  isReadable,
  isWritable,
  setDefaultHighWaterMark,
} from "../internal/streams/common.ts";
import { compose } from "../internal/streams/compose.ts";
import { destroyer as destroy } from "../internal/streams/destroy.ts";
import { Duplex, PassThrough, Transform } from "../internal/streams/duplex.ts";
import { duplexPair } from "../internal/streams/duplex_pair.ts";
import { finished } from "../internal/streams/finished.ts";
import { Stream } from "../internal/streams/legacy.ts";
import { pipeline } from "../internal/streams/pipeline.ts";
import { Readable } from "../internal/streams/readable.ts";
import { ReadableState } from "../internal/streams/readable_state.ts";
import { Writable } from "../internal/streams/writable.ts";
import { WritableState } from "../internal/streams/writable_state.ts";
import { lazyModule } from "../internal/lazy.ts";
import { kPromisify } from "../internal/symbols.ts";
import promises from "./stream/promises.ts";

const loadAdapters = lazyModule("internal/streams/web_adapters.ts");

Object.assign(Readable, {
  ReadableState,
  fromWeb: (stream: unknown, options?: unknown) => loadAdapters().readableFromWeb(stream, options),
  toWeb: (stream: unknown, options?: unknown) => loadAdapters().readableToWeb(stream, options),
});
Object.assign(Writable, {
  WritableState,
  fromWeb: (stream: unknown, options?: unknown) => loadAdapters().writableFromWeb(stream, options),
  toWeb: (stream: unknown) => loadAdapters().writableToWeb(stream),
});
Object.assign(Duplex, {
  fromWeb: (pair: unknown, options?: unknown) => loadAdapters().duplexFromWeb(pair, options),
  toWeb: (duplex: unknown) => loadAdapters().duplexToWeb(duplex),
});

Object.defineProperty(pipeline, kPromisify, { get: () => promises.pipeline, configurable: true });
Object.defineProperty(finished, kPromisify, { get: () => promises.finished, configurable: true });

/** Bytes of any kind as a `Buffer`, without a copy. */
export function _uint8ArrayToBuffer(bytes: Uint8Array): any {
  return (globalThis as any).Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function _isArrayBufferView(value: unknown): boolean {
  return ArrayBuffer.isView(value);
}

export function _isUint8Array(value: unknown): boolean {
  return value instanceof Uint8Array;
}

Object.assign(Stream, {
  _isArrayBufferView,
  _isUint8Array,
  _uint8ArrayToBuffer,
  addAbortSignal,
  compose,
  destroy,
  Duplex,
  duplexPair,
  finished,
  getDefaultHighWaterMark,
  isDestroyed,
  isDisturbed,
  isErrored,
  isReadable,
  isWritable,
  PassThrough,
  pipeline,
  promises,
  Readable,
  setDefaultHighWaterMark,
  Stream,
  Transform,
  Writable,
});

export {
  addAbortSignal,
  compose,
  destroy,
  Duplex,
  duplexPair,
  finished,
  getDefaultHighWaterMark,
  isDestroyed,
  isDisturbed,
  isErrored,
  isReadable,
  isWritable,
  PassThrough,
  pipeline,
  promises,
  Readable,
  setDefaultHighWaterMark,
  Stream,
  Transform,
  Writable,
};

export default Stream;
