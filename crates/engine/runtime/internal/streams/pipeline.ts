/** `stream.pipeline`: joins streams, iterables and generator functions, and cleans all of them up at the end. */

import { abortError } from "../aborted.ts";
import { codeError, invalidArgType, invalidReturnValue, missingArgs } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { nextTick } from "../tick.ts";
import { validateAbortSignal, validateFunction } from "../validators.ts";
import {
  isIterable,
  isNodeStream,
  isReadableNode,
  isReadableWeb,
  isTransformWeb,
  isWebStream,
  isWritableWeb,
} from "./common.ts";
import { destroyer } from "./destroy.ts";
import { PassThrough } from "./duplex.ts";
import { finished } from "./finished.ts";
import { iterateAny } from "./iterate.ts";

const loadAdapters = lazyModule("internal/streams/web_adapters.ts");
const loadDuplexify = lazyModule("internal/streams/duplexify.ts");
const loadAbort = lazyModule("web/abort.ts");

type Done = (error?: any, value?: any) => void;

/** `pipeline(...streams, callback)`; returns the last stream. */
export function pipeline(...args: any[]): any {
  const callback = args.pop();
  validateFunction(callback, "streams[stream.length - 1]");
  return runPipeline(args, callback);
}

/** The promise form; options may come last. */
export function pipelinePromise(...args: any[]): Promise<any> {
  return new Promise((resolve, reject) => {
    let options: any = {};
    const last = args.at(-1);
    if (last && typeof last === "object" && !isNodeStream(last) && !isIterable(last) && !isWebStream(last)) {
      options = args.pop();
    }
    runPipeline(
      args,
      (error: any, value: any) => {
        if (error) reject(error);
        else resolve(value);
      },
      options,
    );
  });
}

/** A web stream in the pipeline becomes the Node stream over it. */
function asNode(stream: any): any {
  if (isReadableWeb(stream)) return loadAdapters().readableFromWeb(stream, { objectMode: true });
  if (isWritableWeb(stream)) return loadAdapters().writableFromWeb(stream, { objectMode: true });
  if (isTransformWeb(stream)) return loadAdapters().duplexFromWeb(stream, { objectMode: true });
  return stream;
}

/** Runs a pipeline; `options` are `signal` and `end` (whether the last stream is ended). */
export function runPipeline(streams: any[], callback: Done, options: any = {}): any {
  if (streams.length === 1 && Array.isArray(streams[0])) streams = streams[0];
  if (streams.length < 2) throw missingArgs("streams");
  validateAbortSignal(options.signal, "options.signal");

  const { signal, abort } = loadAbort().createSignal();
  const cleanups: ((error?: any) => void)[] = [];
  let release = () => {};
  let failure: any;
  let result: any;
  let open = 0;

  const finish = (error?: any, final = --open === 0) => {
    if (error && (!failure || failure.code === "ERR_STREAM_PREMATURE_CLOSE")) failure = error;
    if (!failure && !final) return;
    while (cleanups.length > 0) cleanups.shift()!(failure);
    options.signal?.removeEventListener("abort", onAbort);
    abort();
    if (!final) return;
    if (!failure) release();
    nextTick(callback, failure, result);
  };
  const done = (error?: any) => finish(error);
  const onAbort = () => finish(abortError(options.signal.reason));
  options.signal?.addEventListener("abort", onAbort, { once: true });
  const failOnly = (error?: any) => {
    if (error && error.name !== "AbortError") finish(error, false);
  };

  let current: any;
  for (let index = 0; index < streams.length; index += 1) {
    const stream = typeof streams[index] === "function" ? streams[index] : asNode(streams[index]);
    const isFirst = index === 0;
    const isLast = index === streams.length - 1;
    const end = !isLast || options.end !== false;

    if (isNodeStream(stream)) {
      if (end) {
        cleanups.push(watch(stream, !isLast, !isFirst));
        stream.on("error", ignorable(failOnly));
      } else {
        stream.on("error", ignorable(failOnly));
      }
    }

    if (isFirst) {
      if (typeof stream === "function") {
        current = stream({ signal });
        if (!isIterable(current)) throw invalidReturnValue("Iterable, AsyncIterable or Stream", "source", current);
      } else if (isIterable(stream) || isReadableNode(stream)) {
        current = stream;
      } else {
        current = loadDuplexify().duplexify(stream, "body");
      }
    } else if (typeof stream === "function") {
      const input = isIterable(current, true) ? current : asyncOf(current);
      const output = stream(input, { signal });
      if (!isLast) {
        if (!isIterable(output, true)) {
          throw invalidReturnValue("AsyncIterable", `transform[${index - 1}]`, output);
        }
        current = output;
        continue;
      }
      // The last function's result is what callers read: a stream in front of it.
      const through: any = new (PassThrough as any)({ objectMode: true });
      if (typeof output?.then === "function") {
        open += 1;
        output.then(
          (value: any) => {
            result = value;
            if (value !== null && value !== undefined) through.write(value);
            if (end) through.end();
            nextTick(done);
          },
          (error: any) => {
            through.destroy(error);
            nextTick(done, error);
          },
        );
      } else if (isIterable(output, true)) {
        open += 1;
        void pump(output, through, done, end);
      } else {
        throw invalidReturnValue("AsyncIterable or Promise", "destination", output);
      }
      current = through;
      cleanups.push(watch(through, false, true));
    } else if (isNodeStream(stream)) {
      if (isReadableNode(current)) {
        open += 2;
        const stop = join(current, stream, done, failOnly, end);
        // What was written completely may be read on; that is no longer the pipeline's business.
        if (isReadableNode(stream) && isLast) release = stop;
      } else if (isIterable(current)) {
        open += 1;
        void pump(current, stream, done, end);
      } else {
        throw invalidArgType("val", ["Readable", "Iterable", "AsyncIterable"], current);
      }
      current = stream;
    } else {
      current = loadDuplexify().duplexify(stream, "body");
    }
  }
  if (options.signal?.aborted) nextTick(onAbort);
  return current;
}

