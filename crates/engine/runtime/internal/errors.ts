// Errors in the shape that Node gives them: a stable `code`, Node's message, the right base class.
import { errnoOf, messageOf } from "./errno.ts";
import type { InspectOptions } from "./inspect/options.ts";
import { lazyModule } from "./lazy.ts";

const inspectModule = lazyModule("internal/inspect.ts");

type ErrorBase = new (message?: string, options?: { cause?: unknown }) => Error;

/** An error that carries Node's fields. */
export interface NodeError extends Error {
  code?: string;
  errno?: number;
  syscall?: string;
  path?: string;
  dest?: string;
  [extra: string]: any;
}

function hidden(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
}

function codedToString(this: NodeError): string {
  return `${this.name} [${this.code}]: ${this.message}`;
}

/**
 * Gives an existing error a code, as `error.code` and in the first line of its stack: the engine writes the code of
 * an error that has a `toString` of its own.
 */
export function withCode<E extends Error>(error: E, code: string): E & NodeError {
  const coded = error as E & NodeError;
  (coded as any).code = code;
  hidden(coded, "toString", codedToString);
  return coded;
}

/** Creates an error of class `Base` with a Node code, for example `codeError("ERR_X", "…", TypeError)`. */
export function codeError(
  code: string,
  message: string,
  Base: ErrorBase = Error,
  options?: { cause?: unknown },
): NodeError {
  return withCode(options === undefined ? new Base(message) : new Base(message, options), code);
}

/** `ERR_…` as a TypeError. */
export function codeTypeError(code: string, message: string): NodeError {
  return codeError(code, message, TypeError);
}

/** `ERR_…` as a RangeError. */
export function codeRangeError(code: string, message: string): NodeError {
  return codeError(code, message, RangeError);
}

/** The error of an operation that an AbortSignal ended. */
export class AbortError extends Error {
  code: string;
  constructor(message = "The operation was aborted", options?: { cause?: unknown }) {
    if (options === undefined) super(message);
    else super(message, options);
    this.name = "AbortError";
    this.code = "ABORT_ERR";
    hidden(this, "name", "AbortError");
  }
}

function inspectValue(value: unknown, options?: InspectOptions): string {
  return inspectModule().inspect(value, options);
}

/** Joins words as an English list: `a`, `a or b`, `a, b, or c`. */
export function wordList(words: readonly string[], conjunction = "or"): string {
  if (words.length <= 2) return words.join(` ${conjunction} `);
  return `${words.slice(0, -1).join(", ")}, ${conjunction} ${words[words.length - 1]}`;
}

/** What a value is, in the words of argument errors: `type number (5)`, `an instance of Map`. */
export function describeType(value: unknown): string {
  if (value == null) return `${value}`;
  if (typeof value === "function") return `function ${value.name}`;
  if (typeof value === "object") {
    const name = value.constructor?.name;
    return name ? `an instance of ${name}` : inspectValue(value, { depth: -1 });
  }
  let text = String(value);
  if (typeof value === "string") text = /^[ -&(-[\]-~]*$/.test(value) ? `'${value}'` : inspectValue(value, { colors: false });
  else if (typeof value === "bigint") text += "n";
  else if (Object.is(value, -0)) text = "-0";
  if (text.length > 28) text = `${text.slice(0, 25)}...`;
  return `type ${typeof value} (${text})`;
}

/** The ` Received …` ending of argument errors. */
export function describeReceived(value: unknown): string {
  return ` Received ${describeType(value)}`;
}

const PLAIN_TYPES = new Set(["string", "function", "number", "object", "Function", "Object", "boolean", "bigint", "symbol"]);

function describeExpected(expected: readonly string[]): string {
  const types: string[] = [];
  const classes: string[] = [];
  const others: string[] = [];
  for (const name of expected) {
    if (PLAIN_TYPES.has(name)) types.push(name.toLowerCase());
    else if (/^([A-Z][a-z0-9]*)+$/.test(name)) classes.push(name);
    else others.push(name);
  }
  // An object next to class names reads as one more class.
  if (classes.length > 0) {
    const at = types.indexOf("object");
    if (at !== -1) {
      types.splice(at, 1);
      classes.push("Object");
    }
  }
  const parts: string[] = [];
  if (types.length > 0) parts.push(`${types.length > 1 ? "one of type" : "of type"} ${wordList(types)}`);
  if (classes.length > 0) parts.push(`an instance of ${wordList(classes)}`);
  if (others.length > 1) parts.push(`one of ${wordList(others)}`);
  else if (others.length === 1) parts.push(others[0].toLowerCase() === others[0] ? others[0] : `an ${others[0]}`);
  return parts.join(" or ");
}

function describeName(name: string): string {
  if (name.endsWith(" argument")) return `The ${name}`;
  return `The "${name}" ${name.includes(".") ? "property" : "argument"}`;
}

/** `ERR_INVALID_ARG_TYPE`: `expected` lists type names (`string`) and class names (`Buffer`). */
export function invalidArgType(name: string, expected: string | readonly string[], actual: unknown): NodeError {
  const list = typeof expected === "string" ? [expected] : expected;
  return codeTypeError(
    "ERR_INVALID_ARG_TYPE",
    `${describeName(name)} must be ${describeExpected(list)}.${describeReceived(actual)}`,
  );
}

/** `ERR_INVALID_ARG_VALUE`. */
export function invalidArgValue(name: string, value: unknown, reason = "is invalid", Base: ErrorBase = TypeError): NodeError {
  let text = inspectValue(value);
  if (text.length > 128) text = `${text.slice(0, 128)}...`;
  const kind = name.includes(".") ? "property" : "argument";
  return codeError("ERR_INVALID_ARG_VALUE", `The ${kind} '${name}' ${reason}. Received ${text}`, Base);
}

function groupDigits(text: string): string {
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, "_");
}

