// Argument checks that throw Node's errors.
import { invalidArgType, invalidArgValue, outOfRange, unknownEncoding, codeRangeError } from "./errors.ts";

/** Throws unless `value` is a string. */
export function validateString(value: unknown, name: string): asserts value is string {
  if (typeof value !== "string") throw invalidArgType(name, "string", value);
}

/** Throws unless `value` is a boolean. */
export function validateBoolean(value: unknown, name: string): asserts value is boolean {
  if (typeof value !== "boolean") throw invalidArgType(name, "boolean", value);
}

/** Throws unless `value` is a number within the given bounds (NaN never is within bounds). */
export function validateNumber(value: unknown, name: string, min?: number, max?: number): asserts value is number {
  if (typeof value !== "number") throw invalidArgType(name, "number", value);
  const bounded = min !== undefined || max !== undefined;
  if ((min !== undefined && value < min) || (max !== undefined && value > max) || (bounded && Number.isNaN(value))) {
    const low = min === undefined ? "" : `>= ${min}`;
    const high = max === undefined ? "" : `<= ${max}`;
    throw outOfRange(name, low && high ? `${low} && ${high}` : low || high, value);
  }
}

/** Throws unless `value` is an integer in the range. */
export function validateInteger(
  value: unknown,
  name: string,
  min: number = Number.MIN_SAFE_INTEGER,
  max: number = Number.MAX_SAFE_INTEGER,
): asserts value is number {
  if (typeof value !== "number") throw invalidArgType(name, "number", value);
  if (!Number.isInteger(value)) throw outOfRange(name, "an integer", value);
  if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
}

/** Throws unless `value` is a 32-bit signed integer in the range. */
export function validateInt32(value: unknown, name: string, min = -2147483648, max = 2147483647): asserts value is number {
  validateInteger(value, name, min, max);
}

/** Throws unless `value` is a 32-bit unsigned integer (`positive`: not 0). */
export function validateUint32(value: unknown, name: string, positive = false): asserts value is number {
  validateInteger(value, name, positive ? 1 : 0, 4294967295);
}

/** Throws unless `value` is a function. */
export function validateFunction(value: unknown, name: string): asserts value is (...args: any[]) => any {
  if (typeof value !== "function") throw invalidArgType(name, "Function", value);
}

/** What `validateObject` accepts besides plain objects. */
export interface ObjectRules {
  nullable?: boolean;
  allowArray?: boolean;
  allowFunction?: boolean;
}

/** Throws unless `value` is an object (by default neither null, an array nor a function). */
export function validateObject(value: unknown, name: string, rules: ObjectRules = {}): void {
  const fits =
    (value === null && rules.nullable) ||
    (typeof value === "object" && value !== null && (rules.allowArray || !Array.isArray(value))) ||
    (typeof value === "function" && rules.allowFunction);
  if (!fits) throw invalidArgType(name, "Object", value);
}

/** Throws unless `value` is an array with at least `minLength` elements. */
export function validateArray(value: unknown, name: string, minLength = 0): asserts value is any[] {
  if (!Array.isArray(value)) throw invalidArgType(name, "Array", value);
  if (value.length < minLength) throw invalidArgValue(name, value, `must be longer than ${minLength}`);
}

/** Throws unless `value` is an array of strings. */
export function validateStringArray(value: unknown, name: string): asserts value is string[] {
  validateArray(value, name);
  for (let i = 0; i < value.length; i++) validateString(value[i], `${name}[${i}]`);
}

/** Throws unless `value` is one of `choices`. */
export function validateOneOf(value: unknown, name: string, choices: readonly unknown[]): void {
  if (choices.includes(value)) return;
  const list = choices.map((choice) => (typeof choice === "string" ? `'${choice}'` : String(choice))).join(", ");
  throw invalidArgValue(name, value, `must be one of: ${list}`);
}

/** Throws unless `value` is one of the strings of `union`, naming the union as the type. */
export function validateUnion(value: unknown, name: string, union: readonly unknown[]): void {
  if (!union.includes(value)) throw invalidArgType(name, `('${union.join("|")}')`, value);
}

/** Throws unless `signal` is undefined or looks like an AbortSignal. */
export function validateAbortSignal(signal: unknown, name: string): void {
  if (signal !== undefined && (signal === null || typeof signal !== "object" || !("aborted" in signal))) {
    throw invalidArgType(name, "AbortSignal", signal);
  }
}

/** Throws unless `value` is a TypedArray or DataView (Buffers are TypedArrays). */
export function validateBuffer(value: unknown, name = "buffer"): asserts value is ArrayBufferView {
  if (!ArrayBuffer.isView(value)) throw invalidArgType(name, ["Buffer", "TypedArray", "DataView"], value);
}

/** Checks a port number or numeric string and answers with the number (0..65535). */
export function validatePort(port: unknown, name = "Port", allowZero = true): number {
  const numeric = typeof port === "number" || (typeof port === "string" && port.trim() !== "");
  const value = numeric ? Number(port) : NaN;
  if (!numeric || value !== value >>> 0 || value > 65535 || (value === 0 && !allowZero)) {
    const received = typeof port === "string" ? `type string ('${port}')` : `type ${typeof port} (${String(port)})`;
    throw codeRangeError(
      "ERR_SOCKET_BAD_PORT",
      `${name} should be ${allowZero ? ">=" : ">"} 0 and < 65536. Received ${received}.`,
    );
  }
  return value;
}

/**
 * The canonical name of a Buffer encoding (`utf8`, `utf16le`, `latin1`, `ascii`, `hex`, `base64`,
 * `base64url`), or undefined for an unknown one. No encoding at all means `utf8`.
 */
export function normalizeEncoding(encoding: unknown): string | undefined {
  if (encoding === undefined || encoding === null || encoding === "" || encoding === "utf8" || encoding === "utf-8") {
    return "utf8";
  }
  switch (String(encoding).toLowerCase()) {
    case "utf8":
    case "utf-8":
      return "utf8";
    case "ucs2":
    case "ucs-2":
    case "utf16le":
    case "utf-16le":
      return "utf16le";
    case "latin1":
    case "binary":
      return "latin1";
    case "ascii":
      return "ascii";
    case "hex":
      return "hex";
    case "base64":
      return "base64";
    case "base64url":
      return "base64url";
  }
  return undefined;
}

/** Like `normalizeEncoding`, but throws `ERR_UNKNOWN_ENCODING`. */
export function requireEncoding(encoding: unknown): string {
  const name = normalizeEncoding(encoding);
  if (name === undefined) throw unknownEncoding(encoding);
  return name;
}
