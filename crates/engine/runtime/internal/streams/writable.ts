/** `Writable`: buffering, corking, finishing. */

import { codeError, invalidArgType, methodNotImplemented, unknownEncoding } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { kRejection } from "../symbols.ts";
import { nextTick } from "../tick.ts";
import { normalizeEncoding } from "../validators.ts";
import { addAbortSignal } from "./abort_signal.ts";
import { bufferClass, toBuffer } from "./common.ts";
import { construct, destroy, errorOrDestroy, undestroy } from "./destroy.ts";
import { Stream } from "./legacy.ts";
import { getter, writableProperties, WritableState, type Callback } from "./writable_state.ts";
import type * as types from "./classes.d.ts";

const loadFinished = lazyModule("internal/streams/finished.ts");
const nothing = () => {};

function Writable(this: any, options?: any): any {
  if (!(this instanceof TypedWritable)) return new TypedWritable(options);
  Stream.call(this, options);
  initWritable(this, options, false);
  if (typeof options?.construct === "function") this._construct = options.construct;
  if (typeof options?.destroy === "function") this._destroy = options.destroy;
  if (options?.signal) addAbortSignal(options.signal, this);
  construct(this, () => onWritableConstructed(this));
}

type TypedWritable = types.Writable;
const TypedWritable = Writable as unknown as types.WritableClass;
export { TypedWritable as Writable };

Object.setPrototypeOf(Writable.prototype, Stream.prototype);
Object.setPrototypeOf(Writable, Stream);

// A duplex inherits from `Readable` alone, but is a `Writable` too.
Object.defineProperty(Writable, Symbol.hasInstance, {
  value: function (this: any, object: any) {
    if (Function.prototype[Symbol.hasInstance].call(this, object)) return true;
    return this === Writable && object?._writableState instanceof WritableState;
  },
  configurable: true,
});

/** Gives `stream` its writable side. */
export function initWritable(stream: any, options: any, isDuplex: boolean): void {
  stream._writableState = new WritableState(options, isDuplex);
  if (typeof options?.write === "function") stream._write = options.write;
  if (typeof options?.writev === "function") stream._writev = options.writev;
  if (typeof options?.final === "function") stream._final = options.final;
}

export function onWritableConstructed(stream: any): void {
  const state: WritableState = stream._writableState;
  if (!state.writing) writePending(stream, state);
  maybeFinish(stream, state);
}

/** The methods that a duplex takes over. */
export const writableMethods: Record<string, any> = {
  write(this: any, chunk: any, encoding?: any, callback?: any): boolean {
    return accept(this, chunk, encoding, callback) === true;
  },

  _write(this: any, chunk: any, encoding: string, callback: Callback): void {
    if (!this._writev) throw methodNotImplemented("_write()");
    this._writev([{ chunk, encoding }], callback);
  },

  _writev: null,

  cork(this: any): void {
    this._writableState.corked += 1;
  },

  uncork(this: any): void {
    const state: WritableState = this._writableState;
    if (state.corked === 0) return;
    state.corked -= 1;
    if (!state.writing) writePending(this, state);
  },

  setDefaultEncoding(this: any, encoding: string): any {
    const name = typeof encoding === "string" ? normalizeEncoding(encoding) : undefined;
    if (name === undefined) throw unknownEncoding(encoding);
    this._writableState.defaultEncoding = encoding.toLowerCase();
    return this;
  },

  end(this: any, chunk?: any, encoding?: any, callback?: any): any {
    const state: WritableState = this._writableState;
    if (typeof chunk === "function") {
      callback = chunk;
      chunk = encoding = undefined;
    } else if (typeof encoding === "function") {
      callback = encoding;
      encoding = undefined;
    }
    let error: any;
    if (chunk !== null && chunk !== undefined) {
      const result = accept(this, chunk, encoding);
      if (result instanceof Error) error = result;
    }
    if (state.corked) {
      state.corked = 1;
      this.uncork();
    }
    if (!error && !state.errored && !state.ending) {
      state.ending = true;
      maybeFinish(this, state, true);
      state.ended = true;
    } else if (state.finished) {
      error ??= codeError("ERR_STREAM_ALREADY_FINISHED", "Cannot call end after a stream was finished");
    } else if (state.destroyed) {
      error ??= destroyedError("end");
    }
    if (typeof callback === "function") {
      if (error) nextTick(callback, error);
      else if (state.errored) nextTick(callback, state.errored);
      else if (state.finished) nextTick(callback);
      else state.onFinish.push(callback);
    }
    return this;
  },
};

function destroyedError(name: string): Error {
  return codeError("ERR_STREAM_DESTROYED", `Cannot call ${name} after a stream was destroyed`);
}

