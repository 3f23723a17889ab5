// Reading and writing numbers in Buffers.
import { codeRangeError, invalidArgType, outOfRange } from "../errors.ts";

function badOffset(offset: unknown, length: number, size: number): never {
  if (typeof offset !== "number") throw invalidArgType("offset", "number", offset);
  if (Math.floor(offset) !== offset) throw outOfRange("offset", "an integer", offset);
  if (length < size) throw codeRangeError("ERR_BUFFER_OUT_OF_BOUNDS", "Attempt to access memory outside buffer bounds");
  throw outOfRange("offset", `>= 0 and <= ${length - size}`, offset);
}

function checkOffset(bytes: Uint8Array, offset: any, size: number): void {
  if (!(Number.isInteger(offset) && offset >= 0 && offset + size <= bytes.length)) badOffset(offset, bytes.length, size);
}

function checkByteLength(byteLength: unknown): asserts byteLength is number {
  if (typeof byteLength !== "number") throw invalidArgType("byteLength", "number", byteLength);
  if (!Number.isInteger(byteLength)) throw outOfRange("byteLength", "an integer", byteLength);
  if (byteLength < 1 || byteLength > 6) throw outOfRange("byteLength", ">= 1 and <= 6", byteLength);
}

function readUnsigned(bytes: Uint8Array, offset: number, size: number, little: boolean): number {
  checkOffset(bytes, offset, size);
  let value = 0;
  if (little) for (let i = offset + size - 1; i >= offset; i--) value = value * 256 + bytes[i];
  else for (let i = offset; i < offset + size; i++) value = value * 256 + bytes[i];
  return value;
}

function readSigned(bytes: Uint8Array, offset: number, size: number, little: boolean): number {
  const value = readUnsigned(bytes, offset, size, little);
  return value >= 2 ** (size * 8 - 1) ? value - 2 ** (size * 8) : value;
}

function writeInteger(bytes: Uint8Array, value: any, offset: number, size: number, little: boolean, signed: boolean): number {
  value = +value;
  const bits = size * 8;
  const min = signed ? -(2 ** (bits - 1)) : 0;
  const max = signed ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
  if (value < min || value > max) {
    // Long integers name their bounds as powers.
    let range = `>= ${min} and <= ${max}`;
    if (size > 4) range = signed ? `>= -(2 ** ${bits - 1}) and < 2 ** ${bits - 1}` : `>= 0 and < 2 ** ${bits}`;
    throw outOfRange("value", range, value);
  }
  checkOffset(bytes, offset, size);
  let rest = Math.trunc(value) || 0;
  for (let i = 0; i < size; i++) {
    bytes[little ? offset + i : offset + size - 1 - i] = rest;
    rest = Math.floor(rest / 256);
  }
  return offset + size;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function writeBigInteger(bytes: Uint8Array, value: bigint, offset: number, little: boolean, signed: boolean): number {
  const min = signed ? -(2n ** 63n) : 0n;
  const max = signed ? 2n ** 63n - 1n : 2n ** 64n - 1n;
  if (typeof value !== "bigint") throw new TypeError("Cannot mix BigInt and other types, use explicit conversions");
  if (value < min || value > max) {
    throw outOfRange("value", signed ? ">= -(2n ** 63n) and < 2n ** 63n" : ">= 0n and < 2n ** 64n", value);
  }
  checkOffset(bytes, offset, 8);
  if (signed) view(bytes).setBigInt64(offset, value, little);
  else view(bytes).setBigUint64(offset, value, little);
  return offset + 8;
}

/** Adds `readUInt8` … `writeDoubleBE` to the prototype of Buffers. */
export function installNumberMethods(prototype: any): void {
  const define = (name: string, method: (...args: any[]) => unknown): void => {
    const named = { value: method, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(method, "name", { value: name, configurable: true });
    Object.defineProperty(prototype, name, named);
    if (name.includes("UInt")) Object.defineProperty(prototype, name.replace("UInt", "Uint"), named);
  };
  for (const little of [true, false]) {
    const order = little ? "LE" : "BE";
    for (const size of [1, 2, 4]) {
      if (size === 1 && !little) continue;
      const width = size === 1 ? "8" : `${size * 8}${order}`;
      define(`readUInt${width}`, function (this: Uint8Array, offset = 0) {
        return readUnsigned(this, offset, size, little);
      });
      define(`readInt${width}`, function (this: Uint8Array, offset = 0) {
        return readSigned(this, offset, size, little);
      });
      define(`writeUInt${width}`, function (this: Uint8Array, value: number, offset = 0) {
        return writeInteger(this, value, offset, size, little, false);
      });
      define(`writeInt${width}`, function (this: Uint8Array, value: number, offset = 0) {
        return writeInteger(this, value, offset, size, little, true);
      });
    }
    define(`readUInt${order}`, function (this: Uint8Array, offset: number, byteLength: number) {
      if (offset === undefined) throw invalidArgType("offset", "number", offset);
      checkByteLength(byteLength);
      return readUnsigned(this, offset, byteLength, little);
    });
    define(`readInt${order}`, function (this: Uint8Array, offset: number, byteLength: number) {
      if (offset === undefined) throw invalidArgType("offset", "number", offset);
      checkByteLength(byteLength);
      return readSigned(this, offset, byteLength, little);
    });
    define(`writeUInt${order}`, function (this: Uint8Array, value: number, offset: number, byteLength: number) {
      checkByteLength(byteLength);
      return writeInteger(this, value, offset, byteLength, little, false);
    });
    define(`writeInt${order}`, function (this: Uint8Array, value: number, offset: number, byteLength: number) {
      checkByteLength(byteLength);
      return writeInteger(this, value, offset, byteLength, little, true);
    });
    define(`readBigUInt64${order}`, function (this: Uint8Array, offset = 0) {
      checkOffset(this, offset, 8);
      return view(this).getBigUint64(offset, little);
    });
    define(`readBigInt64${order}`, function (this: Uint8Array, offset = 0) {
      checkOffset(this, offset, 8);
      return view(this).getBigInt64(offset, little);
    });
    define(`writeBigUInt64${order}`, function (this: Uint8Array, value: bigint, offset = 0) {
      return writeBigInteger(this, value, offset, little, false);
    });
    define(`writeBigInt64${order}`, function (this: Uint8Array, value: bigint, offset = 0) {
      return writeBigInteger(this, value, offset, little, true);
    });
    define(`readFloat${order}`, function (this: Uint8Array, offset = 0) {
      checkOffset(this, offset, 4);
      return view(this).getFloat32(offset, little);
    });
    define(`readDouble${order}`, function (this: Uint8Array, offset = 0) {
      checkOffset(this, offset, 8);
      return view(this).getFloat64(offset, little);
    });
    define(`writeFloat${order}`, function (this: Uint8Array, value: number, offset = 0) {
      checkOffset(this, offset, 4);
      view(this).setFloat32(offset, value, little);
      return offset + 4;
    });
    define(`writeDouble${order}`, function (this: Uint8Array, value: number, offset = 0) {
      checkOffset(this, offset, 8);
      view(this).setFloat64(offset, value, little);
      return offset + 8;
    });
  }
}
