// TextEncoder and TextDecoder.
import { ops } from "tau:ops";
import { codeRangeError, codeTypeError, invalidArgType, invalidThis } from "../internal/errors.ts";
import { validateString } from "../internal/validators.ts";

const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

function bytesOf(input: any): Uint8Array {
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer as ArrayBuffer, input.byteOffset, input.byteLength);
  const tag = Object.prototype.toString.call(input);
  if (tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]") return new Uint8Array(input);
  throw invalidArgType("list", ["SharedArrayBuffer", "ArrayBuffer", "ArrayBufferView"], input);
}

/** Text to UTF-8. */
export class TextEncoder {
  get encoding(): string {
    if (!(this instanceof TextEncoder)) throw invalidThis("TextEncoder");
    return "utf-8";
  }

  /** The UTF-8 bytes of `input`; lone surrogates become U+FFFD. */
  encode(input: unknown = ""): Uint8Array {
    const text = `${input}`;
    return ops.utf8Encode(text.isWellFormed() ? text : text.toWellFormed());
  }

  /** Writes whole characters into `dest` while they fit; tells how many UTF-16 units and bytes that was. */
  encodeInto(source: string, dest: Uint8Array): { read: number; written: number } {
    validateString(source, "src");
    if (!(dest instanceof Uint8Array)) throw invalidArgType("dest", "Uint8Array", dest);
    let bytes = this.encode(source);
    if (bytes.length <= dest.length) {
      dest.set(bytes);
      return { read: source.length, written: bytes.length };
    }
    let end = dest.length;
    while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
    bytes = bytes.subarray(0, end);
    dest.set(bytes);
    let read = 0;
    // A four-byte sequence was a surrogate pair, every other one a single unit.
    for (const byte of bytes) if ((byte & 0xc0) !== 0x80) read += byte >= 0xf0 ? 2 : 1;
    return { read, written: end };
  }

  get [Symbol.toStringTag](): string {
    return "TextEncoder";
  }

  [inspectCustom](depth: number, options: any, inspect: any): string {
    return depth < 0 ? "[Object]" : `${inspect({ encoding: "utf-8" }, options)}`;
  }
}

function isUtf8Label(label: string): boolean {
  return label === "utf-8" || label === "utf8";
}

/** Bytes to text in any encoding of the Encoding Standard. */
export class TextDecoder {
  #encoding: string;
  #fatal: boolean;
  #ignoreBOM: boolean;
  // The state of a stream that has begun.
  #stream: ((bytes: Uint8Array, last: boolean) => string) | undefined;

  constructor(label: unknown = "utf-8", options: any = {}) {
    const name = `${label}`;
    if (options === null || (typeof options !== "object" && typeof options !== "function")) {
      if (options != null) throw invalidArgType("options", "Object", options);
    }
    const encoding: string | null | undefined = isUtf8Label(name) ? "utf-8" : ops.encodingName(name.toWellFormed());
    if (encoding == null) throw codeRangeError("ERR_ENCODING_NOT_SUPPORTED", `The "${name}" encoding is not supported`);
    this.#encoding = encoding;
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBOM = Boolean(options?.ignoreBOM);
  }

  get encoding(): string {
    return this.#encoding;
  }

  get fatal(): boolean {
    return this.#fatal;
  }

  get ignoreBOM(): boolean {
    return this.#ignoreBOM;
  }

  /** Decodes `input`; with `stream: true` an unfinished character waits for the next call. */
  decode(input?: unknown, options?: { stream?: boolean }): string {
    const bytes = input === undefined ? new Uint8Array(0) : bytesOf(input);
    const last = !options?.stream;
    try {
      if (this.#stream === undefined && last && this.#encoding === "utf-8") {
        const text: string = ops.utf8Decode(bytes, this.#fatal);
        return !this.#ignoreBOM && text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
      }
      this.#stream ??= ops.textDecoder(this.#encoding, this.#fatal, this.#ignoreBOM);
      return this.#stream!(bytes, last);
    } catch {
      this.#stream = undefined;
      throw codeTypeError(
        "ERR_ENCODING_INVALID_ENCODED_DATA",
        `The encoded data was not valid for encoding ${this.#encoding}`,
      );
    } finally {
      if (last) this.#stream = undefined;
    }
  }

  get [Symbol.toStringTag](): string {
    return "TextDecoder";
  }
}

for (const [Class, names] of [
  [TextEncoder, ["encoding", "encode", "encodeInto"]],
  [TextDecoder, ["encoding", "fatal", "ignoreBOM", "decode"]],
] as const) {
  for (const name of names) Object.defineProperty(Class.prototype, name, { enumerable: true });
}
