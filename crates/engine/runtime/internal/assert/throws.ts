// assert.throws, assert.rejects and their opposites.
import { codeTypeError, invalidArgType, invalidArgValue, invalidReturnValue } from "../errors.ts";
import { inspect } from "../inspect.ts";
import { isPromise, isRegExp } from "../../node/util/types.ts";
import { deepEqual } from "../deep_equal.ts";
import { AssertionError } from "./assertion_error.ts";
import { comparisonMessage } from "./message.ts";

const NOTHING = Symbol("nothing thrown");

function run(fn: any): unknown {
  if (typeof fn !== "function") throw invalidArgType("fn", "Function", fn);
  try {
    fn();
  } catch (error) {
    return error;
  }
  return NOTHING;
}

function isThenable(value: any): boolean {
  return isPromise(value) || (value !== null && typeof value === "object" && typeof value.then === "function" && typeof value.catch === "function");
}

async function settle(promiseFn: any): Promise<unknown> {
  let promise = promiseFn;
  if (typeof promiseFn === "function") {
    promise = promiseFn();
    if (!isThenable(promise)) throw invalidReturnValue("instance of Promise", "promiseFn", promise);
  } else if (!isThenable(promiseFn)) throw invalidArgType("promiseFn", ["Function", "Promise"], promiseFn);
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return NOTHING;
}

// A failed check of the thrown value.
function fail(actual: unknown, expected: unknown, message: any, generated: string, operator: string, start: Function): never {
  if (message instanceof Error) throw message;
  const error = new AssertionError({ actual, expected, message: message ?? generated, operator, stackStartFn: start });
  error.generatedMessage = message == null;
  throw error;
}

function checkObject(actual: any, expected: any, message: any, operator: string, start: Function): void {
  const keys = Object.keys(expected);
  if (expected instanceof Error) keys.push("name", "message");
  else if (keys.length === 0) throw invalidArgValue("error", expected, "may not be an empty object");
  const matches = (key: string): boolean => {
    if (typeof actual[key] === "string" && isRegExp(expected[key])) return expected[key].test(actual[key]);
    return key in actual && deepEqual(actual[key], expected[key], "strict");
  };
  if (typeof actual === "object" && actual !== null && keys.every(matches)) return;
  if (typeof actual !== "object" || actual === null) {
    const text = comparisonMessage(actual, expected, "deepStrictEqual");
    return fail(actual, expected, message, text, operator, start);
  }
  // Only what was asked for is compared, and patterns that fit look like what they fit.
  class Comparison {}
  const left: any = new Comparison();
  const right: any = new Comparison();
  for (const key of keys) {
    if (key in actual) left[key] = actual[key];
    right[key] = typeof actual[key] === "string" && isRegExp(expected[key]) && matches(key) ? actual[key] : expected[key];
  }
  fail(actual, expected, message, comparisonMessage(left, right, "throws"), operator, start);
}

function check(actual: any, expected: any, message: any, operator: string, start: Function): void {
  if (expected === undefined) return;
  if (isRegExp(expected)) {
    const text = String(actual);
    if (expected.test(text)) return;
    fail(actual, expected, message, `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(text)}\n`, operator, start);
  }
  if (typeof expected !== "function") return checkObject(actual, expected, message, operator, start);
  if (expected.prototype !== undefined && actual instanceof expected) return;
  if (Object.prototype.isPrototypeOf.call(Error, expected)) {
    let text = `The error is expected to be an instance of "${expected.name}". Received `;
    text += actual instanceof Error ? `"${actual.name}"` : `"${inspect(actual, { depth: -1 })}"`;
    if (actual?.message) text += `\n\nError message:\n\n${actual.message}`;
    fail(actual, expected, message, text, operator, start);
  }
  const result = Reflect.apply(expected, {}, [actual]);
  if (result === true) return;
  const label = expected.name ? `"${expected.name}" ` : "";
  let text = `The ${label}validation function is expected to return "true". Received ${inspect(result)}`;
  if (actual instanceof Error) text += `\n\nCaught error:\n\n${actual}`;
  fail(actual, expected, message, text, operator, start);
}

function expectError(start: Function, actual: any, expected: any, message: any): void {
  const operator = start.name;
  if (typeof expected === "string") {
    if (message !== undefined) throw invalidArgType("error", ["Object", "Error", "Function", "RegExp"], expected);
    const text = actual !== null && typeof actual === "object" ? actual.message : actual;
    if (actual !== NOTHING && text === expected) {
      const what = typeof actual === "object" ? "error message" : "error";
      throw codeTypeError("ERR_AMBIGUOUS_ARGUMENT", `The "error/message" argument is ambiguous. The ${what} ${JSON.stringify(expected)} is identical to the message.`);
    }
    message = expected;
    expected = undefined;
  } else if (expected != null && typeof expected !== "object" && typeof expected !== "function") {
    throw invalidArgType("error", ["Object", "Error", "Function", "RegExp"], expected);
  }
  if (actual === NOTHING) {
    const details = (expected?.name ? ` (${expected.name})` : "") + (message ? `: ${message}` : ".");
    const kind = operator === "rejects" ? "rejection" : "exception";
    if (message instanceof Error) throw message;
    const error = new AssertionError({ actual: undefined, expected, operator, message: `Missing expected ${kind}${details}`, stackStartFn: start });
    throw error;
  }
  check(actual, expected, message, operator, start);
}

function fits(actual: any, expected: any): boolean {
  if (expected === undefined) return true;
  if (isRegExp(expected)) return expected.test(String(actual));
  if (expected.prototype !== undefined && actual instanceof expected) return true;
  if (Object.prototype.isPrototypeOf.call(Error, expected)) return false;
  return Reflect.apply(expected, {}, [actual]) === true;
}

function expectNoError(start: Function, actual: any, expected: any, message: any): void {
  if (actual === NOTHING) return;
  if (typeof expected === "string") {
    message = expected;
    expected = undefined;
  }
  if (!fits(actual, expected)) throw actual;
  const kind = start.name === "doesNotReject" ? "rejection" : "exception";
  const details = message ? `: ${message}` : ".";
  throw new AssertionError({
    actual,
    expected,
    operator: start.name,
    message: `Got unwanted ${kind}${details}\nActual message: "${actual?.message}"`,
    stackStartFn: start,
  });
}

export function throws(fn: () => unknown, error?: any, message?: any): void {
  expectError(throws, run(fn), error, message);
}

export async function rejects(promiseFn: any, error?: any, message?: any): Promise<void> {
  expectError(rejects, await settle(promiseFn), error, message);
}

export function doesNotThrow(fn: () => unknown, error?: any, message?: any): void {
  expectNoError(doesNotThrow, run(fn), error, message);
}

export async function doesNotReject(promiseFn: any, error?: unknown, message?: unknown): Promise<void> {
  expectNoError(doesNotReject, await settle(promiseFn), error, message);
}
