/** Construction and destruction, the same for both sides of a stream. */

import { abortError } from "../aborted.ts";
import { codeError } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { isDestroyed, isReadableFinished, isWritableFinished } from "./common.ts";

function bothSides(stream: any, change: (side: any) => void): void {
  if (stream._readableState) change(stream._readableState);
  if (stream._writableState) change(stream._writableState);
}

function anySide(stream: any, test: (side: any) => boolean): boolean {
  return Boolean(
    (stream._readableState && test(stream._readableState)) || (stream._writableState && test(stream._writableState)),
  );
}

function remember(stream: any, error: any): void {
  if (!error) return;
  // Makes the stack text now, while it is cheap to have.
  void error.stack;
  bothSides(stream, (side) => (side.errored ??= error));
}

/** `stream.destroy(error, callback)`. */
export function destroy(this: any, error?: any, callback?: (error?: any) => void): any {
  if (anySide(this, (side) => side.destroyed)) {
    callback?.();
    return this;
  }
  remember(this, error);
  bothSides(this, (side) => (side.destroyed = true));
  const waiting = (this._readableState ?? this._writableState)?.constructing;
  if (waiting) waiting.push((failure: any) => runDestroy(this, failure ?? error, callback));
  else runDestroy(this, error, callback);
  return this;
}

function runDestroy(stream: any, error: any, callback?: (error?: any) => void): void {
  let called = false;
  const done = (failure?: any) => {
    if (called) return;
    called = true;
    remember(stream, failure);
    bothSides(stream, (side) => (side.closed = true));
    callback?.(failure);
    nextTick(() => {
      if (failure) emitError(stream, failure);
      emitClose(stream);
    });
  };
  try {
    stream._destroy(error || null, done);
  } catch (failure) {
    done(failure);
  }
}

function emitClose(stream: any): void {
  bothSides(stream, (side) => (side.closeEmitted = true));
  if (anySide(stream, (side) => side.emitClose)) stream.emit("close");
}

function emitError(stream: any, error: any): void {
  if (anySide(stream, (side) => side.errorEmitted)) return;
  bothSides(stream, (side) => (side.errorEmitted = true));
  stream.emit("error", error);
}

/** Makes a destroyed stream usable again, for those that reconnect. */
export function undestroy(this: any): void {
  const r = this._readableState;
  if (r) {
    const never = r.readable === false;
    Object.assign(r, { closed: false, closeEmitted: false, destroyed: false, errored: null, errorEmitted: false });
    Object.assign(r, { reading: false, ended: never, endEmitted: never });
  }
  const w = this._writableState;
  if (w) {
    const never = w.writable === false;
    Object.assign(w, { closed: false, closeEmitted: false, destroyed: false, errored: null, errorEmitted: false });
    Object.assign(w, { finalCalled: false, prefinished: false, ended: never, ending: never, finished: never });
  }
}

/** Reports an error of the stream itself: destroys it, or only emits when it does not destroy itself. */
export function errorOrDestroy(stream: any, error: any, sync = false): void {
  if (anySide(stream, (side) => side.destroyed)) return;
  if (anySide(stream, (side) => side.autoDestroy)) {
    stream.destroy(error);
    return;
  }
  remember(stream, error);
  if (sync) nextTick(emitError, stream, error);
  else emitError(stream, error);
}

/** Runs `_construct` when there is one; `ready` is called when the stream may be used. */
export function construct(stream: any, ready: () => void): void {
  if (typeof stream._construct !== "function") return;
  // What waits for the end of construction: destruction gets the error, everything else runs on success.
  const onDestroyed: ((error?: any) => void)[] = [];
  bothSides(stream, (side) => {
    side.constructed = false;
    side.constructing = onDestroyed;
  });
  let called = false;
  const done = (error?: any) => {
    if (called) {
      errorOrDestroy(stream, error ?? codeError("ERR_MULTIPLE_CALLBACK", "Callback called multiple times"));
      return;
    }
    called = true;
    bothSides(stream, (side) => {
      side.constructed = true;
      side.constructing = undefined;
    });
    if (onDestroyed.length) onDestroyed.forEach((step) => step(error));
    else if (error) errorOrDestroy(stream, error, true);
    else nextTick(ready);
  };
  nextTick(() => {
    try {
      stream._construct((error: any) => nextTick(done, error));
    } catch (error) {
      nextTick(done, error);
    }
  });
}

/** Destroys any kind of stream, ours or foreign; without an error and before its end that is an abort. */
export function destroyer(stream: any, error?: any): void {
  if (!stream || isDestroyed(stream)) return;
  if (!error && !isDone(stream)) error = abortError();
  if (typeof stream.destroy === "function") stream.destroy(error);
  else if (typeof stream.abort === "function") stream.abort();
  else if (typeof stream.close === "function") stream.close();
  if (!stream.destroyed) stream.destroyed = true;
}

function isDone(stream: any): boolean {
  if (stream.destroyed) return true;
  const readable = stream.readable !== true || isReadableFinished(stream) === true;
  const writable = stream.writable !== true || isWritableFinished(stream) === true;
  return readable && writable;
}
