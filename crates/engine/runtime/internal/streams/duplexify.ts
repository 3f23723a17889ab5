/** `Duplex.from`: a duplex over anything that gives or takes chunks. */

import { invalidArgType, invalidReturnValue } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { nextTick } from "../tick.ts";
import {
  isIterable,
  isNodeStream,
  isReadableNode,
  isReadableWeb,
  isTransformWeb,
  isWritableNode,
  isWritableWeb,
} from "./common.ts";
import { destroyer } from "./destroy.ts";
import { Duplex } from "./duplex.ts";
import { finished } from "./finished.ts";
import { from } from "./iterate.ts";

const loadAdapters = lazyModule("internal/streams/web_adapters.ts");

function newDuplex(options: any): any {
  return new (Duplex as any)(options);
}

/** The duplex over `body`; `name` is its name in error messages. */
export function duplexify(body: any, name: string): any {
  if (body instanceof (Duplex as any)) return body;
  if (isNodeStream(body)) {
    if (isReadableNode(body) && isWritableNode(body)) return joinSides(body, body);
    if (isReadableNode(body)) return joinSides(body, undefined);
    if (isWritableNode(body)) return joinSides(undefined, body);
    return newDuplex({ readable: false, writable: false });
  }
  if (isReadableWeb(body)) return joinSides(loadAdapters().readableFromWeb(body), undefined);
  if (isWritableWeb(body)) return joinSides(undefined, loadAdapters().writableFromWeb(body));
  if (typeof body === "function") return fromFunction(body, name);
  if (typeof body?.arrayBuffer === "function" && typeof body?.stream === "function") {
    return duplexify(body.arrayBuffer().then((bytes: ArrayBuffer) => new Uint8Array(bytes)), name);
  }
  if (isIterable(body)) return from(body, { objectMode: true, writable: false }, Duplex);
  if (isTransformWeb(body)) return loadAdapters().duplexFromWeb(body);
  if (body && (typeof body.writable === "object" || typeof body.readable === "object")) {
    const readable = body.readable && (isReadableNode(body.readable) ? body.readable : duplexify(body.readable, name));
    const writable = body.writable && (isWritableNode(body.writable) ? body.writable : duplexify(body.writable, name));
    return joinSides(readable, writable);
  }
  if (typeof body?.then === "function") return fromPromise(body);
  throw invalidArgType(
    name,
    [
      ...["Blob", "ReadableStream", "WritableStream", "Stream", "Iterable", "AsyncIterable", "Function"],
      ...["{ readable, writable } pair", "Promise"],
    ],
    body,
  );
}

function fromPromise(promise: any): any {
  const duplex = newDuplex({ objectMode: true, writable: false, read() {} });
  promise.then(
    (value: any) => {
      if (value !== null && value !== undefined) duplex.push(value);
      duplex.push(null);
    },
    (error: any) => destroyer(duplex, error),
  );
  return duplex;
}

/** A function that is given the written chunks as an iterable, and gives an iterable or a promise. */
function fromFunction(fn: any, name: string): any {
  let give: ((item: { chunk?: any; done: boolean; callback: (error?: any) => void }) => void) | undefined;
  const controller = new AbortController();
  const nextItem = () =>
    new Promise<any>((resolve) => {
      give = resolve;
    });
  let coming = nextItem();
  const input = (async function* () {
    for (;;) {
      const { chunk, done, callback } = await coming;
      nextTick(callback);
      if (done) return;
      if (controller.signal.aborted) throw controller.signal.reason;
      coming = nextItem();
      yield chunk;
    }
  })();
  const write = {
    write(chunk: any, _encoding: string, callback: any) {
      const resolve = give!;
      give = undefined;
      resolve({ chunk, done: false, callback });
    },
    final(callback: any) {
      const resolve = give!;
      give = undefined;
      resolve({ done: true, callback });
    },
    destroy(error: any, callback: any) {
      controller.abort(error ?? undefined);
      callback(error);
    },
  };
  const output = fn(input, { signal: controller.signal });
  if (isIterable(output)) {
    return from(output, { objectMode: true, write: write.write, final: write.final }, Duplex);
  }
  if (typeof output?.then === "function") {
    let duplex: any;
    const settled = output.then(
      (value: any) => {
        if (value !== null && value !== undefined) {
          throw invalidReturnValue("nully", name, value);
        }
      },
      (error: any) => destroyer(duplex, error),
    );
    duplex = newDuplex({
      ...write,
      objectMode: true,
      readable: false,
      final(callback: any) {
        write.final(async () => {
          try {
            await settled;
            nextTick(callback, null);
          } catch (error) {
            nextTick(callback, error);
          }
        });
      },
    });
    return duplex;
  }
  throw invalidReturnValue("Iterable, AsyncIterable or AsyncFunction", name, output);
}

/** One duplex that reads from `readable` and writes to `writable`. */
export function joinSides(readable: any, writable: any): any {
  const canRead = Boolean(readable && readable.readable !== false);
  const canWrite = Boolean(writable && writable.writable !== false);
  let onFinish: ((error?: any) => void) | undefined;
  let onDrain: ((error?: any) => void) | undefined;
  let wantsRead = false;
  const duplex = newDuplex({
    readableObjectMode: Boolean(readable?.readableObjectMode),
    writableObjectMode: Boolean(writable?.writableObjectMode),
    readable: canRead,
    writable: canWrite,
  });
  const onSideOver = (error?: any) => {
    if (error) duplex.destroy(error);
  };

  if (canWrite) {
    finished(writable, { readable: false }, onSideOver);
    duplex._write = (chunk: any, encoding: string, callback: any) => {
      if (writable.write(chunk, encoding)) callback();
      else onDrain = callback;
    };
    duplex._final = (callback: any) => {
      onFinish = callback;
      writable.end();
    };
    writable.on("drain", () => {
      const callback = onDrain;
      onDrain = undefined;
      callback?.();
    });
    writable.on("finish", () => {
      const callback = onFinish;
      onFinish = undefined;
      callback?.();
    });
  }
  if (canRead) {
    finished(readable, { writable: false }, onSideOver);
    const pull = () => {
      while (wantsRead) {
        const chunk = readable.read();
        if (chunk === null) return;
        if (!duplex.push(chunk)) wantsRead = false;
      }
    };
    readable.on("readable", pull);
    readable.on("end", () => duplex.push(null));
    duplex._read = () => {
      wantsRead = true;
      pull();
    };
  }
  duplex._destroy = (error: any, callback: any) => {
    wantsRead = false;
    onFinish = onDrain = undefined;
    destroyer(writable, error);
    destroyer(readable, error);
    callback(error);
  };
  return duplex;
}
