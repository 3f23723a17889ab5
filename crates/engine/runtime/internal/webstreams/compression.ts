/** `CompressionStream` and `DecompressionStream`, over `node:zlib`. */

import { codeTypeError, invalidArgValue } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { tag } from "./common.ts";
import type { ReadableStream } from "./readable.ts";
import { TransformStream } from "./transform.ts";
import type { WritableStream } from "./writable.ts";

const loadZlib = lazyModule("node/zlib.ts");

type Makers = Record<string, "createGzip" | "createDeflate" | "createDeflateRaw" | "createGunzip" | "createInflate" | "createInflateRaw">;
const COMPRESS: Makers = { gzip: "createGzip", deflate: "createDeflate", "deflate-raw": "createDeflateRaw" };
const EXPAND: Makers = { gzip: "createGunzip", deflate: "createInflate", "deflate-raw": "createInflateRaw" };

/** A web transform around one of zlib's Node streams. */
function around(makers: Makers, format: string): TransformStream {
  if (!Object.hasOwn(makers, format)) throw invalidArgValue("format", format, "must be one of: 'deflate', 'deflate-raw', 'gzip'");
  const zlib = loadZlib() as unknown as ReturnType<typeof loadZlib>["default"];
  const node = zlib[makers[format]!]();
  let fail: (error: any) => void = () => {};
  let failure: any;
  // Broken data is a `TypeError` on the web.
  const failed = (error: any) =>
    (failure ??= Object.assign(codeTypeError(error.code ?? "ERR_INVALID_STATE", error.message), { cause: error }));
  return new TransformStream({
    start(controller: any) {
      node.on("data", (chunk: any) => controller.enqueue(new Uint8Array(chunk)));
      node.on("error", (error: any) => {
        fail(failed(error));
        controller.error(failure);
      });
    },
    transform(chunk: unknown) {
      if (typeof chunk === "string" || !(ArrayBuffer.isView(chunk) || chunk instanceof ArrayBuffer)) {
        throw codeTypeError("ERR_INVALID_ARG_TYPE", "A chunk must be an ArrayBuffer or a view of one");
      }
      const bytes = chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : chunk;
      return new Promise<void>((resolve, reject) => {
        if (failure) return reject(failure);
        fail = reject;
        node.write(bytes, (error: unknown) => (error ? reject(failed(error)) : resolve()));
      });
    },
    flush() {
      return new Promise<void>((resolve, reject) => {
        if (failure) return reject(failure);
        fail = reject;
        node.once("end", resolve);
        node.end();
      });
    },
    cancel() {
      node.destroy();
    },
  });
}

export class CompressionStream {
  #transform: TransformStream;
  constructor(format: string) {
    this.#transform = around(COMPRESS, `${format}`);
  }
  get readable(): ReadableStream {
    return this.#transform.readable;
  }
  get writable(): WritableStream {
    return this.#transform.writable;
  }
}
tag(CompressionStream, "CompressionStream");

export class DecompressionStream {
  #transform: TransformStream;
  constructor(format: string) {
    this.#transform = around(EXPAND, `${format}`);
  }
  get readable(): ReadableStream {
    return this.#transform.readable;
  }
  get writable(): WritableStream {
    return this.#transform.writable;
  }
}
tag(DecompressionStream, "DecompressionStream");
