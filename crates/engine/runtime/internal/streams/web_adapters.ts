/** Node streams over web streams, and the other way round. */

import { abortError } from "../aborted.ts";
import { lazyModule } from "../lazy.ts";
import { nextTick } from "../tick.ts";
import { bufferClass, isDestroyed, isReadable, isWritable } from "./common.ts";
import { destroyer } from "./destroy.ts";
import { Duplex } from "./duplex.ts";
import { finished } from "./finished.ts";
import { Readable } from "./readable.ts";
import { Writable } from "./writable.ts";

const loadWeb = lazyModule("web/streams.ts");

/** A Node `Readable` over a `ReadableStream`. */
export function readableFromWeb(web: any, options: any = {}): any {
  const reader = web.getReader();
  let over = false;
  const readable: any = new (Readable as any)({
    objectMode: options.objectMode,
    highWaterMark: options.highWaterMark,
    encoding: options.encoding,
    signal: options.signal,
    read() {
      reader.read().then(
        (step: any) => readable.push(step.done ? null : step.value),
        (error: any) => destroyer(readable, error),
      );
    },
    destroy(error: any, callback: any) {
      if (over) return callback(error);
      over = true;
      reader.cancel(error ?? undefined).then(
        () => nextTick(callback, error),
        (failure: any) => nextTick(callback, failure),
      );
    },
  });
  reader.closed.then(
    () => {
      over = true;
    },
    (error: any) => {
      over = true;
      destroyer(readable, error);
    },
  );
  return readable;
}

/** A `ReadableStream` over a Node stream. */
export function readableToWeb(stream: any, options: any = {}): any {
  const { ReadableStream } = loadWeb();
  if (isDestroyed(stream) || !isReadable(stream)) {
    const empty = new ReadableStream();
    void empty.cancel();
    return empty;
  }
  const { readableObjectMode: objectMode, readableHighWaterMark: highWaterMark } = stream;
  const size = (chunk: any) => (objectMode ? 1 : (chunk?.byteLength ?? chunk?.length ?? 1));
  const strategy = options?.strategy ?? { highWaterMark, size };
  let controller: any;
  let canceled = false;
  stream.pause();
  const cleanup = finished(stream, { writable: false }, (error: any) => {
    cleanup();
    // Late errors of a stream that is no longer wanted have no other listener.
    stream.on("error", () => {});
    if (canceled) return;
    if (error) controller.error(error.code === "ERR_STREAM_PREMATURE_CLOSE" ? abortError(error) : error);
    else controller.close();
  });
  return new ReadableStream(
    {
      start(given: any) {
        controller = given;
        stream.on("data", (chunk: any) => {
          // A plain view: `Buffer` is Node's own class.
          const value =
            !objectMode && ArrayBuffer.isView(chunk)
              ? new Uint8Array(chunk.buffer.slice(chunk.byteOffset, chunk.byteOffset + chunk.byteLength) as ArrayBuffer)
              : chunk;
          if (canceled) return;
          controller.enqueue(value);
          if (controller.desiredSize <= 0) stream.pause();
        });
        stream.pause();
      },
      pull() {
        stream.resume();
      },
      cancel(reason: any) {
        canceled = true;
        destroyer(stream, reason);
      },
    },
    strategy,
  );
}

/** A Node `Writable` over a `WritableStream`. */
export function writableFromWeb(web: any, options: any = {}): any {
  const writer = web.getWriter();
  let over = false;
  const writable: any = new (Writable as any)({
    objectMode: options.objectMode,
    highWaterMark: options.highWaterMark,
    decodeStrings: options.decodeStrings,
    signal: options.signal,
    write(chunk: any, encoding: string, callback: any) {
      if (typeof chunk === "string" && !options.objectMode && options.decodeStrings !== false) {
        chunk = bufferClass().from(chunk, encoding);
      }
      writer.ready
        .then(() => writer.write(chunk))
        .then(
          () => nextTick(callback),
          (error: any) => nextTick(callback, error),
        );
    },
    final(callback: any) {
      if (over) return callback();
      writer.close().then(
        () => nextTick(callback),
        (error: any) => nextTick(callback, error),
      );
    },
    destroy(error: any, callback: any) {
      if (over) return callback(error);
      const ending = error ? writer.abort(error) : writer.close();
      ending.then(
        () => nextTick(callback, error),
        (failure: any) => nextTick(callback, error ?? failure),
      );
    },
  });
  writer.closed.then(
    () => {
      over = true;
    },
    (error: any) => {
      over = true;
      destroyer(writable, error);
    },
  );
  return writable;
}

