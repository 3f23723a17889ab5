// node:util.
import { ops } from "tau:ops";
import { systemErrorMap } from "../internal/errno.ts";
import { invalidArgType, outOfRange, systemError } from "../internal/errors.ts";
import { stripEscapes } from "../internal/inspect/width.ts";
import { lazyModule } from "../internal/lazy.ts";
import { lazyExports } from "../internal/lazy_exports.ts";
import { callbackify, promisify } from "../internal/util/promisify.ts";
import { validateAbortSignal, validateObject, validateString } from "../internal/validators.ts";
import types from "./util/types.ts";

// Loaded when they are first used.
const lazy = lazyExports("node/util.ts", {
  "internal/inspect.ts": ["inspect"],
  "internal/util/debug.ts": ["debug", "debuglog", "deprecate"],
  "internal/util/mime.ts": ["MIMEParams", "MIMEType"],
  "internal/util/parse_args.ts": ["parseArgs"],
  "internal/util/parse_env.ts": ["parseEnv"],
  "internal/util/style_text.ts": ["styleText"],
  "web/encoding.ts": ["TextDecoder", "TextEncoder"],
});
const formatModule = lazyModule("internal/format.ts");
const equalModule = lazyModule("internal/deep_equal.ts");
const diffModule = lazyModule("internal/util/diff.ts");
const abortModule = lazyModule("web/abort.ts");

function format(...args: any[]): string {
  return formatModule().formatValues({}, args);
}

function formatWithOptions(inspectOptions: any, ...args: any[]): string {
  validateObject(inspectOptions, "inspectOptions");
  return formatModule().formatValues(inspectOptions, args);
}

function isDeepStrictEqual(left: unknown, right: unknown): boolean {
  return equalModule().deepEqual(left, right, "strict");
}

function inherits(ctor: any, superCtor: any): void {
  if (ctor === undefined || ctor === null) throw invalidArgType("ctor", "Function", ctor);
  if (superCtor === undefined || superCtor === null) throw invalidArgType("superCtor", "Function", superCtor);
  if (superCtor.prototype === undefined) throw invalidArgType("superCtor.prototype", "Object", superCtor.prototype);
  Object.defineProperty(ctor, "super_", { value: superCtor, writable: true, configurable: true });
  Object.setPrototypeOf(ctor.prototype, superCtor.prototype);
}

function _extend(target: any, source: any): any {
  return source === null || typeof source !== "object" ? target : Object.assign(target, source);
}

function stripVTControlCharacters(str: string): string {
  validateString(str, "str");
  return stripEscapes(str);
}

function toUSVString(input: unknown): string {
  return `${input}`.toWellFormed();
}

function diff(actual: string | string[], expected: string | string[]): any[] {
  const list = (value: any, name: string): any => {
    if (typeof value !== "string" && !Array.isArray(value)) throw invalidArgType(name, ["string", "Array"], value);
    return Array.from(value);
  };
  const steps = diffModule().diffLists(list(actual, "actual"), list(expected, "expected"));
  return steps.every(([kind]) => kind === 0) ? [] : steps;
}

function requireErrno(err: unknown): asserts err is number {
  if (typeof err !== "number") throw invalidArgType("err", "number", err);
  if (err >= 0 || !Number.isSafeInteger(err)) throw outOfRange("err", "a negative integer", err);
}

function getSystemErrorName(err: number): string {
  requireErrno(err);
  return systemErrorMap().get(err)?.[0] ?? `Unknown system error ${err}`;
}

function getSystemErrorMessage(err: number): string {
  requireErrno(err);
  return systemErrorMap().get(err)?.[1] ?? `Unknown system error ${err}`;
}

function getSystemErrorMap(): Map<number, [string, string]> {
  return new Map(systemErrorMap());
}

function _errnoException(err: number, syscall: string, original?: string): Error {
  const code = getSystemErrorName(err);
  const error: any = new Error(original ? `${syscall} ${code} ${original}` : `${syscall} ${code}`);
  return Object.assign(error, { errno: err, code, syscall });
}

