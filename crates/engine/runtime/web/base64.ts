// atob and btoa.
import { ops } from "tau:ops";
import { missingArgs } from "../internal/errors.ts";

function invalidCharacter(message: string): Error {
  return new globalThis.DOMException(message, "InvalidCharacterError");
}

/** Decodes base64 into a string of bytes (one character per byte). */
export function atob(input: string): string {
  if (arguments.length === 0) throw missingArgs("input");
  let text = `${input}`.replace(/[\t\n\f\r ]+/g, "");
  if (text.length % 4 === 0) text = text.replace(/={1,2}$/, "");
  if (/[^A-Za-z0-9+/]/.test(text)) throw invalidCharacter("Invalid character");
  if (text.length % 4 === 1) throw invalidCharacter("The string to be decoded is not correctly encoded.");
  return ops.latin1Decode(ops.base64Decode(text));
}

/** Encodes a string of bytes (characters up to U+00FF) as base64. */
export function btoa(input: string): string {
  if (arguments.length === 0) throw missingArgs("input");
  const text = `${input}`;
  if (/[^\0-\xff]/.test(text)) throw invalidCharacter("Invalid character");
  return ops.base64Encode(ops.latin1Encode(text), false);
}
