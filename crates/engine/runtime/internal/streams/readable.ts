/** `Readable`: buffering, the flowing and the paused mode. Piping, iteration and helpers are in files of their own. */

import { EventEmitter } from "../../node/events.ts";
import { codeError, invalidArgType, methodNotImplemented } from "../errors.ts";
import { importNow } from "../loader.ts";
import { kRejection } from "../symbols.ts";
import { lazyModule } from "../lazy.ts";
import { nextTick } from "../tick.ts";
import { addAbortSignal } from "./abort_signal.ts";
import { bufferClass, toBuffer } from "./common.ts";
import { construct, destroy, errorOrDestroy, undestroy } from "./destroy.ts";
import { Stream } from "./legacy.ts";
import { available, ReadableState, roundUp, take } from "./readable_state.ts";
import type * as types from "./classes.d.ts";

const loadDecoder = lazyModule("node/string_decoder.ts");
const on = (EventEmitter.prototype as any).on;

function Readable(this: any, options?: any): any {
  if (!(this instanceof TypedReadable)) return new TypedReadable(options);
  Stream.call(this, options);
  initReadable(this, options, false);
  if (typeof options?.construct === "function") this._construct = options.construct;
  if (typeof options?.destroy === "function") this._destroy = options.destroy;
  if (options?.signal) addAbortSignal(options.signal, this);
  construct(this, () => onReadableConstructed(this));
}

type TypedReadable = types.Readable;
const TypedReadable = Readable as unknown as types.ReadableClass;
export { TypedReadable as Readable };

Object.setPrototypeOf(Readable.prototype, Stream.prototype);
Object.setPrototypeOf(Readable, Stream);

/** Gives `stream` its readable side. */
export function initReadable(stream: any, options: any, isDuplex: boolean): void {
  stream._readableState = new ReadableState(options, isDuplex);
  if (typeof options?.read === "function") stream._read = options.read;
}

export function onReadableConstructed(stream: any): void {
  if (stream._readableState.needReadable) maybeReadMore(stream, stream._readableState);
}

const proto = Readable.prototype as any;
proto.destroy = destroy;
proto._undestroy = undestroy;
proto._destroy = function (error: any, callback: (error?: any) => void) {
  callback(error);
};
proto[kRejection] = function (error: any) {
  this.destroy(error);
};
proto[Symbol.asyncDispose] = function (this: any) {
  let error: any = null;
  if (!this.destroyed) {
    error = this.readableEnded ? null : codeError("ABORT_ERR", "The operation was aborted");
    if (error) error.name = "AbortError";
    this.destroy(error);
  }
  return new Promise<void>((resolve, reject) => {
    loadFinished().finished(this, (failure: any) => (failure && failure !== error ? reject(failure) : resolve()));
  });
};
const loadFinished = lazyModule("internal/streams/finished.ts");

proto._read = function () {
  throw methodNotImplemented("_read()");
};

// Filling the buffer

proto.push = function (chunk: any, encoding?: string) {
  return accept(this, chunk, encoding, false);
};
proto.unshift = function (chunk: any, encoding?: string) {
  return accept(this, chunk, encoding, true);
};

/** Takes a chunk from the source (or back from the consumer); says whether more is welcome. */
function accept(stream: any, chunk: any, encoding: string | undefined, toFront: boolean): boolean {
  const state: ReadableState = stream._readableState;
  if (chunk === null) {
    state.reading = false;
    onSourceEnd(stream, state);
    return false;
  }
  if (!state.objectMode && chunk !== undefined) {
    if (typeof chunk === "string") {
      encoding ||= state.defaultEncoding;
      if (state.encoding !== encoding) {
        const bytes = bufferClass().from(chunk, encoding);
        // Text put back into a stream that gives text stays text; pushed text goes through the decoder.
        chunk = toFront && state.encoding ? bytes.toString(state.encoding) : bytes;
      }
    } else if (ArrayBuffer.isView(chunk)) {
      chunk = toBuffer(chunk);
    } else {
      errorOrDestroy(stream, invalidArgType("chunk", ["string", "Buffer", "TypedArray", "DataView"], chunk));
      return false;
    }
  }
  const empty = state.objectMode ? false : chunk === undefined || chunk.length === 0;
  if (empty) {
    if (!toFront) {
      state.reading = false;
      maybeReadMore(stream, state);
    }
  } else if (toFront) {
    if (state.endEmitted) {
      errorOrDestroy(stream, codeError("ERR_STREAM_UNSHIFT_AFTER_END_EVENT", "stream.unshift() after end event"));
    } else if (state.destroyed || state.errored) return false;
    else store(stream, state, chunk, true);
  } else if (state.ended) {
    errorOrDestroy(stream, codeError("ERR_STREAM_PUSH_AFTER_EOF", "stream.push() after EOF"));
  } else if (state.destroyed || state.errored) {
    return false;
  } else {
    state.reading = false;
    if (state.decoder && typeof chunk !== "string") {
      chunk = state.decoder.write(chunk);
      if (!state.objectMode && chunk.length === 0) maybeReadMore(stream, state);
      else store(stream, state, chunk, false);
    } else store(stream, state, chunk, false);
  }
  return !state.ended && (state.length < state.highWaterMark || state.length === 0);
}