/** Errors after the end of a stream are not the pipeline's. */
function ignorable(onError: (error: any) => void): (error: any) => void {
  return (error) => {
    if (error?.code !== "ERR_STREAM_PREMATURE_CLOSE") onError(error);
  };
}

/** Keeps an eye on `stream`; the returned function destroys it unless it is over. */
function watch(stream: any, reading: boolean, writing: boolean): (error?: any) => void {
  let over = false;
  stream.on("close", () => {
    over = true;
  });
  finished(stream, { readable: reading, writable: writing }, (error: any) => {
    over = !error;
  });
  return (error?: any) => {
    if (over) return;
    over = true;
    destroyer(stream, error || codeError("ERR_STREAM_DESTROYED", "Cannot call pipe after a stream was destroyed"));
  };
}

async function* asyncOf(source: any): AsyncGenerator<any> {
  if (isReadableNode(source)) yield* iterateAny(source);
  else yield* source;
}

/** Writes what an iterable gives, at the pace of the destination. */
async function pump(source: any, destination: any, done: Done, end: boolean): Promise<void> {
  let failure: any;
  let wake: { resolve: () => void; reject: (error: any) => void } | undefined;
  const resume = (error?: any) => {
    if (error) failure = error;
    const waiting = wake;
    wake = undefined;
    if (!waiting) return;
    if (failure) waiting.reject(failure);
    else waiting.resolve();
  };
  const wait = () =>
    new Promise<void>((resolve, reject) => {
      if (failure) reject(failure);
      else wake = { resolve, reject };
    });
  const onDrain = () => resume();
  destination.on("drain", onDrain);
  const cleanup = finished(destination, { readable: false }, resume);
  try {
    if (destination.writableNeedDrain) await wait();
    for await (const chunk of source) {
      if (!destination.write(chunk)) await wait();
    }
    if (end) {
      destination.end();
      await wait();
    }
    done();
  } catch (error) {
    done(failure ?? error);
  } finally {
    cleanup();
    destination.off("drain", onDrain);
  }
}

/** Pipes one Node stream into the next; tells `done` twice: when the source and when the destination is over. */
function join(source: any, destination: any, done: Done, failOnly: Done, end: boolean): () => void {
  let ended = false;
  destination.on("close", () => {
    if (!ended) failOnly(codeError("ERR_STREAM_PREMATURE_CLOSE", "Premature close"));
  });
  source.pipe(destination, { end: false });
  if (end) {
    const endDestination = () => {
      ended = true;
      destination.end();
    };
    if (source.readableEnded || source._readableState?.endEmitted) nextTick(endDestination);
    else source.once("end", endDestination);
  } else {
    done();
  }
  finished(source, { readable: true, writable: false }, (error: any) => {
    const state = source._readableState;
    if (error?.code === "ERR_STREAM_PREMATURE_CLOSE" && state?.ended && !state.errored && !state.errorEmitted) {
      // Everything was pushed before it closed: the rest may still be read.
      source.once("end", () => done()).once("error", done);
    } else {
      done(error);
    }
  });
  return finished(destination, { readable: false, writable: true }, done);
}
