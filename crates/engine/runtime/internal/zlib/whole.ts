// Compression of whole buffers.
import { ops } from "tau:ops";
import { Buffer } from "../../node/buffer.ts";
import { wrap } from "../async_context.ts";
import { invalidArgType } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { validateFunction, validateUint32 } from "../validators.ts";
import { CODECS, opOptions } from "./options.ts";

function bytesOf(data: unknown, name = "buffer"): Uint8Array {
  if (typeof data === "string") return Buffer.from(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw invalidArgType(name, ["string", "Buffer", "TypedArray", "DataView", "ArrayBuffer"], data);
}

const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function syncForm(name: string): any {
  const codec = CODECS[name];
  return (data: unknown, options?: unknown) => asBuffer(ops.zlibSync(codec.op, opOptions(codec, options), bytesOf(data)));
}

function callbackForm(name: string): any {
  const codec = CODECS[name];
  return (data: unknown, options: unknown, callback?: unknown): void => {
    if (typeof options === "function") [options, callback] = [undefined, options];
    validateFunction(callback, "callback");
    const call = wrap(callback) as any;
    ops.zlibAsync(codec.op, opOptions(codec, options), bytesOf(data)).then(
      (bytes: Uint8Array) => nextTick(call, null, asBuffer(bytes)),
      (error: unknown) => nextTick(call, error),
    );
  };
}

export const deflate = callbackForm("Deflate");
export const deflateSync = syncForm("Deflate");
export const inflate = callbackForm("Inflate");
export const inflateSync = syncForm("Inflate");
export const gzip = callbackForm("Gzip");
export const gzipSync = syncForm("Gzip");
export const gunzip = callbackForm("Gunzip");
export const gunzipSync = syncForm("Gunzip");
export const deflateRaw = callbackForm("DeflateRaw");
export const deflateRawSync = syncForm("DeflateRaw");
export const inflateRaw = callbackForm("InflateRaw");
export const inflateRawSync = syncForm("InflateRaw");
export const unzip = callbackForm("Unzip");
export const unzipSync = syncForm("Unzip");
export const brotliCompress = callbackForm("BrotliCompress");
export const brotliCompressSync = syncForm("BrotliCompress");
export const brotliDecompress = callbackForm("BrotliDecompress");
export const brotliDecompressSync = syncForm("BrotliDecompress");

/** The checksum of gzip and zip. */
export function crc32(data: unknown, value = 0): number {
  if (typeof data !== "string" && !ArrayBuffer.isView(data)) throw invalidArgType("data", ["Buffer", "TypedArray", "DataView", "string"], data);
  validateUint32(value, "value");
  return ops.crc32(bytesOf(data), value);
}
