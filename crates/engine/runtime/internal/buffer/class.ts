// The Buffer class: a Uint8Array with text and number methods.
import { ops } from "tau:ops";
import {
  codeRangeError,
  codeTypeError,
  invalidArgType,
  invalidArgValue,
  outOfRange,
  unknownEncoding,
} from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { normalizeEncoding, validateInteger, validateNumber, validateString } from "../validators.ts";
import { installNumberMethods } from "./numbers.ts";
import { findBytes } from "./search.ts";
import { decodeBytes, encodeText, textByteLength, utf8Prefix } from "./text.ts";
import type * as types from "./buffer.d.ts";

const inspectModule = lazyModule("internal/inspect.ts");

/** The largest size of a Buffer. */
export const MAX_LENGTH = Number.MAX_SAFE_INTEGER;
/** The longest string in UTF-16 code units. */
export const MAX_STRING_LENGTH = 2 ** 29 - 24;

const settings = { inspectMaxBytes: 50 };
export { settings as bufferSettings };

// Instances are made by this class, which has no other work than Uint8Array; `Buffer` itself is a
// function because programs call it with and without `new`.
class FastBuffer extends Uint8Array {}

/** A Buffer over the same memory as `bytes`. */
export function asBuffer(bytes: ArrayBufferView): TypedBuffer {
  return new FastBuffer(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength) as unknown as TypedBuffer;
}

/** Node's Buffer. */
const Buffer: any = function Buffer(value: any, encodingOrOffset?: any, length?: number): any {
  if (typeof value === "number") {
    if (typeof encodingOrOffset === "string") throw invalidArgType("string", "string", value);
    return Buffer.alloc(value);
  }
  return Buffer.from(value, encodingOrOffset, length);
};
type TypedBuffer = types.Buffer;
const TypedBuffer: types.BufferClass = Buffer;
export { TypedBuffer as Buffer };

Object.setPrototypeOf(Buffer, Uint8Array);
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(FastBuffer.prototype, "constructor", { value: Buffer, writable: true, configurable: true });
Buffer.poolSize = 8192;

function isAnyArrayBuffer(value: any): value is ArrayBuffer {
  if (value instanceof ArrayBuffer) return true;
  const tag = Object.prototype.toString.call(value);
  return tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]";
}

function checkSize(size: unknown): void {
  validateNumber(size, "size", 0, MAX_LENGTH);
}

function requireBytes(value: unknown, name: string): asserts value is Uint8Array {
  if (!(value instanceof Uint8Array)) throw invalidArgType(name, ["Buffer", "Uint8Array"], value);
}

function fromArrayBuffer(buffer: ArrayBuffer, byteOffset: any, length: any): any {
  const offset = Math.trunc(+byteOffset) || 0;
  const rest = buffer.byteLength - offset;
  if (rest < 0) throw codeRangeError("ERR_BUFFER_OUT_OF_BOUNDS", '"offset" is outside of buffer bounds');
  if (length === undefined) return new FastBuffer(buffer, offset, rest);
  const size = Math.max(Math.trunc(+length) || 0, 0);
  if (size > rest) throw codeRangeError("ERR_BUFFER_OUT_OF_BOUNDS", '"length" is outside of buffer bounds');
  return new FastBuffer(buffer, offset, size);
}

function fromArrayLike(list: ArrayLike<number>): any {
  const length = Math.trunc(+list.length) || 0;
  if (length <= 0) return new FastBuffer(0);
  const bytes = new FastBuffer(length);
  if (Array.isArray(list) || ArrayBuffer.isView(list)) bytes.set(list as any);
  else for (let i = 0; i < length; i++) bytes[i] = list[i];
  return bytes;
}

function fromText(text: string, encoding: unknown): any {
  if (typeof encoding !== "string" || encoding === "") encoding = "utf8";
  return asBuffer(encodeText(text, encoding));
}