/** Takes a chunk: `true` when more is welcome, `false` when not, an error when the stream is past writing. */
function accept(stream: any, chunk: any, encoding?: any, callback?: any): boolean | Error {
  const state: WritableState = stream._writableState;
  if (typeof encoding === "function") {
    callback = encoding;
    encoding = state.defaultEncoding;
  } else if (!encoding) {
    encoding = state.defaultEncoding;
  } else if (encoding !== "buffer" && normalizeEncoding(encoding) === undefined) {
    throw unknownEncoding(encoding);
  }
  if (typeof callback !== "function") callback = nothing;

  if (chunk === null) throw codeError("ERR_STREAM_NULL_VALUES", "May not write null values to stream", TypeError);
  if (!state.objectMode) {
    if (typeof chunk === "string") {
      if (state.decodeStrings) {
        chunk = bufferClass().from(chunk, encoding);
        encoding = "buffer";
      }
    } else if (ArrayBuffer.isView(chunk)) {
      chunk = toBuffer(chunk);
      encoding = "buffer";
    } else {
      throw invalidArgType("chunk", ["string", "Buffer", "TypedArray", "DataView"], chunk);
    }
  }

  let error: any;
  if (state.ending) error = codeError("ERR_STREAM_WRITE_AFTER_END", "write after end");
  else if (state.destroyed) error = destroyedError("write");
  if (error) {
    nextTick(callback, error);
    errorOrDestroy(stream, error, true);
    return error;
  }

  state.pendingcb += 1;
  const length = state.objectMode ? 1 : chunk.length;
  state.length += length;
  const welcome = state.length < state.highWaterMark;
  if (!welcome) state.needDrain = true;
  if (state.writing || state.corked || state.errored || !state.constructed) {
    state.pending.push({ chunk, encoding, callback });
  } else {
    begin(state, length, callback);
    stream._write(chunk, encoding, written(stream));
    state.sync = false;
  }
  return welcome && !state.errored && !state.destroyed;
}

function begin(state: WritableState, length: number, callback: Callback): void {
  state.currentLength = length;
  state.current = callback;
  state.writing = true;
  state.sync = true;
}

/** The callback that `_write` is given; one per stream. */
function written(stream: any): Callback {
  return (stream._writableState.onwrite ??= (error?: any) => onWritten(stream, error));
}

function onWritten(stream: any, error?: any): void {
  const state: WritableState = stream._writableState;
  const { sync, current } = state;
  if (current === null) {
    errorOrDestroy(stream, codeError("ERR_MULTIPLE_CALLBACK", "Callback called multiple times"));
    return;
  }
  state.writing = false;
  state.current = null;
  state.length -= state.currentLength;
  state.currentLength = 0;

  if (error) {
    void error.stack;
    state.errored ??= error;
    if (stream._readableState && !stream._readableState.errored) stream._readableState.errored = error;
    const fail = () => {
      state.pendingcb -= 1;
      current(error);
      failPending(state);
      errorOrDestroy(stream, error);
    };
    if (sync) nextTick(fail);
    else fail();
    return;
  }
  if (state.pending.length > 0) writePending(stream, state);
  if (!sync) {
    afterWrite(stream, state, [current]);
  } else if (state.completed) {
    state.completed.push(current);
  } else {
    state.completed = [current];
    nextTick(() => {
      const callbacks = state.completed!;
      state.completed = undefined;
      afterWrite(stream, state, callbacks);
    });
  }
}

function afterWrite(stream: any, state: WritableState, callbacks: Callback[]): void {
  if (state.needDrain && !state.ending && !state.destroyed && state.length === 0) {
    state.needDrain = false;
    stream.emit("drain");
  }
  for (const callback of callbacks) {
    state.pendingcb -= 1;
    callback(null);
  }
  if (state.destroyed) failPending(state);
  maybeFinish(stream, state);
}

/** Tells everyone who still waits for a write, or for the end, that it will not happen. */
function failPending(state: WritableState): void {
  if (state.writing) return;
  for (const { chunk, callback } of state.pending.splice(0)) {
    state.length -= state.objectMode ? 1 : chunk.length;
    callback(state.errored ?? destroyedError("write"));
  }
  for (const callback of state.onFinish.splice(0)) callback(state.errored ?? destroyedError("end"));
}

