// Finding bytes within bytes.
import { invalidArgType } from "../errors.ts";
import { requireEncoding } from "../validators.ts";
import { encodeText } from "./text.ts";

// Where `needle` starts in `bytes`, at or after `from`, at multiples of `step`; -1 when nowhere.
function forward(bytes: Uint8Array, needle: Uint8Array, from: number, step: number): number {
  const last = bytes.length - needle.length;
  const first = needle[0];
  let at = from - 1;
  search: while ((at = bytes.indexOf(first, at + 1)) !== -1 && at <= last) {
    if (at % step !== 0) continue;
    for (let i = 1; i < needle.length; i++) if (bytes[at + i] !== needle[i]) continue search;
    return at;
  }
  return -1;
}

function backward(bytes: Uint8Array, needle: Uint8Array, from: number, step: number): number {
  search: for (let at = Math.min(from, bytes.length - needle.length); at >= 0; at--) {
    if (at % step !== 0) continue;
    for (let i = 0; i < needle.length; i++) if (bytes[at + i] !== needle[i]) continue search;
    return at;
  }
  return -1;
}

/** `indexOf` (`ahead`) and `lastIndexOf` of Buffers, with their reading of arguments. */
export function findBytes(bytes: Uint8Array, value: unknown, offset: any, encoding: unknown, ahead: boolean): number {
  if (typeof offset === "string") {
    encoding = offset;
    offset = undefined;
  }
  // Anything that is no number searches everything.
  let from = +offset;
  if (Number.isNaN(from)) from = ahead ? 0 : bytes.length;
  from = Math.trunc(Math.min(Math.max(from, -0x7fffffff), 0x7fffffff));
  if (from < 0) from += bytes.length;
  // Before the start: nothing is left to search backward, except for an empty value.
  const before = from < 0 && !ahead;
  if (from < 0) from = 0;
  let needle: Uint8Array;
  let step = 1;
  if (typeof value === "number") {
    if (before) return -1;
    const byte = value & 0xff;
    return ahead ? Uint8Array.prototype.indexOf.call(bytes, byte, from) : Uint8Array.prototype.lastIndexOf.call(bytes, byte, from);
  } else if (typeof value === "string") {
    const name = requireEncoding(encoding);
    needle = encodeText(value, name);
    if (name === "utf16le") step = 2;
  } else if (value instanceof Uint8Array) {
    needle = value;
    if (encoding !== undefined && requireEncoding(encoding) === "utf16le") step = 2;
  } else {
    throw invalidArgType("value", ["number", "string", "Buffer", "Uint8Array"], value);
  }
  if (needle.length === 0) return Math.min(from, bytes.length);
  if (before) return -1;
  return ahead ? forward(bytes, needle, from, step) : backward(bytes, needle, from, step);
}