Buffer.from = function from(value: any, encodingOrOffset?: any, length?: number): any {
  if (typeof value === "string") return fromText(value, encodingOrOffset);
  if (typeof value === "object" && value !== null) {
    if (isAnyArrayBuffer(value)) return fromArrayBuffer(value, encodingOrOffset, length);
    const primitive = value.valueOf?.();
    if (primitive != null && primitive !== value && (typeof primitive === "string" || typeof primitive === "object")) {
      return Buffer.from(primitive, encodingOrOffset, length);
    }
    if (value.length !== undefined || isAnyArrayBuffer(value.buffer)) return fromArrayLike(value);
    if (value.type === "Buffer" && Array.isArray(value.data)) return fromArrayLike(value.data);
    const convert = value[Symbol.toPrimitive];
    if (typeof convert === "function") {
      const text = convert.call(value, "string");
      if (typeof text === "string") return fromText(text, encodingOrOffset);
    }
  }
  throw invalidArgType(
    "first argument",
    ["string", "Buffer", "ArrayBuffer", "Array", "Array-like Object"],
    value,
  );
};

Buffer.copyBytesFrom = function copyBytesFrom(view: any, offset?: number, length?: number): any {
  if (!ArrayBuffer.isView(view) || view instanceof DataView) throw invalidArgType("view", "TypedArray", view);
  const list = view as Uint8Array;
  if (offset !== undefined) validateInteger(offset, "offset", 0);
  if (length !== undefined) validateInteger(length, "length", 0);
  const start = offset ?? 0;
  if (list.length === 0 || start >= list.length) return new FastBuffer(0);
  const part = list.slice(start, length === undefined ? list.length : start + length);
  return new FastBuffer(part.buffer, part.byteOffset, part.byteLength);
};

Buffer.of = function of(...items: number[]): any {
  return fromArrayLike(items);
};

Buffer.alloc = function alloc(size: number, fill?: any, encoding?: string): any {
  checkSize(size);
  const buffer: any = new FastBuffer(size);
  return fill !== undefined && fill !== 0 && size > 0 ? buffer.fill(fill, encoding) : buffer;
};

Buffer.allocUnsafe = function allocUnsafe(size: number): any {
  checkSize(size);
  return new FastBuffer(size);
};

Buffer.allocUnsafeSlow = function allocUnsafeSlow(size: number): any {
  checkSize(size);
  return new FastBuffer(size);
};

Buffer.isBuffer = function isBuffer(value: unknown): boolean {
  return value instanceof Buffer;
};

Buffer.isEncoding = function isEncoding(encoding: unknown): boolean {
  return typeof encoding === "string" && encoding !== "" && normalizeEncoding(encoding) !== undefined;
};

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  // A native call costs about as much as comparing some dozens of bytes here.
  if (length > 64) return ops.bytesCompare(left, right);
  for (let i = 0; i < length; i++) {
    if (left[i] !== right[i]) return left[i] < right[i] ? -1 : 1;
  }
  return Math.sign(left.length - right.length);
}

Buffer.compare = function compare(left: Uint8Array, right: Uint8Array): number {
  requireBytes(left, "buf1");
  requireBytes(right, "buf2");
  return left === right ? 0 : compareBytes(left, right);
};

Buffer.concat = function concat(list: Uint8Array[], length?: number): any {
  if (!Array.isArray(list)) throw invalidArgType("list", "Array", list);
  if (list.length === 0) return new FastBuffer(0);
  let total = 0;
  for (let i = 0; i < list.length; i++) {
    requireBytes(list[i], `list[${i}]`);
    total += list[i].length;
  }
  if (length !== undefined) {
    validateInteger(length, "length", 0);
    total = length;
  }
  const joined = new FastBuffer(total);
  let at = 0;
  for (const part of list) {
    if (at + part.length > total) {
      joined.set(part.subarray(0, total - at), at);
      break;
    }
    joined.set(part, at);
    at += part.length;
  }
  return joined;
};

Buffer.byteLength = function byteLength(value: unknown, encoding?: string): number {
  if (typeof value === "string") return textByteLength(value, encoding);
  if (ArrayBuffer.isView(value) || isAnyArrayBuffer(value)) return value.byteLength;
  throw invalidArgType("string", ["string", "Buffer", "ArrayBuffer"], value);
};

// A slice index: truncated, counted from the end when negative, kept within the length.
function sliceIndex(value: any, length: number, missing: number): number {
  if (value === undefined) return missing;
  const index = Math.trunc(+value) || 0;
  return index < 0 ? Math.max(index + length, 0) : Math.min(index, length);
}

function clampIndex(value: any, length: number, missing: number): number {
  if (value === undefined) return missing;
  const index = Math.trunc(+value) || 0;
  return Math.min(Math.max(index, 0), length);
}

