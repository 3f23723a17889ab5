/** What the functions of `node:fs` accept, made into what the ops take. */

import { invalidArgType, invalidArgValue, outOfRange } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { normalizeEncoding, validateInteger, validateInt32, validateUint32 } from "../validators.ts";
import { constants } from "./constants.ts";

const bufferModule = lazyModule("internal/buffer/class.ts");
const urlModule = lazyModule("node/url.ts");

/** Bytes of an op as a `Buffer` over the same memory. */
export function toBuffer(bytes: Uint8Array): any {
  return bufferModule().asBuffer(bytes);
}

/** `Buffer` itself. */
export function bufferClass(): any {
  return bufferModule().Buffer;
}

/** The name of a file: a string, bytes, or a `file:` URL. */
export function toPath(value: any, name = "path"): string {
  let path = value;
  if (typeof value !== "string") {
    if (value instanceof Uint8Array) path = toBuffer(value).toString();
    else if (typeof value === "object" && value !== null && value.href && value.protocol) {
      path = urlModule().fileURLToPath(value);
    } else throw invalidArgType(name, ["string", "Buffer", "URL"], value);
  }
  if (path.includes("\0")) {
    throw invalidArgValue(name, value, "must be a string, Uint8Array, or URL without null bytes");
  }
  return path;
}

/** A descriptor. */
export function toFd(value: any): number {
  if (Object.is(value, -0)) return 0;
  validateInt32(value, "fd", 0, 2147483647);
  return value;
}

const FLAGS: Record<string, string[]> = {
  r: ["O_RDONLY"], "r+": ["O_RDWR"], rs: ["O_RDONLY", "O_SYNC"], "rs+": ["O_RDWR", "O_SYNC"],
  w: ["O_TRUNC", "O_CREAT", "O_WRONLY"], wx: ["O_TRUNC", "O_CREAT", "O_WRONLY", "O_EXCL"],
  "w+": ["O_TRUNC", "O_CREAT", "O_RDWR"], "wx+": ["O_TRUNC", "O_CREAT", "O_RDWR", "O_EXCL"],
  a: ["O_APPEND", "O_CREAT", "O_WRONLY"], ax: ["O_APPEND", "O_CREAT", "O_WRONLY", "O_EXCL"],
  as: ["O_APPEND", "O_CREAT", "O_WRONLY", "O_SYNC"],
  "a+": ["O_APPEND", "O_CREAT", "O_RDWR"], "ax+": ["O_APPEND", "O_CREAT", "O_RDWR", "O_EXCL"],
  "as+": ["O_APPEND", "O_CREAT", "O_RDWR", "O_SYNC"],
};
const SAME: Record<string, string> = {
  sr: "rs", "sr+": "rs+", xw: "wx", "xw+": "wx+", xa: "ax", sa: "as", "xa+": "ax+", "sa+": "as+",
};

/** The flags of `open`, from their letters or as a number. */
export function toFlags(value: any, fallback = "r"): number {
  const flags = value ?? fallback;
  if (typeof flags === "number") {
    validateInt32(flags, "flags");
    return flags;
  }
  const names = FLAGS[SAME[flags] ?? flags];
  if (typeof flags !== "string" || names === undefined) throw invalidArgValue("flags", flags);
  return names.reduce((bits, name) => bits | constants[name], 0);
}

/** Permissions, as a number or in octal digits. */
export function toMode(value: any, name = "mode", fallback?: number): number {
  if (value === undefined || value === null) {
    if (fallback !== undefined) return fallback;
  }
  if (typeof value === "string") {
    if (!/^[0-7]+$/.test(value)) {
      throw invalidArgValue(name, value, "must be a 32-bit unsigned integer or an octal string");
    }
    return parseInt(value, 8);
  }
  validateUint32(value, name);
  return value;
}

/** Options that may be given as the name of an encoding. */
export function toOptions(value: any, defaults: any = {}): any {
  if (value === undefined || value === null || typeof value === "function") return { ...defaults };
  if (typeof value === "string") value = { encoding: value };
  else if (typeof value !== "object") throw invalidArgType("options", ["string", "Object"], value);
  const { encoding } = value;
  if (encoding && encoding !== "buffer" && normalizeEncoding(encoding) === undefined) {
    throw invalidArgValue("encoding", encoding, "is invalid encoding");
  }
  return { ...defaults, ...value };
}

/** A name of a file in the encoding that options ask for. */
export function encodeName(name: string, encoding: any): any {
  if (!encoding || normalizeEncoding(encoding) === "utf8") return name;
  const bytes = bufferClass().from(name);
  return encoding === "buffer" ? bytes : bytes.toString(encoding);
}

/** What is to be written: text as it is when it is UTF-8, else bytes. */
export function toData(data: any, encoding?: any, name = "data"): string | Uint8Array {
  if (typeof data === "string") {
    const known = normalizeEncoding(encoding);
    return known === "utf8" || known === undefined ? data : bufferClass().from(data, encoding);
  }
  if (data instanceof Uint8Array) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  throw invalidArgType(name, ["string", "Buffer", "TypedArray", "DataView"], data);
}

/** What was read, in an encoding; a `Buffer` without one. */
export function decode(bytes: Uint8Array | string, encoding: any): any {
  if (typeof bytes === "string") return bytes;
  const buffer = toBuffer(bytes);
  return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
}

/** Whether the engine itself should make text of what it reads. */
export function wantsText(encoding: unknown): boolean {
  return Boolean(encoding) && encoding !== "buffer" && normalizeEncoding(encoding) === "utf8";
}

/** Seconds since 1970. */
export function toSeconds(value: unknown, name = "time"): number {
  if (value instanceof Date) return value.getTime() / 1000;
  if (typeof value === "string" && String(+value) === value) return +value;
  if (typeof value === "number" && Number.isFinite(value)) return value < 0 ? Date.now() / 1000 : value;
  throw invalidArgType(name, ["Date", "Time in seconds"], value);
}

/** A position in a file; `null` is the current one. */
export function toPosition(value: unknown, name = "position"): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "bigint") value = Number(value);
  validateInteger(value, name, -1);
  return value < 0 ? null : value;
}

/** A user or group; -1 is none. */
export function toId(value: unknown, name: string): number {
  validateInteger(value, name, -1, 4294967295);
  return value;
}

/** Checks a part of a buffer. */
export function checkRange(offset: number, length: number, size: number): void {
  validateInteger(offset, "offset", 0);
  if (length < 0) throw outOfRange("length", ">= 0", length);
  if (offset > size) throw outOfRange("offset", `<= ${size}`, offset);
  if (length > size - offset) throw outOfRange("length", `<= ${size - offset}`, length);
}