function writePending(stream: any, state: WritableState): void {
  if (state.corked || state.draining || state.destroyed || !state.constructed) return;
  if (state.pending.length === 0) return;
  state.draining = true;
  if (stream._writev && state.pending.length > 1) {
    const batch = state.pending;
    state.pending = [];
    state.pendingcb -= batch.length - 1;
    begin(state, state.length, (error) => batch.forEach((item) => item.callback(error)));
    const chunks: any = batch.map(({ chunk, encoding, callback }) => ({ chunk, encoding, callback }));
    chunks.allBuffers = batch.every(({ encoding }) => encoding === "buffer");
    stream._writev(chunks, written(stream));
    state.sync = false;
  } else {
    while (state.pending.length > 0 && !state.writing) {
      const { chunk, encoding, callback } = state.pending.shift()!;
      begin(state, state.objectMode ? 1 : chunk.length, callback);
      stream._write(chunk, encoding, written(stream));
      state.sync = false;
    }
  }
  state.draining = false;
}

function readyToFinish(state: WritableState): boolean {
  return (
    state.ending &&
    !state.destroyed &&
    state.constructed &&
    state.length === 0 &&
    !state.errored &&
    state.pending.length === 0 &&
    !state.finished &&
    !state.writing &&
    !state.errorEmitted &&
    !state.closeEmitted
  );
}

function maybeFinish(stream: any, state: WritableState, sync = false): void {
  if (!readyToFinish(state)) return;
  prefinish(stream, state);
  if (state.pendingcb > 0) return;
  if (sync) {
    state.pendingcb += 1;
    nextTick(() => {
      if (readyToFinish(state)) finish(stream, state);
      else state.pendingcb -= 1;
    });
  } else if (readyToFinish(state)) {
    state.pendingcb += 1;
    finish(stream, state);
  }
}

function prefinish(stream: any, state: WritableState): void {
  if (state.prefinished || state.finalCalled) return;
  if (typeof stream._final !== "function" || state.destroyed) {
    state.prefinished = true;
    stream.emit("prefinish");
    return;
  }
  state.finalCalled = true;
  state.sync = true;
  state.pendingcb += 1;
  let called = false;
  const done = (error?: any) => {
    if (called) {
      errorOrDestroy(stream, error ?? codeError("ERR_MULTIPLE_CALLBACK", "Callback called multiple times"));
      return;
    }
    called = true;
    state.pendingcb -= 1;
    if (error) {
      for (const callback of state.onFinish.splice(0)) callback(error);
      errorOrDestroy(stream, error, state.sync);
    } else if (readyToFinish(state)) {
      state.prefinished = true;
      stream.emit("prefinish");
      // Not at once: listeners that were added meanwhile must hear `finish`.
      state.pendingcb += 1;
      nextTick(finish, stream, state);
    }
  };
  try {
    stream._final(done);
  } catch (error) {
    done(error);
  }
  state.sync = false;
}

function finish(stream: any, state: WritableState): void {
  state.pendingcb -= 1;
  state.finished = true;
  for (const callback of state.onFinish.splice(0)) callback();
  stream.emit("finish");
  if (!state.autoDestroy) return;
  const other = stream._readableState;
  if (!other || (other.autoDestroy && (other.endEmitted || other.readable === false))) stream.destroy();
}

/** `destroy` of everything writable: whoever waits for a write is told first. */
export function destroyWritable(this: any, error?: any, callback?: Callback): any {
  const state: WritableState = this._writableState;
  if (!state.destroyed && (state.pending.length > 0 || state.onFinish.length > 0)) nextTick(failPending, state);
  destroy.call(this, error, callback);
  return this;
}

const proto = Writable.prototype as any;
Object.assign(proto, writableMethods);
Object.defineProperties(proto, writableProperties);
Object.defineProperties(proto, {
  errored: getter((state) => state.errored),
  closed: getter((state) => state.closed),
  destroyed: {
    configurable: true,
    get(this: any) {
      return Boolean(this._writableState?.destroyed);
    },
    set(this: any, value: boolean) {
      if (this._writableState) this._writableState.destroyed = value;
    },
  },
});
proto.destroy = destroyWritable;
proto._undestroy = undestroy;
proto._destroy = function (error: any, callback: Callback) {
  callback(error);
};
proto[kRejection] = function (error: any) {
  this.destroy(error);
};
proto.pipe = function () {
  errorOrDestroy(this, codeError("ERR_STREAM_CANNOT_PIPE", "Cannot pipe, not readable"));
};
proto[Symbol.asyncDispose] = function (this: any) {
  let error: any = null;
  if (!this.destroyed) {
    error = this.writableFinished ? null : codeError("ABORT_ERR", "The operation was aborted");
    if (error) error.name = "AbortError";
    this.destroy(error);
  }
  return new Promise<void>((resolve, reject) => {
    loadFinished().finished(this, (failure: any) => (failure && failure !== error ? reject(failure) : resolve()));
  });
};
