// What the ops need of the options of the zlib module.
import type { ZlibOptions } from "tau:ops";
import { codeError, invalidArgType, outOfRange } from "../errors.ts";
import { unavailable } from "../loader.ts";

export interface Codec {
  /** The name that the ops know. */
  op: string;
  brotli: boolean;
  compress: boolean;
}

export const CODECS: Record<string, Codec> = {
  Deflate: { op: "deflate", brotli: false, compress: true },
  Inflate: { op: "inflate", brotli: false, compress: false },
  Gzip: { op: "gzip", brotli: false, compress: true },
  Gunzip: { op: "gunzip", brotli: false, compress: false },
  DeflateRaw: { op: "deflateRaw", brotli: false, compress: true },
  InflateRaw: { op: "inflateRaw", brotli: false, compress: false },
  Unzip: { op: "unzip", brotli: false, compress: false },
  BrotliCompress: { op: "brotliCompress", brotli: true, compress: true },
  BrotliDecompress: { op: "brotliDecompress", brotli: true, compress: false },
};

function number(options: any, name: string, min: number, max: number): number | undefined {
  const value = options[name];
  if (value === undefined || Number.isNaN(value)) return undefined;
  if (typeof value !== "number") throw invalidArgType(`options.${name}`, "number", value);
  if (!Number.isFinite(value) || value < min || value > max) {
    throw outOfRange(`options.${name}`, max === Infinity ? `>= ${min}` : `>= ${min} and <= ${max}`, value);
  }
  return value;
}

/** Checks the options of a codec and gives what its op is told. */
export function opOptions(codec: Codec, options: any = {}): ZlibOptions {
  options ??= {};
  number(options, "chunkSize", 64, Infinity);
  const limit = number(options, "maxOutputLength", 1, Number.MAX_SAFE_INTEGER);
  const told: ZlibOptions = limit === undefined ? {} : { limit };
  const finish = number(options, "finishFlush", 0, codec.brotli ? 3 : 5);
  number(options, "flush", 0, codec.brotli ? 3 : 5);
  // Whoever ends with less than a finish wants what there is.
  told.partial = finish !== undefined && finish !== (codec.brotli ? 2 : 4);
  if (codec.brotli) {
    for (const [key, value] of Object.entries(options.params ?? {})) {
      if (!(Number(key) >= 0 && Number(key) <= 9)) {
        throw codeError("ERR_BROTLI_INVALID_PARAM", `${key} is not a valid Brotli parameter`, RangeError);
      }
      if (typeof value !== "number" && typeof value !== "boolean") throw invalidArgType("options.params[key]", "number", value);
      if (Number(key) === 0) told.text = value === 1;
      if (Number(key) === 1) told.quality = Number(value);
      if (Number(key) === 2) told.window = Number(value);
    }
    return told;
  }
  number(options, "windowBits", 0, 15);
  number(options, "memLevel", 1, 9);
  number(options, "strategy", 0, 4);
  const level = number(options, "level", -1, 9);
  if (level !== undefined && level >= 0) told.level = level;
  if (options.dictionary !== undefined) unavailable("zlib dictionaries")();
  return told;
}
