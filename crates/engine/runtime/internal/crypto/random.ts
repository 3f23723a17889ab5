// Random bytes and numbers.
import { ops } from "tau:ops";
import { Buffer } from "../../node/buffer.ts";
import { invalidArgType, outOfRange } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { validateBoolean, validateFunction, validateNumber } from "../validators.ts";
import { output, viewOf } from "./bytes.ts";
import { DOMException } from "../../web/dom_exception.ts";

const LARGEST = 2 ** 31 - 1;

function later(callback: any, make: () => any): void {
  let value: any;
  try {
    value = make();
  } catch (error) {
    nextTick(callback, error);
    return;
  }
  nextTick(callback, null, value);
}

export function randomBytes(size: number, callback?: (error: Error | null, bytes: any) => void): any {
  validateNumber(size, "size", 0, LARGEST);
  if (callback === undefined) return output(ops.randomFill(size));
  validateFunction(callback, "callback");
  later(callback, () => output(ops.randomFill(size)));
}
export const pseudoRandomBytes = randomBytes;

function checkFill(buffer: any, offset: any, size: any): [number, number] {
  if (!ArrayBuffer.isView(buffer) && !(buffer instanceof ArrayBuffer)) {
    throw invalidArgType("buf", ["ArrayBuffer", "ArrayBufferView"], buffer);
  }
  const unit = (buffer as any).BYTES_PER_ELEMENT ?? 1;
  const start = (offset ?? 0) * unit;
  if (typeof (offset ?? 0) !== "number") throw invalidArgType("offset", "number", offset);
  if (!(start >= 0 && start <= buffer.byteLength)) throw outOfRange("offset", `>= 0 && <= ${buffer.byteLength}`, offset);
  if (size !== undefined && typeof size !== "number") throw invalidArgType("size", "number", size);
  const length = size === undefined ? buffer.byteLength - start : size * unit;
  if (!(length >= 0 && length <= LARGEST)) throw outOfRange("size", `>= 0 && <= ${LARGEST}`, size);
  if (start + length > buffer.byteLength) throw outOfRange("size + offset", `<= ${buffer.byteLength}`, start + length);
  return [start, length];
}

export function randomFillSync(buffer: any, offset?: number, size?: number): any {
  const [start, length] = checkFill(buffer, offset, size);
  viewOf(buffer).set(ops.randomFill(length), start);
  return buffer;
}

export function randomFill(buffer: any, offset: any, size?: any, callback?: any): void {
  if (typeof offset === "function") [offset, size, callback] = [undefined, undefined, offset];
  else if (typeof size === "function") [size, callback] = [undefined, size];
  validateFunction(callback, "callback");
  checkFill(buffer, offset, size);
  later(callback, () => randomFillSync(buffer, offset, size));
}

export function randomInt(min: any, max?: any, callback?: any): any {
  if (max === undefined || typeof max === "function") [min, max, callback] = [0, min, max];
  if (callback !== undefined) validateFunction(callback, "callback");
  if (!Number.isSafeInteger(min)) throw invalidArgType("min", "a safe integer", min);
  if (!Number.isSafeInteger(max)) throw invalidArgType("max", "a safe integer", max);
  if (max <= min) throw outOfRange("max", `greater than the value of "min" (${min})`, max);
  const range = max - min;
  if (range >= 2 ** 48) throw outOfRange(max ? "max - min" : "max", `<= ${2 ** 48 - 1}`, range);
  const draw = () => {
    // Numbers above the last whole multiple of the range would favour the small ones.
    const limit = 2 ** 48 - (2 ** 48 % range);
    for (;;) {
      const number = Buffer.from(ops.randomFill(6)).readUIntBE(0, 6);
      if (number < limit) return min + (number % range);
    }
  };
  if (!callback) return draw();
  later(callback, draw);
}

export function randomUUID(options?: { disableEntropyCache?: boolean }): string {
  if (options?.disableEntropyCache !== undefined) {
    validateBoolean(options.disableEntropyCache, "options.disableEntropyCache");
  }
  const bytes = ops.randomFill(16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Buffer.from(bytes.buffer).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Web Crypto's: fills integer arrays of at most 65536 bytes. */
export function getRandomValues(array: unknown): any {
  const isInteger = ArrayBuffer.isView(array) && !(array instanceof DataView) && !/Float/.test((array as any)[Symbol.toStringTag]);
  if (!isInteger) {
    throw new DOMException("The data argument must be an integer-type TypedArray", "TypeMismatchError");
  }
  if (array.byteLength > 65536) {
    const message = `The requested length exceeds 65,536 bytes`;
    throw new DOMException(message, "QuotaExceededError");
  }
  viewOf(array).set(ops.randomFill(array.byteLength));
  return array;
}