function store(stream: any, state: ReadableState, chunk: any, toFront: boolean): void {
  if (state.flowing && state.length === 0 && !state.sync && !toFront && stream.listenerCount("data") > 0) {
    state.awaiting.clear();
    state.dataEmitted = true;
    stream.emit("data", chunk);
  } else {
    state.length += state.objectMode ? 1 : chunk.length;
    if (toFront) state.queue.unshift(chunk);
    else state.queue.push(chunk);
    if (state.needReadable) announceReadable(stream);
  }
  maybeReadMore(stream, state);
}

function onSourceEnd(stream: any, state: ReadableState): void {
  if (state.ended) return;
  const rest = state.decoder?.end();
  if (rest?.length) {
    state.queue.push(rest);
    state.length += state.objectMode ? 1 : rest.length;
  }
  state.ended = true;
  if (state.sync) {
    announceReadable(stream);
  } else {
    state.needReadable = false;
    state.emittedReadable = true;
    emitReadable(stream);
  }
}

/** Asks the source again, after the current code, until the buffer is full. */
function maybeReadMore(stream: any, state: ReadableState): void {
  if (state.readingMore || !state.constructed) return;
  state.readingMore = true;
  nextTick(() => {
    while (
      !state.reading &&
      !state.ended &&
      (state.length < state.highWaterMark || (state.flowing && state.length === 0))
    ) {
      const before = state.length;
      stream.read(0);
      if (before === state.length) break;
    }
    state.readingMore = false;
  });
}

// Emptying the buffer

proto.read = function (size?: number) {
  const state: ReadableState = this._readableState;
  const whole = size === undefined;
  let wanted = whole ? NaN : Number.parseInt(String(size), 10);
  const asked = wanted;
  if (wanted > state.highWaterMark) state.highWaterMark = roundUp(wanted);
  if (wanted !== 0) state.emittedReadable = false;

  // read(0) on a full or finished buffer only tells the listeners.
  if (wanted === 0 && state.needReadable) {
    const full = state.highWaterMark !== 0 ? state.length >= state.highWaterMark : state.length > 0;
    if (full || state.ended) {
      if (state.length === 0 && state.ended) finishReading(this);
      else announceReadable(this);
      return null;
    }
  }
  wanted = available(state, wanted);
  if (wanted === 0 && state.ended) {
    if (state.length === 0) finishReading(this);
    return null;
  }

  const runsLow = state.needReadable || state.length === 0 || state.length - wanted < state.highWaterMark;
  if (runsLow && !state.ended && !state.reading && !state.destroyed && !state.errored && state.constructed) {
    state.reading = true;
    state.sync = true;
    if (state.length === 0) state.needReadable = true;
    try {
      this._read(state.highWaterMark);
    } catch (error) {
      errorOrDestroy(this, error);
    }
    state.sync = false;
    // A source that answered at once may have made more available.
    if (!state.reading) wanted = available(state, asked);
  }

  const chunk = wanted > 0 ? take(state, wanted) : null;
  if (chunk === null) {
    state.needReadable = state.length <= state.highWaterMark;
    wanted = 0;
  } else {
    state.length -= wanted;
    state.awaiting.clear();
  }
  if (state.length === 0) {
    if (!state.ended) state.needReadable = true;
    else if (asked !== wanted) finishReading(this);
  }
  if (chunk !== null && !state.errored && !state.closeEmitted) {
    state.dataEmitted = true;
    this.emit("data", chunk);
  }
  return chunk;
};

// Telling the consumer

function announceReadable(stream: any): void {
  const state: ReadableState = stream._readableState;
  state.needReadable = false;
  if (state.emittedReadable) return;
  state.emittedReadable = true;
  nextTick(emitReadable, stream);
}

function emitReadable(stream: any): void {
  const state: ReadableState = stream._readableState;
  if (!state.destroyed && !state.errored && (state.length > 0 || state.ended)) {
    stream.emit("readable");
    state.emittedReadable = false;
  }
  state.needReadable = !state.flowing && !state.ended && state.length <= state.highWaterMark;
  flow(stream);
}

function flow(stream: any): void {
  const state: ReadableState = stream._readableState;
  while (state.flowing && stream.read() !== null);
}

function finishReading(stream: any): void {
  const state: ReadableState = stream._readableState;
  if (state.endEmitted) return;
  state.ended = true;
  nextTick(() => {
    if (state.errored || state.closeEmitted || state.endEmitted || state.length !== 0) return;
    state.endEmitted = true;
    stream.emit("end");
    if (stream.writable && stream.allowHalfOpen === false) {
      nextTick(() => {
        if (stream.writable && !stream.writableEnded && !stream.destroyed) stream.end();
      });
    } else if (state.autoDestroy) {
      const other = stream._writableState;
      if (!other || (other.autoDestroy && (other.finished || other.writable === false))) stream.destroy();
    }
  });
}

// Switching modes

