/** Ties a stream to an `AbortSignal`. */

import { abortError } from "../aborted.ts";
import { invalidArgType } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { validateAbortSignal } from "../validators.ts";
import { isNodeStream, isWebStream } from "./common.ts";

const loadFinished = lazyModule("internal/streams/finished.ts");
const loadWeb = lazyModule("web/streams.ts");

/** Destroys `stream` (a Node or a web stream) when `signal` aborts. */
export function addAbortSignal<S>(signal: AbortSignal, stream: S): S {
  validateAbortSignal(signal, "signal");
  const web = isWebStream(stream);
  if (!isNodeStream(stream) && !web) {
    throw invalidArgType("stream", ["ReadableStream", "WritableStream", "Stream"], stream);
  }
  const onAbort = () => {
    const error = abortError(signal.reason);
    if (web) loadWeb().errorStream(stream, error);
    else (stream as any).destroy(error);
  };
  if (signal.aborted) onAbort();
  else {
    signal.addEventListener("abort", onAbort, { once: true });
    loadFinished().finished(stream, () => signal.removeEventListener("abort", onAbort));
  }
  return stream;
}
