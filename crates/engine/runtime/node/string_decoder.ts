// node:string_decoder: text from bytes that arrive in pieces.
import { Buffer, asBuffer } from "../internal/buffer/class.ts";
import { decodeBytes } from "../internal/buffer/text.ts";
import { invalidArgType } from "../internal/errors.ts";
import { requireEncoding } from "../internal/validators.ts";

// How many bytes at the end of `bytes` begin a character that is not complete, and how many it needs.
function openUtf8(bytes: Uint8Array): [have: number, need: number] {
  const first = Math.max(bytes.length - 3, 0);
  for (let i = bytes.length - 1; i >= first; i--) {
    const byte = bytes[i];
    if ((byte & 0xc0) === 0x80) continue;
    const need = byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc0 && byte < 0xe0 ? 2 : 1;
    const have = bytes.length - i;
    if (have >= need) return [0, 0];
    // A second byte that cannot follow the first one ends the character already.
    if (have > 1 && !canFollow(byte, bytes[i + 1])) return [0, 0];
    return [have, need];
  }
  return [0, 0];
}

function canFollow(first: number, second: number): boolean {
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second < 0xa0;
  if (first === 0xf0) return second >= 0x90;
  if (first === 0xf4) return second < 0x90;
  return true;
}

function openUtf16(bytes: Uint8Array): [have: number, need: number] {
  const odd = bytes.length % 2;
  const high = bytes.length - odd >= 2 ? bytes[bytes.length - odd - 1] : 0;
  // The first half of a pair waits for the second.
  if (high >= 0xd8 && high <= 0xdb) return [2 + odd, 4];
  return [odd, odd === 0 ? 0 : 2];
}

function openBase64(bytes: Uint8Array): [have: number, need: number] {
  const have = bytes.length % 3;
  return [have, have === 0 ? 0 : 3];
}

/** What `new StringDecoder()` gives. */
interface Typed {
  encoding: string;
  readonly lastChar: Buffer;
  readonly lastNeed: number;
  readonly lastTotal: number;
  write(input: string | ArrayBufferView): string;
  end(input?: string | ArrayBufferView): string;
}

/** Decodes a stream of bytes and never cuts a character in two. */
function StringDecoder(this: any, encoding?: string): any {
  if (!new.target) return new (StringDecoder as any)(encoding);
  this.encoding = requireEncoding(encoding);
  Object.defineProperty(this, "pending", { value: Buffer.alloc(0), writable: true, configurable: true });
  Object.defineProperty(this, "needed", { value: 0, writable: true, configurable: true });
}

const Typed = StringDecoder as unknown as { new (encoding?: string): Typed; (encoding?: string): Typed; readonly prototype: Typed };
export { Typed as StringDecoder };

function open(encoding: string, bytes: Uint8Array): [have: number, need: number] {
  switch (encoding) {
    case "utf8":
      return openUtf8(bytes);
    case "utf16le":
      return openUtf16(bytes);
    case "base64":
    case "base64url":
      return openBase64(bytes);
  }
  return [0, 0];
}

const methods = {
  /** The text of the complete characters so far. */
  write(this: any, input: unknown): string {
    if (typeof input === "string") return input;
    if (!ArrayBuffer.isView(input)) throw invalidArgType("buf", ["Buffer", "TypedArray", "DataView"], input);
    let bytes: Uint8Array = asBuffer(input);
    if (bytes.length === 0) return "";
    if (this.pending.length > 0) bytes = Buffer.concat([this.pending, bytes]);
    const [have, need] = open(this.encoding, bytes);
    this.needed = need;
    // Copied, as the caller may use the memory again.
    this.pending = Buffer.from(bytes.subarray(bytes.length - have));
    return decodeBytes(bytes.subarray(0, bytes.length - have), this.encoding);
  },
  /** The rest, with an incomplete character shown as U+FFFD. */
  end(this: any, input?: any): string {
    const text = input === undefined ? "" : this.write(input);
    const { pending } = this;
    this.pending = Buffer.alloc(0);
    this.needed = 0;
    if (pending.length === 0) return text;
    return text + decodeBytes(pending, this.encoding);
  },
};
for (const [name, value] of Object.entries(methods)) {
  Object.defineProperty(StringDecoder.prototype, name, { value, writable: true, enumerable: true, configurable: true });
}
for (const [name, get] of [
  ["lastChar", (self: any) => self.pending],
  ["lastNeed", (self: any) => Math.max(self.needed - self.pending.length, 0)],
  ["lastTotal", (self: any) => self.needed],
] as const) {
  Object.defineProperty(StringDecoder.prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      return get(this);
    },
  });
}

export default { StringDecoder: Typed };