proto.on = function (type: any, listener: any) {
  const result = on.call(this, type, listener);
  const state: ReadableState = this._readableState;
  if (type === "data") {
    state.readableListening = this.listenerCount("readable") > 0;
    if (state.flowing !== false) this.resume();
  } else if (type === "readable" && !state.endEmitted && !state.readableListening) {
    state.readableListening = state.needReadable = true;
    state.flowing = false;
    state.emittedReadable = false;
    if (state.length > 0) announceReadable(this);
    else if (!state.reading) nextTick(() => this.read(0));
  }
  return result;
};
proto.addListener = proto.on;

proto.removeListener = function (type: any, listener: any) {
  const result = (EventEmitter.prototype as any).removeListener.call(this, type, listener);
  if (type === "readable") nextTick(listenersChanged, this);
  return result;
};
proto.off = proto.removeListener;

proto.removeAllListeners = function (...types: any[]) {
  const result = (EventEmitter.prototype as any).removeAllListeners.apply(this, types);
  if (types.length === 0 || types[0] === undefined || types[0] === "readable") nextTick(listenersChanged, this);
  return result;
};

function listenersChanged(stream: any): void {
  const state: ReadableState = stream._readableState;
  state.readableListening = stream.listenerCount("readable") > 0;
  if (state.resumeScheduled && state.paused === false) state.flowing = true;
  else if (stream.listenerCount("data") > 0) stream.resume();
  else if (!state.readableListening) state.flowing = null;
}

proto.resume = function () {
  const state: ReadableState = this._readableState;
  if (!state.flowing) {
    // With a listener for `readable` the consumer sets the pace itself.
    state.flowing = !state.readableListening;
    if (!state.resumeScheduled) {
      state.resumeScheduled = true;
      nextTick(() => {
        if (!state.reading) this.read(0);
        state.resumeScheduled = false;
        this.emit("resume");
        flow(this);
        if (state.flowing && !state.reading) this.read(0);
      });
    }
  }
  state.paused = false;
  return this;
};

proto.pause = function () {
  const state: ReadableState = this._readableState;
  if (state.flowing !== false) {
    state.flowing = false;
    this.emit("pause");
  }
  state.paused = true;
  return this;
};

proto.isPaused = function () {
  const state: ReadableState = this._readableState;
  return state.paused === true || state.flowing === false;
};

proto.setEncoding = function (encoding: string) {
  const state: ReadableState = this._readableState;
  const decoder = new (loadDecoder().StringDecoder)(encoding);
  state.decoder = decoder;
  state.encoding = decoder.encoding;
  let text = "";
  for (const chunk of state.queue.drain()) text += decoder.write(chunk);
  if (text !== "") state.queue.push(text);
  state.length = text.length;
  return this;
};

/** Takes over an old-style stream. */
proto.wrap = function (source: any) {
  let paused = false;
  source.on("data", (chunk: any) => {
    if (!this.push(chunk) && source.pause) {
      paused = true;
      source.pause();
    }
  });
  source.on("end", () => this.push(null));
  source.on("error", (error: any) => errorOrDestroy(this, error));
  source.on("close", () => this.destroy());
  source.on("destroy", () => this.destroy());
  this._read = () => {
    if (paused && source.resume) {
      paused = false;
      source.resume();
    }
  };
  for (const name of Object.keys(source)) {
    if (this[name] === undefined && typeof source[name] === "function") this[name] = source[name].bind(source);
  }
  return this;
};

const getter = (get: (state: ReadableState, stream: any) => any) => ({
  configurable: true,
  enumerable: false,
  get(this: any) {
    return this._readableState ? get(this._readableState, this) : undefined;
  },
});

Object.defineProperties(proto, {
  readable: {
    configurable: true,
    enumerable: true,
    get(this: any) {
      const state = this._readableState;
      return Boolean(
        state && state.readable !== false && !state.destroyed && !state.errorEmitted && !state.endEmitted,
      );
    },
    set(this: any, value: boolean) {
      if (this._readableState) this._readableState.readable = Boolean(value);
    },
  },
  readableFlowing: {
    configurable: true,
    get(this: any) {
      return this._readableState.flowing;
    },
    set(this: any, value: boolean | null) {
      if (this._readableState) this._readableState.flowing = value;
    },
  },
  destroyed: {
    configurable: true,
    get(this: any) {
      return Boolean(this._readableState?.destroyed);
    },
    set(this: any, value: boolean) {
      if (this._readableState) this._readableState.destroyed = value;
    },
  },
  readableDidRead: getter((state) => state.dataEmitted),
  readableAborted: getter(
    (state) => state.readable !== false && Boolean(state.destroyed || state.errored) && !state.endEmitted,
  ),
  readableHighWaterMark: getter((state) => state.highWaterMark),
  readableBuffer: getter((state) => state.buffer),
  readableLength: getter((state) => state.length),
  readableObjectMode: getter((state) => state.objectMode),
  readableEncoding: getter((state) => state.encoding),
  readableEnded: getter((state) => state.endEmitted),
  errored: getter((state) => state.errored),
  closed: getter((state) => state.closed),
});

// These give the class the rest of its methods, and need the class for it.
for (const part of ["iterate", "operators", "pipe"]) importNow(`tau:internal/streams/${part}.ts`);