/** `ERR_OUT_OF_RANGE`: `range` says what is allowed, for example `>= 0 && <= 10`. */
export function outOfRange(name: string, range: string, received: unknown): NodeError {
  let text: string;
  if (Number.isInteger(received) && Math.abs(received as number) > 2 ** 32) text = groupDigits(String(received));
  else if (typeof received === "bigint") {
    const big = received > 2n ** 32n || received < -(2n ** 32n);
    text = `${big ? groupDigits(String(received)) : received}n`;
  } else text = typeof received === "number" ? (Object.is(received, -0) ? "-0" : String(received)) : inspectValue(received);
  return codeRangeError("ERR_OUT_OF_RANGE", `The value of "${name}" is out of range. It must be ${range}. Received ${text}`);
}

/** `ERR_MISSING_ARGS` for the named arguments. */
export function missingArgs(...names: string[]): NodeError {
  const quoted = names.map((name) => `"${name}"`);
  const list = wordList(quoted, "and");
  return codeTypeError("ERR_MISSING_ARGS", `The ${list} argument${names.length > 1 ? "s" : ""} must be specified`);
}

/** `ERR_UNKNOWN_ENCODING`. */
export function unknownEncoding(encoding: unknown): NodeError {
  return codeTypeError("ERR_UNKNOWN_ENCODING", `Unknown encoding: ${String(encoding)}`);
}

/** `ERR_METHOD_NOT_IMPLEMENTED`. */
export function methodNotImplemented(name: string): NodeError {
  return codeError("ERR_METHOD_NOT_IMPLEMENTED", `The ${name} method is not implemented`);
}

/** `ERR_INVALID_THIS`: a method called on a foreign object. */
export function invalidThis(name: string): NodeError {
  return codeTypeError("ERR_INVALID_THIS", `Value of "this" must be of type ${name}`);
}

/** `ERR_INVALID_RETURN_VALUE`. */
export function invalidReturnValue(expected: string, name: string, value: unknown): NodeError {
  return codeTypeError(
    "ERR_INVALID_RETURN_VALUE",
    `Expected ${expected} to be returned from the "${name}" function but got ${describeType(value)}.`,
  );
}

/** What a failed system call says about itself besides its code. */
export interface SystemErrorDetails {
  path?: string;
  dest?: string;
  address?: string;
  port?: number;
  /** Replaces the text that belongs to the code. */
  message?: string;
}

/**
 * The error of a failed system call: `ENOENT: no such file or directory, open 'x'` with `errno`,
 * `code`, `syscall` and the given details.
 */
export function systemError(code: string, syscall: string, details: SystemErrorDetails = {}): NodeError {
  const { path, dest, address, port } = details;
  let message = `${code}: ${details.message ?? messageOf(code)}, ${syscall}`;
  if (path !== undefined) message += ` '${path}'`;
  if (dest !== undefined) message += ` -> '${dest}'`;
  if (address !== undefined) message = `${syscall} ${code} ${address}${port === undefined ? "" : `:${port}`}`;
  const error = new Error(message) as NodeError;
  error.errno = errnoOf(code);
  error.code = code;
  error.syscall = syscall;
  if (path !== undefined) error.path = path;
  if (dest !== undefined) error.dest = dest;
  if (address !== undefined) error.address = address;
  if (port !== undefined) error.port = port;
  return error;
}
