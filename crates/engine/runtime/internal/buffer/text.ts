// Text to bytes and back in the encodings that Buffers know (named as `normalizeEncoding` does).
import { ops } from "tau:ops";
import { unknownEncoding } from "../errors.ts";
import { normalizeEncoding } from "../validators.ts";

const CHUNK = 4096;

/** `text` with lone surrogates replaced, so that it can cross into native code. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** A string of the given UTF-16 code units. */
export function fromUnits(units: Uint16Array | Uint8Array): string {
  if (units.length <= CHUNK) return String.fromCharCode.apply(null, units as any);
  let text = "";
  for (let i = 0; i < units.length; i += CHUNK) {
    text += String.fromCharCode.apply(null, units.subarray(i, i + CHUNK) as any);
  }
  return text;
}

function encodeUtf16(text: string): Uint8Array {
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return new Uint8Array(units.buffer);
}

function decodeUtf16(bytes: Uint8Array): string {
  // An odd last byte is no character; a copy is aligned to 2 bytes.
  const even = bytes.slice(0, bytes.length & ~1);
  return fromUnits(new Uint16Array(even.buffer, even.byteOffset, even.length >> 1));
}

function encodeLatin1(text: string): Uint8Array {
  if (text.isWellFormed()) return ops.latin1Encode(text);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function decodeAscii(bytes: Uint8Array): string {
  const clean = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) clean[i] = bytes[i] & 0x7f;
  return ops.latin1Decode(clean);
}

/** The bytes of `text`; throws `ERR_UNKNOWN_ENCODING`. */
export function encodeText(text: string, encoding: unknown): Uint8Array {
  switch (normalizeEncoding(encoding)) {
    case "utf8":
      return ops.utf8Encode(wellFormed(text));
    case "utf16le":
      return encodeUtf16(text);
    case "latin1":
    case "ascii":
      return encodeLatin1(text);
    case "hex":
      return ops.hexDecode(wellFormed(text));
    case "base64":
    case "base64url":
      return ops.base64Decode(wellFormed(text));
  }
  throw unknownEncoding(encoding);
}

/** The text that `bytes` hold; throws `ERR_UNKNOWN_ENCODING`. */
export function decodeBytes(bytes: Uint8Array, encoding: unknown): string {
  const name = normalizeEncoding(encoding);
  if (bytes.length === 0 && name !== undefined) return "";
  switch (name) {
    case "utf8":
      return ops.utf8Decode(bytes, false);
    case "utf16le":
      return decodeUtf16(bytes);
    case "latin1":
      return ops.latin1Decode(bytes);
    case "ascii":
      return decodeAscii(bytes);
    case "hex":
      return ops.hexEncode(bytes);
    case "base64":
      return ops.base64Encode(bytes, false);
    case "base64url":
      return ops.base64Encode(bytes, true);
  }
  throw unknownEncoding(encoding);
}

/** How many bytes `text` takes; an unknown encoding counts as UTF-8. */
export function textByteLength(text: string, encoding: unknown): number {
  switch (normalizeEncoding(encoding)) {
    case "utf16le":
      return text.length * 2;
    case "latin1":
    case "ascii":
      return text.length;
    case "hex":
      return text.length >>> 1;
    case "base64":
    case "base64url": {
      let length = text.length;
      if (text[length - 1] === "=") length--;
      if (text[length - 1] === "=") length--;
      return (length * 3) >>> 2;
    }
  }
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) length++;
    else if (unit < 0x800) length += 2;
    else {
      length += 3;
      // A surrogate pair is four bytes in all.
      if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
        length++;
        i++;
      }
    }
  }
  return length;
}

/** The longest prefix of UTF-8 `bytes` within `limit` bytes that ends between characters. */
export function utf8Prefix(bytes: Uint8Array, limit: number): Uint8Array {
  if (bytes.length <= limit) return bytes;
  let end = limit;
  while (end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