/** A `WritableStream` over a Node stream. */
export function writableToWeb(stream: any): any {
  const { WritableStream } = loadWeb();
  if (isDestroyed(stream) || !isWritable(stream)) {
    const closed = new WritableStream();
    void closed.close();
    return closed;
  }
  const { writableHighWaterMark: highWaterMark, writableObjectMode } = stream;
  let controller: any;
  let drained: { resolve: () => void; reject: (error: any) => void } | undefined;
  let closing: { resolve: () => void; reject: (error: any) => void } | undefined;
  stream.on("drain", () => {
    drained?.resolve();
    drained = undefined;
  });
  const cleanup = finished(stream, (error: any) => {
    cleanup();
    stream.on("error", () => {});
    if (error) {
      if (error.code === "ERR_STREAM_PREMATURE_CLOSE") error = abortError(error);
      drained?.reject(error);
      closing?.reject(error);
      controller.error(error);
    } else {
      drained?.resolve();
      if (closing) closing.resolve();
      else controller.error(abortError());
    }
    drained = closing = undefined;
  });
  return new WritableStream(
    {
      start(given: any) {
        controller = given;
      },
      write(chunk: any) {
        if (!writableObjectMode && chunk instanceof ArrayBuffer) chunk = new Uint8Array(chunk);
        if (!stream.writableNeedDrain && stream.write(chunk)) return undefined;
        const waited = new Promise<void>((resolve, reject) => {
          drained = { resolve, reject };
        });
        return stream.writableNeedDrain ? waited : undefined;
      },
      abort(reason: any) {
        destroyer(stream, reason);
      },
      close() {
        const over = new Promise<void>((resolve, reject) => {
          closing = { resolve, reject };
        });
        if (!stream.writableEnded) stream.end();
        return over;
      },
    },
    { highWaterMark },
  );
}

/** A Node `Duplex` over a pair of web streams. */
export function duplexFromWeb(pair: any, options: any = {}): any {
  const reader = pair.readable.getReader();
  const writer = pair.writable.getWriter();
  let readOver = false;
  let writeOver = false;
  const duplex: any = new (Duplex as any)({
    allowHalfOpen: options.allowHalfOpen,
    objectMode: options.objectMode,
    highWaterMark: options.highWaterMark,
    encoding: options.encoding,
    decodeStrings: options.decodeStrings,
    signal: options.signal,
    read() {
      reader.read().then(
        (step: any) => {
          if (step.done) duplex.push(null);
          else duplex.push(step.value);
        },
        (error: any) => destroyer(duplex, error),
      );
    },
    write(chunk: any, _encoding: string, callback: any) {
      writer.ready
        .then(() => writer.write(chunk))
        .then(
          () => nextTick(callback),
          (error: any) => nextTick(callback, error),
        );
    },
    final(callback: any) {
      if (writeOver) return callback();
      writer.close().then(
        () => nextTick(callback),
        (error: any) => nextTick(callback, error),
      );
    },
    destroy(error: any, callback: any) {
      const endings: Promise<any>[] = [];
      if (!writeOver) endings.push(error ? writer.abort(error) : writer.close());
      if (!readOver) endings.push(reader.cancel(error ?? undefined));
      Promise.allSettled(endings).then(() => nextTick(callback, error));
    },
  });
  writer.closed.then(
    () => {
      writeOver = true;
    },
    (error: any) => {
      writeOver = readOver = true;
      destroyer(duplex, error);
    },
  );
  reader.closed.then(
    () => {
      readOver = true;
    },
    (error: any) => {
      writeOver = readOver = true;
      destroyer(duplex, error);
    },
  );
  return duplex;
}

/** The pair of web streams over a Node `Duplex`. */
export function duplexToWeb(duplex: any): any {
  return {
    writable: writableToWeb(duplex.writable === false ? { destroyed: true, write() {}, on() {} } : duplex),
    readable: readableToWeb(duplex),
  };
}

