// Bytes in and out of the crypto modules.
import { Buffer } from "../../node/buffer.ts";
import { invalidArgType } from "../errors.ts";

const KINDS = ["ArrayBuffer", "Buffer", "TypedArray", "DataView"];

/** The bytes of a view or buffer, without a copy. */
export function viewOf(data: any): Uint8Array {
  if (data instanceof Uint8Array) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
}

export function isBytes(data: unknown): boolean {
  return ArrayBuffer.isView(data) || data instanceof ArrayBuffer || isShared(data);
}

function isShared(data: unknown): boolean {
  return typeof SharedArrayBuffer !== "undefined" && data instanceof SharedArrayBuffer;
}

/** The bytes of an argument that may be a string; `name` is for the error. */
export function bytesOf(data: unknown, name: string, encoding?: string, types: string[] = ["string", ...KINDS]): Uint8Array {
  if (typeof data === "string") {
    const known = encoding !== undefined && encoding !== "buffer" && Buffer.isEncoding(encoding);
    return Buffer.from(data, known ? encoding : "utf8");
  }
  if (isBytes(data)) return viewOf(data);
  throw invalidArgType(name, types, data);
}

/** The bytes of an argument of `update()` and its like, which take no plain ArrayBuffer. */
export function chunkOf(data: unknown, encoding?: string, name = "data"): Uint8Array {
  if (typeof data !== "string" && !ArrayBuffer.isView(data)) {
    throw invalidArgType(name, ["string", "Buffer", "TypedArray", "DataView"], data);
  }
  return bytesOf(data, name, encoding);
}

/** Bytes that came from an op, as a `Buffer` or in an encoding. */
export function output(bytes: Uint8Array, encoding?: string | null): any {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
}

/** An `ArrayBuffer` of its own with these bytes. */
export function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  const whole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
  return (whole ? bytes.buffer : bytes.slice().buffer) as ArrayBuffer;
}
