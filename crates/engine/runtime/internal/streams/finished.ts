/** `stream.finished`: tells once when a stream is over, whichever way. */

import { abortError } from "../aborted.ts";
import { invalidArgType } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { validateAbortSignal, validateFunction } from "../validators.ts";
import { wrap } from "../async_context.ts";
import {
  isClosed,
  isNodeStream,
  isReadableFinished,
  isReadableNode,
  isWebStream,
  isWritableFinished,
  isWritableNode,
  prematureClose,
} from "./common.ts";

/** What a web stream offers to `finished`: a promise of its end. */
export const kWebClosed = Symbol.for("tau.webStream.closed");

interface Options {
  readable?: boolean;
  writable?: boolean;
  error?: boolean;
  signal?: AbortSignal;
  cleanup?: boolean;
}

const isRequest = (stream: any): boolean => Boolean(stream.setHeader) && typeof stream.abort === "function";

/** Calls `callback` when `stream` has ended, failed or closed too early; returns a function that stops listening. */
export function finished(stream: any, options: any, callback?: any): () => void {
  if (typeof options === "function") {
    callback = options;
    options = {};
  }
  options ??= {};
  if (typeof options !== "object") throw invalidArgType("options", "Object", options);
  validateFunction(callback, "callback");
  validateAbortSignal(options.signal, "options.signal");
  const told = once(wrap(callback));
  if (isWebStream(stream)) return watchWeb(stream, options, told);
  if (!isNodeStream(stream)) throw invalidArgType("stream", ["ReadableStream", "WritableStream", "Stream"], stream);
  return watchNode(stream, options, told);
}

function once(callback: (this: any, error?: any) => void): (this: any, error?: any) => void {
  let called = false;
  return function (this: any, ...args: any[]) {
    if (called) return;
    called = true;
    callback.apply(this, args as [any?]);
  };
}

function watchNode(stream: any, options: Options, callback: (error?: any) => void): () => void {
  const readable = options.readable ?? isReadableNode(stream);
  const writable = options.writable ?? isWritableNode(stream);
  const r = stream._readableState;
  const w = stream._writableState;
  const tell = (error?: any) => (error === undefined ? callback.call(stream) : callback.call(stream, error));

  // A stream that will emit `close` is waited for until then.
  let closes =
    willClose(stream) && isReadableNode(stream) === readable && isWritableNode(stream) === writable;
  let writeDone = isWritableFinished(stream, false) === true;
  let readDone = isReadableFinished(stream, false) === true;

  const onFinish = () => {
    writeDone = true;
    if (stream.destroyed) closes = false;
    if (closes && (!stream.writable || readable)) return;
    if (!readable || readDone) tell();
  };
  const onEnd = () => {
    readDone = true;
    if (stream.destroyed) closes = false;
    if (closes && (!stream.readable || writable)) return;
    if (!writable || writeDone) tell();
  };
  const onError = (error: any) => tell(error);
  let closed = isClosed(stream) === true;
  const onClose = () => {
    closed = true;
    const failure = w?.errored ?? r?.errored;
    if (failure && typeof failure !== "boolean") return tell(failure);
    if (readable && !readDone && isReadableNode(stream) && isReadableFinished(stream, false) !== true) {
      return tell(prematureClose());
    }
    if (writable && !writeDone && isWritableFinished(stream, false) !== true) return tell(prematureClose());
    tell();
  };
  const onClosed = () => {
    closed = true;
    const failure = w?.errored ?? r?.errored;
    if (failure && typeof failure !== "boolean") tell(failure);
    else tell();
  };
  const onRequest = () => stream.req?.on("finish", onFinish);

  if (isRequest(stream)) {
    stream.on("complete", onFinish);
    if (!closes) stream.on("abort", onClose);
    if (stream.req) onRequest();
    else stream.on("request", onRequest);
  } else if (writable && !w) {
    // Old-style streams.
    stream.on("end", onFinish);
    stream.on("close", onFinish);
  }
  if (!closes && typeof stream.aborted === "boolean") stream.on("aborted", onClose);
  stream.on("end", onEnd);
  stream.on("finish", onFinish);
  if (options.error !== false) stream.on("error", onError);
  stream.on("close", onClose);

  if (closed) {
    nextTick(onClose);
  } else if (w?.errorEmitted || r?.errorEmitted) {
    if (!closes) nextTick(onClosed);
  } else if (!readable && (!closes || stream.readable) && (writeDone || stream.writable === false)) {
    nextTick(onClosed);
  } else if (!writable && (!closes || stream.writable) && (readDone || stream.readable === false)) {
    nextTick(onClosed);
  } else if (r && stream.req && stream.aborted) {
    nextTick(onClosed);
  }

  const cleanup = () => {
    callback = () => {};
    for (const [type, listener] of [
      ["aborted", onClose],
      ["complete", onFinish],
      ["abort", onClose],
      ["request", onRequest],
      ["end", onFinish],
      ["close", onFinish],
      ["finish", onFinish],
      ["end", onEnd],
      ["error", onError],
      ["close", onClose],
    ] as const) {
      stream.removeListener(type, listener);
    }
    stream.req?.removeListener?.("finish", onFinish);
  };
  watchSignal(options, (error) => {
    const tellAborted = callback;
    cleanup();
    tellAborted.call(stream, error);
  }, (stop) => {
    const original = callback;
    callback = function (this: any, ...args: any[]) {
      stop();
      original.apply(this, args as [any?]);
    };
  });
  return cleanup;
}

function willClose(stream: any): boolean {
  const side = stream._writableState ?? stream._readableState;
  if (!side) return Boolean(stream.res && typeof stream._sent100 === "boolean");
  return Boolean(side.autoDestroy && side.emitClose && side.closed === false);
}

function watchSignal(
  options: Options,
  onAbort: (error: Error) => void,
  whenOver: (stop: () => void) => void,
): void {
  const { signal } = options;
  if (!signal) return;
  const abort = () => onAbort(abortError(signal.reason));
  if (signal.aborted) {
    nextTick(abort);
    return;
  }
  signal.addEventListener("abort", abort, { once: true });
  whenOver(() => signal.removeEventListener("abort", abort));
}

function watchWeb(stream: any, options: Options, callback: (error?: any) => void): () => void {
  let over = false;
  const tell = (error?: any) => {
    if (over) return;
    over = true;
    if (error === undefined) callback.call(stream);
    else callback.call(stream, error);
  };
  watchSignal(options, tell, (stop) => {
    const original = callback;
    callback = function (this: any, ...args: any[]) {
      stop();
      original.apply(this, args as [any?]);
    };
  });
  const ends = stream[kWebClosed]?.() ?? stream.readable?.[kWebClosed]?.();
  ends?.then(
    () => nextTick(tell),
    (error: any) => nextTick(tell, error),
  );
  return () => {
    over = true;
  };
}

/** The promise form: fulfilled at the end, rejected on failure. */
export function finishedPromise(stream: any, options: Options = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const cleanup = finished(stream, options, (error: any) => {
      if (options?.cleanup) cleanup();
      if (error) reject(error);
      else resolve();
    });
  });
}
