/** `Duplex`, `Transform` and `PassThrough`. */

import { methodNotImplemented } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { addAbortSignal } from "./abort_signal.ts";
import { construct, destroy } from "./destroy.ts";
import { getDefaultHighWaterMark } from "./common.ts";
import { Stream } from "./legacy.ts";
import { initReadable, onReadableConstructed, Readable } from "./readable.ts";
import {
  destroyWritable,
  initWritable,
  onWritableConstructed,
  writableMethods,
} from "./writable.ts";
import { writableProperties } from "./writable_state.ts";
import type * as types from "./classes.d.ts";

const loadDuplexify = lazyModule("internal/streams/duplexify.ts");

function Duplex(this: any, options?: any): any {
  if (!(this instanceof TypedDuplex)) return new TypedDuplex(options);
  initDuplex(this, options);
  construct(this, () => {
    onReadableConstructed(this);
    onWritableConstructed(this);
  });
}

type TypedDuplex = types.Duplex;
const TypedDuplex = Duplex as unknown as types.DuplexClass;
export { TypedDuplex as Duplex };

Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
Object.setPrototypeOf(Duplex, Readable);

function initDuplex(stream: any, options: any): void {
  Stream.call(stream, options);
  initReadable(stream, options, true);
  initWritable(stream, options, true);
  stream.allowHalfOpen = options?.allowHalfOpen !== false;
  if (options?.readable === false) {
    Object.assign(stream._readableState, { readable: false, ended: true, endEmitted: true });
  }
  if (options?.writable === false) {
    Object.assign(stream._writableState, { writable: false, ending: true, ended: true, finished: true });
  }
  if (typeof options?.construct === "function") stream._construct = options.construct;
  if (typeof options?.destroy === "function") stream._destroy = options.destroy;
  if (options?.signal) addAbortSignal(options.signal, stream);
}

const duplex = Duplex.prototype as any;
Object.assign(duplex, writableMethods);
Object.defineProperties(duplex, writableProperties);
Object.defineProperty(duplex, "destroyed", {
  configurable: true,
  get(this: any) {
    return Boolean(this._readableState?.destroyed && this._writableState?.destroyed);
  },
  set(this: any, value: boolean) {
    if (!this._readableState || !this._writableState) return;
    this._readableState.destroyed = value;
    this._writableState.destroyed = value;
  },
});
duplex.destroy = function (error?: any, callback?: any) {
  return (this._writableState ? destroyWritable : destroy).call(this, error, callback);
};

(Duplex as any).from = function (body: any) {
  return loadDuplexify().duplexify(body, "body");
};

// Transform

function Transform(this: any, options?: any): any {
  if (!(this instanceof TypedTransform)) return new TypedTransform(options);
  const ours: any = { ...options };
  // Bytes that only pass should not be buffered twice.
  const readableLimit = options?.readableHighWaterMark ?? options?.highWaterMark;
  if (readableLimit === 0) {
    ours.highWaterMark = undefined;
    ours.readableHighWaterMark = 0;
    ours.writableHighWaterMark =
      options.writableHighWaterMark ?? options.highWaterMark ?? getDefaultHighWaterMark(Boolean(options.objectMode));
  }
  this._transformCallback = null;
  initDuplex(this, ours);
  // The first read must not happen before there is something to transform.
  this._readableState.sync = false;
  if (typeof options?.transform === "function") this._transform = options.transform;
  if (typeof options?.flush === "function") this._flush = options.flush;
  this.on("prefinish", onPrefinish);
  construct(this, () => {
    onReadableConstructed(this);
    onWritableConstructed(this);
  });
}

type TypedTransform = types.Transform;
const TypedTransform = Transform as unknown as types.TransformClass;
export { TypedTransform as Transform };

Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);

const transform = Transform.prototype as any;

function flushed(stream: any, callback?: (error?: any) => void): void {
  if (typeof stream._flush !== "function" || stream.destroyed) {
    stream.push(null);
    callback?.();
    return;
  }
  stream._flush((error: any, data: any) => {
    if (error) {
      if (callback) callback(error);
      else stream.destroy(error);
      return;
    }
    if (data !== null && data !== undefined) stream.push(data);
    stream.push(null);
    callback?.();
  });
}

/** A subclass that has its own `_final` still gets its `_flush`. */
function onPrefinish(this: any): void {
  if (this._final !== transform._final) flushed(this);
}

transform._final = function (callback: (error?: any) => void) {
  flushed(this, callback);
};

transform._transform = function () {
  throw methodNotImplemented("_transform()");
};

transform._write = function (chunk: any, encoding: string, callback: (error?: any) => void) {
  const r = this._readableState;
  const before = r.length;
  this._transform(chunk, encoding, (error: any, value: any) => {
    if (error) {
      callback(error);
      return;
    }
    if (value !== null && value !== undefined) this.push(value);
    // The next chunk waits until there is room on the readable side.
    if (r.ended || before === r.length || r.length < r.highWaterMark) callback();
    else this._transformCallback = callback;
  });
};

transform._read = function () {
  const callback = this._transformCallback;
  if (!callback) return;
  this._transformCallback = null;
  callback();
};

// PassThrough

function PassThrough(this: any, options?: any): any {
  if (!(this instanceof TypedPassThrough)) return new TypedPassThrough(options);
  Transform.call(this, options);
}

type TypedPassThrough = types.PassThrough;
const TypedPassThrough = PassThrough as unknown as types.PassThroughClass;
export { TypedPassThrough as PassThrough };

Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);

(PassThrough.prototype as any)._transform = function (chunk: any, _encoding: string, callback: any) {
  callback(null, chunk);
};