function _exceptionWithHostPort(err: number, syscall: string, address: string, port?: number): Error {
  return systemError(getSystemErrorName(err), syscall, { address, port });
}

async function aborted(signal: any, resource: any): Promise<void> {
  if (signal === undefined) throw invalidArgType("signal", "AbortSignal", signal);
  validateAbortSignal(signal, "signal");
  validateObject(resource, "resource", { allowFunction: true, allowArray: true });
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function transferableAbortController(): any {
  return new (abortModule().AbortController)();
}

function transferableAbortSignal(signal: any): any {
  if (signal === undefined) throw invalidArgType("signal", "AbortSignal", signal);
  return signal;
}

function getCallSites(frameCount: any = 10): any[] {
  const count = typeof frameCount === "number" ? frameCount : 10;
  const lines = String(new Error().stack).split("\n").filter((line) => /^\s+at /.test(line));
  return lines.slice(1, count + 1).map((line) => {
    const [, functionName = "", scriptName = "", row = "0", column = "0"] =
      /^\s+at (?:(.*?) \()?(.*?)(?::(\d+))?(?::(\d+))?\)?$/.exec(line) ?? [];
    return { functionName, scriptId: "0", scriptName, lineNumber: Number(row), column: Number(column), columnNumber: Number(column) };
  });
}

function setTraceSigInt(_enable: boolean): void {}

const { isArray } = Array;
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isBuffer = (value: unknown): boolean => globalThis.Buffer.isBuffer(value);
const isNull = (value: unknown): boolean => value === null;
const isNullOrUndefined = (value: unknown): boolean => value == null;
const isNumber = (value: unknown): boolean => typeof value === "number";
const isString = (value: unknown): boolean => typeof value === "string";
const isSymbol = (value: unknown): boolean => typeof value === "symbol";
const isUndefined = (value: unknown): boolean => value === undefined;
const isObject = (value: unknown): boolean => value !== null && typeof value === "object";
const isFunction = (value: unknown): boolean => typeof value === "function";
const isPrimitive = (value: unknown): boolean => value === null || (typeof value !== "object" && typeof value !== "function");
const isError = (value: unknown): boolean => types.isNativeError(value) || value instanceof Error;
const { isRegExp, isDate } = types;

function log(...args: any[]): void {
  const now = new Date();
  const month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")[now.getMonth()];
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
  ops.consoleWrite("log", `${now.getDate()} ${month} ${time} - ${format(...args)}`);
}

const getCallSite = getCallSites;

export {
  _errnoException,
  _exceptionWithHostPort,
  _extend,
  aborted,
  callbackify,
  diff,
  format,
  formatWithOptions,
  getCallSite,
  getCallSites,
  getSystemErrorMap,
  getSystemErrorMessage,
  getSystemErrorName,
  inherits,
  isArray,
  isBoolean,
  isBuffer,
  isDate,
  isDeepStrictEqual,
  isError,
  isFunction,
  isNull,
  isNullOrUndefined,
  isNumber,
  isObject,
  isPrimitive,
  isRegExp,
  isString,
  isSymbol,
  isUndefined,
  log,
  promisify,
  setTraceSigInt,
  stripVTControlCharacters,
  toUSVString,
  transferableAbortController,
  transferableAbortSignal,
  types,
};

const module = {
  _errnoException,
  _exceptionWithHostPort,
  _extend,
  callbackify,
  format,
  formatWithOptions,
  getCallSite,
  getCallSites,
  getSystemErrorMap,
  getSystemErrorName,
  getSystemErrorMessage,
  inherits,
  isArray,
  isBoolean,
  isBuffer,
  isDeepStrictEqual,
  isNull,
  isNullOrUndefined,
  isNumber,
  isString,
  isSymbol,
  isUndefined,
  isRegExp,
  isObject,
  isDate,
  isError,
  isFunction,
  isPrimitive,
  log,
  promisify,
  stripVTControlCharacters,
  toUSVString,
  transferableAbortSignal,
  transferableAbortController,
  aborted,
  types,
  diff,
  setTraceSigInt,
};
Object.defineProperties(module, Object.getOwnPropertyDescriptors(lazy));

export default module as typeof module & typeof lazy;