function bytesOfView(view: ArrayBufferView): Uint8Array {
  return view instanceof Uint8Array ? view : new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
}

function swap(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length % size !== 0) {
    throw codeRangeError("ERR_INVALID_BUFFER_SIZE", `Buffer size must be a multiple of ${size * 8}-bits`);
  }
  for (let i = 0; i < bytes.length; i += size) bytes.subarray(i, i + size).reverse();
  return bytes;
}

const plain = Uint8Array.prototype;

const methods: any = {
  copy(target: Uint8Array, targetStart?: unknown, sourceStart?: unknown, sourceEnd?: unknown): number {
    if (!ArrayBuffer.isView(target)) throw invalidArgType("target", ["Buffer", "Uint8Array"], target);
    const index = (value: any, name: string, missing: number, range = ">= 0"): number => {
      if (value === undefined) return missing;
      const number = Math.trunc(+value) || 0;
      if (number < 0) throw outOfRange(name, range, number);
      return number;
    };
    const bytes = bytesOfView(target);
    const to = index(targetStart, "targetStart", 0);
    const from = index(sourceStart, "sourceStart", 0, `>= 0 && <= ${this.length}`);
    if (from > this.length) throw outOfRange("sourceStart", `>= 0 && <= ${this.length}`, from);
    const end = Math.min(index(sourceEnd, "sourceEnd", this.length), this.length);
    if (to >= bytes.length || from >= end) return 0;
    const count = Math.min(end - from, bytes.length - to);
    const source = from === 0 && count === this.length ? this : plain.subarray.call(this, from, from + count);
    plain.set.call(bytes, source, to);
    return count;
  },
  toString(encoding?: string, start?: number, end?: number): string {
    if (arguments.length === 0) return decodeBytes(this, "utf8");
    const from = clampIndex(start, this.length, 0);
    const to = clampIndex(end, this.length, this.length);
    if (to <= from) return "";
    const part = from === 0 && to === this.length ? this : new Uint8Array(this.buffer, this.byteOffset + from, to - from);
    return decodeBytes(part, encoding === undefined || encoding === null ? "utf8" : encoding);
  },
  equals(other: Uint8Array): boolean {
    requireBytes(other, "otherBuffer");
    return this === other || (this.length === other.length && compareBytes(this, other) === 0);
  },
  inspect(depth?: number, options?: unknown): string {
    return (this as any)[Symbol.for("nodejs.util.inspect.custom")](depth, options);
  },
  compare(target: Uint8Array, targetStart?: number, targetEnd?: number, sourceStart?: number, sourceEnd?: number): number {
    requireBytes(target, "target");
    if (arguments.length === 1) return compareBytes(this, target);
    const bound = (value: unknown, name: string, max: number, missing: number): number => {
      if (value === undefined) return missing;
      validateInteger(value, name, 0, max);
      return value;
    };
    const toStart = bound(targetStart, "targetStart", Number.MAX_SAFE_INTEGER, 0);
    const toEnd = bound(targetEnd, "targetEnd", target.length, target.length);
    const start = bound(sourceStart, "sourceStart", Number.MAX_SAFE_INTEGER, 0);
    const end = bound(sourceEnd, "sourceEnd", this.length, this.length);
    if (start >= end) return toStart >= toEnd ? 0 : -1;
    if (toStart >= toEnd) return 1;
    return compareBytes(plain.subarray.call(this, start, end), plain.subarray.call(target, toStart, toEnd));
  },
  indexOf(value: unknown, byteOffset?: unknown, encoding?: string): number {
    return findBytes(this, value, byteOffset, encoding, true);
  },
  lastIndexOf(value: unknown, byteOffset?: unknown, encoding?: string): number {
    return findBytes(this, value, byteOffset, encoding, false);
  },
  includes(value: unknown, byteOffset?: unknown, encoding?: string): boolean {
    return findBytes(this, value, byteOffset, encoding, true) !== -1;
  },
  fill(value: any, offset?: unknown, end?: unknown, encoding?: unknown): Uint8Array {
    if (typeof value === "string") {
      if (typeof offset === "string") {
        encoding = offset;
        offset = end = undefined;
      } else if (typeof end === "string") {
        encoding = end;
        end = undefined;
      }
      if (encoding !== undefined && encoding !== null && typeof encoding !== "string") {
        throw invalidArgType("encoding", "string", encoding);
      }
      if (normalizeEncoding(encoding) === undefined) throw unknownEncoding(encoding);
    }
    let from = 0;
    let to = this.length;
    if (offset !== undefined) {
      validateInteger(offset, "offset", 0, this.length);
      from = offset;
    }
    if (end !== undefined) {
      validateInteger(end, "end", 0, this.length);
      to = end;
    }
    if (from >= to) return this;
    if (typeof value !== "string" && !ArrayBuffer.isView(value)) {
      plain.fill.call(this, typeof value === "boolean" ? +value : value & 0xff, from, to);
      return this;
    }
    const pattern = typeof value === "string" ? encodeText(value, encoding) : bytesOfView(value);
    if (pattern.length === 0) {
      if ((value as string | Uint8Array).length !== 0) throw invalidArgValue("value", value);
      plain.fill.call(this, 0, from, to);
    } else if (pattern.length === 1) {
      plain.fill.call(this, pattern[0], from, to);
    } else {
      for (let i = from, j = 0; i < to; i++, j++) {
        if (j === pattern.length) j = 0;
        this[i] = pattern[j];
      }
    }
    return this;
  },
  write(text: string, offset?: any, length?: any, encoding?: any): number {
    if (typeof text !== "string") throw codeTypeError("ERR_INVALID_ARG_TYPE", "argument must be a string");
    // write(text), write(text, encoding), write(text, offset[, length][, encoding])
    if (typeof offset === "string") {
      encoding = offset;
      offset = length = undefined;
    } else if (typeof length === "string") {
      encoding = length;
      length = undefined;
    }
    const at = offset ?? 0;
    if (offset !== undefined) validateInteger(at, "offset", 0, this.length);
    let room = this.length - at;
    if (length !== undefined && length !== null) {
      validateInteger(length, "length", 0, this.length);
      room = Math.min(room, length);
    }
    const name = normalizeEncoding(encoding);
    let bytes = encodeText(text, encoding);
    if (name === "utf8") bytes = utf8Prefix(bytes, room);
    else if (bytes.length > room) bytes = bytes.subarray(0, name === "utf16le" ? room & ~1 : room);
    plain.set.call(this, bytes, at);
    return bytes.length;
  },
  toJSON(): { type: "Buffer"; data: number[] } {
    return { type: "Buffer", data: Array.from(this as Uint8Array) };
  },
  subarray(start?: number, end?: number): any {
    const from = sliceIndex(start, this.length, 0);
    const to = sliceIndex(end, this.length, this.length);
    return new FastBuffer(this.buffer, this.byteOffset + from, Math.max(to - from, 0));
  },
  slice(start?: number, end?: number): any {
    return this.subarray(start, end);
  },
  swap16() {
    return swap(this as any, 2);
  },
  swap32() {
    return swap(this as any, 4);
  },
  swap64() {
    return swap(this as any, 8);
  },
  [Symbol.for("nodejs.util.inspect.custom")](_depth: number, options: any): string {
    return inspectModule().inspectBuffer(this, settings.inspectMaxBytes, options);
  },
};
methods.toLocaleString = methods.toString;

for (const key of Reflect.ownKeys(methods)) {
  const value = methods[key];
  Object.defineProperty(Buffer.prototype, key, { value, writable: true, enumerable: true, configurable: true });
}

for (const [label, encoding] of [
  ["ascii", "ascii"],
  ["base64", "base64"],
  ["base64url", "base64url"],
  ["latin1", "latin1"],
  ["hex", "hex"],
  ["ucs2", "utf16le"],
  ["utf8", "utf8"],
]) {
  Buffer.prototype[`${label}Slice`] = function (start?: number, end?: number): string {
    return this.toString(encoding, start, end);
  };
  Buffer.prototype[`${label}Write`] = function (text: string, offset?: number, length?: number): number {
    validateString(text, "argument");
    return this.write(text, offset ?? 0, length, encoding);
  };
}

for (const [name, property] of [
  ["parent", "buffer"],
  ["offset", "byteOffset"],
]) {
  Object.defineProperty(Buffer.prototype, name, {
    enumerable: true,
    configurable: true,
    get() {
      return this instanceof Buffer ? (this as any)[property] : undefined;
    },
  });
}

installNumberMethods(Buffer.prototype);
