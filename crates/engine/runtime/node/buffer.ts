// node:buffer.
import { ops } from "tau:ops";
import { Buffer, MAX_LENGTH, MAX_STRING_LENGTH, asBuffer, bufferSettings } from "../internal/buffer/class.ts";
import { codeError, invalidArgType } from "../internal/errors.ts";
import { lazyExports } from "../internal/lazy_exports.ts";
import { normalizeEncoding } from "../internal/validators.ts";
import { atob, btoa } from "../web/base64.ts";

const constants = Object.defineProperties({}, {
  MAX_LENGTH: { value: MAX_LENGTH, enumerable: true },
  MAX_STRING_LENGTH: { value: MAX_STRING_LENGTH, enumerable: true },
}) as { MAX_LENGTH: number; MAX_STRING_LENGTH: number };
const kMaxLength = MAX_LENGTH;
const kStringMaxLength = MAX_STRING_LENGTH;

function SlowBuffer(size: number): any {
  return Buffer.allocUnsafeSlow(size);
}
Object.setPrototypeOf(SlowBuffer.prototype, Uint8Array.prototype);
Object.setPrototypeOf(SlowBuffer, Uint8Array);

function viewOf(input: any): Uint8Array {
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer as ArrayBuffer, input.byteOffset, input.byteLength);
  if (Object.prototype.toString.call(input) === "[object ArrayBuffer]") return new Uint8Array(input);
  throw invalidArgType("input", ["ArrayBuffer", "Buffer", "TypedArray"], input);
}

function isUtf8(input: unknown): boolean {
  const bytes = viewOf(input);
  try {
    ops.utf8Decode(bytes, true);
    return true;
  } catch {
    return false;
  }
}

function isAscii(input: unknown): boolean {
  for (const byte of viewOf(input)) if (byte > 127) return false;
  return true;
}

const TRANSCODABLE = ["utf8", "utf16le", "latin1", "ascii"];

function transcode(source: Uint8Array, fromEncoding: string, toEncoding: string): any {
  if (!(source instanceof Uint8Array)) throw invalidArgType("source", ["Buffer", "Uint8Array"], source);
  if (source.length === 0) return Buffer.alloc(0);
  const from = normalizeEncoding(fromEncoding);
  const to = normalizeEncoding(toEncoding);
  if (!TRANSCODABLE.includes(from!) || !TRANSCODABLE.includes(to!)) {
    throw Object.assign(
      codeError("U_ILLEGAL_ARGUMENT_ERROR", "Unable to transcode Buffer [U_ILLEGAL_ARGUMENT_ERROR]"),
      { errno: 1 },
    );
  }
  let text: string = asBuffer(source).toString(from);
  const limit = to === "latin1" ? 0xff : to === "ascii" ? 0x7f : 0x10ffff;
  // Characters that the target cannot hold become question marks.
  if (limit < 0x10ffff) text = Array.from(text, (char) => (char.codePointAt(0)! > limit ? "?" : char)).join("");
  return Buffer.from(text, to);
}

// Loaded when asked for: most users of Buffers never need them.
const blobs = lazyExports("node/buffer.ts", { "web/blob.ts": ["Blob", "File", "resolveObjectURL"] });

export { Buffer, SlowBuffer, atob, btoa, constants, isAscii, isUtf8, kMaxLength, kStringMaxLength, transcode };

const module = {
  Buffer,
  SlowBuffer,
  transcode,
  isUtf8,
  isAscii,
  kMaxLength,
  kStringMaxLength,
  btoa,
  atob,
  constants,
  get INSPECT_MAX_BYTES() {
    return bufferSettings.inspectMaxBytes;
  },
  set INSPECT_MAX_BYTES(value: number) {
    bufferSettings.inspectMaxBytes = value;
  },
};
Object.defineProperties(module, Object.getOwnPropertyDescriptors(blobs));

export default module as typeof module & typeof blobs;
