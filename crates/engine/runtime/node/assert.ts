// node:assert.
import { AssertionError } from "../internal/assert/assertion_error.ts";
import { CallTracker } from "../internal/assert/call_tracker.ts";
import { doesNotReject, doesNotThrow, rejects, throws } from "../internal/assert/throws.ts";
import { deepEqual as compare } from "../internal/deep_equal.ts";
import { describeReceived, invalidArgType, missingArgs } from "../internal/errors.ts";
import { inspect } from "../internal/inspect.ts";
import { isRegExp } from "./util/types.ts";

function failWith(actual: unknown, expected: unknown, message: unknown, operator: string, stackStartFn: Function): never {
  if (message instanceof Error) throw message;
  throw new AssertionError({ actual, expected, message, operator, stackStartFn });
}

function requireTwo(count: number): void {
  if (count < 2) throw missingArgs("actual", "expected");
}

function okFrom(start: Function, count: number, value: unknown, message: unknown): void {
  if (value) return;
  let generated = false;
  if (count === 0) {
    generated = true;
    message = "No value argument passed to `assert.ok()`";
  } else if (message == null) {
    generated = true;
    message = `The expression evaluated to a falsy value:\n\n  ${start.name === "ok" ? "assert.ok" : "assert"}(${inspect(value)})\n`;
  } else if (message instanceof Error) throw message;
  const error = new AssertionError({ actual: value, expected: true, message, operator: "==", stackStartFn: start });
  error.generatedMessage = generated;
  throw error;
}

const assert: any = function assert(...args: any[]): void {
  okFrom(assert, args.length, args[0], args[1]);
};

function ok(...args: any[]): void {
  okFrom(ok, args.length, args[0], args[1]);
}

function fail(actual?: unknown, expected?: unknown, message?: unknown, operator?: string, stackStartFn?: Function): never {
  const count = arguments.length;
  let generated = false;
  if (actual == null && count <= 1) {
    generated = true;
    message = "Failed";
  } else if (count === 1) {
    message = actual;
    actual = undefined;
  } else if (count === 2) operator = "!=";
  if (message instanceof Error) throw message;
  const details: any = { actual, expected, operator: operator ?? "fail", stackStartFn: stackStartFn ?? fail };
  if (message !== undefined) details.message = message;
  const error = new AssertionError(details);
  if (generated) error.generatedMessage = true;
  throw error;
}

function equal(actual: unknown, expected: unknown, message?: unknown): void {
  requireTwo(arguments.length);
  if (actual == expected || (Number.isNaN(actual) && Number.isNaN(expected))) return;
  failWith(actual, expected, message, "==", equal);
}

function notEqual(actual: unknown, expected: unknown, message?: unknown): void {
  requireTwo(arguments.length);
  if (actual != expected && !(Number.isNaN(actual) && Number.isNaN(expected))) return;
  failWith(actual, expected, message, "!=", notEqual);
}

function strictEqual(actual: unknown, expected: unknown, message?: unknown): void {
  requireTwo(arguments.length);
  if (!Object.is(actual, expected)) failWith(actual, expected, message, "strictEqual", strictEqual);
}

function notStrictEqual(actual: unknown, expected: unknown, message?: unknown): void {
  requireTwo(arguments.length);
  if (Object.is(actual, expected)) failWith(actual, expected, message, "notStrictEqual", notStrictEqual);
}

function deepEqual(actual: unknown, expected: unknown, message?: unknown): void {
  requireTwo(arguments.length);
  if (!compare(actual, expected, "loose")) failWith(actual, expected, message, "deepEqual", deepEqual);
}

function notDeepEqual(actual: unknown, expected: unknown, message?: unknown): void {
  requireTwo(arguments.length);
  if (compare(actual, expected, "loose")) failWith(actual, expected, message, "notDeepEqual", notDeepEqual);
}

function deepStrictEqual(actual: unknown, expected: unknown, message?: unknown): void {
  requireTwo(arguments.length);
  if (!compare(actual, expected, "strict")) failWith(actual, expected, message, "deepStrictEqual", deepStrictEqual);
}

function notDeepStrictEqual(actual: unknown, expected: unknown, message?: unknown): void {
  requireTwo(arguments.length);
  if (compare(actual, expected, "strict")) failWith(actual, expected, message, "notDeepStrictEqual", notDeepStrictEqual);
}

function partialDeepStrictEqual(actual: unknown, expected: unknown, message?: unknown): void {
  requireTwo(arguments.length);
  if (!compare(actual, expected, "partial")) {
    failWith(actual, expected, message, "partialDeepStrictEqual", partialDeepStrictEqual);
  }
}

function matchFrom(start: Function, text: unknown, pattern: unknown, message: unknown, wanted: boolean): void {
  if (!isRegExp(pattern)) throw invalidArgType("regexp", "RegExp", pattern);
  if (typeof text === "string" && (pattern.exec(text) !== null) === wanted) return;
  if (message instanceof Error) throw message;
  const generated = !message;
  if (generated) {
    if (typeof text !== "string") message = `The "string" argument must be of type string.${describeReceived(text)}`;
    else {
      const verb = wanted ? "The input did not match the regular expression" : "The input was expected to not match the regular expression";
      message = `${verb} ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`;
    }
  }
  const error = new AssertionError({ actual: text, expected: pattern, message, operator: start.name, stackStartFn: start });
  error.generatedMessage = generated;
  throw error;
}

function match(text: string, pattern: RegExp, message?: any): void {
  matchFrom(match, text, pattern, message, true);
}

function doesNotMatch(text: string, pattern: RegExp, message?: any): void {
  matchFrom(doesNotMatch, text, pattern, message, false);
}

function ifError(value: any): void {
  if (value === null || value === undefined) return;
  let message = "ifError got unwanted exception: ";
  if (typeof value === "object" && typeof value.message === "string") {
    message += value.message.length === 0 && value.constructor ? value.constructor.name : value.message;
  } else message += inspect(value);
  const error = new AssertionError({ actual: value, expected: null, operator: "ifError", message, stackStartFn: ifError });
  error.generatedMessage = false;
  throw error;
}

const methods: any = {
  AssertionError,
  CallTracker,
  ok,
  fail,
  equal,
  notEqual,
  deepEqual,
  notDeepEqual,
  deepStrictEqual,
  notDeepStrictEqual,
  strictEqual,
  notStrictEqual,
  partialDeepStrictEqual,
  match,
  doesNotMatch,
  throws,
  rejects,
  doesNotThrow,
  doesNotReject,
  ifError,
};
const strictAliases = {
  equal: strictEqual,
  deepEqual: deepStrictEqual,
  notEqual: notStrictEqual,
  notDeepEqual: notDeepStrictEqual,
};

/** Assertions as an object of their own (`strict`: the lax ones mean the strict ones). */
function Assert(this: any, options: { strict?: boolean; diff?: string } = {}): void {
  if (!new.target) throw new TypeError("Class constructor Assert cannot be invoked without 'new'");
  for (const [name, method] of Object.entries(methods)) if (name !== "CallTracker") this[name] = method;
  if (options.strict ?? true) Object.assign(this, strictAliases);
}

const strict: any = function strict(...args: any[]): void {
  okFrom(strict, args.length, args[0], args[1]);
};

Object.assign(assert, methods, { strict, Assert });
Object.assign(strict, methods, strictAliases, { Assert, strict });

export {
  Assert,
  AssertionError,
  CallTracker,
  deepEqual,
  deepStrictEqual,
  doesNotMatch,
  doesNotReject,
  doesNotThrow,
  equal,
  fail,
  ifError,
  match,
  notDeepEqual,
  notDeepStrictEqual,
  notEqual,
  notStrictEqual,
  ok,
  partialDeepStrictEqual,
  rejects,
  strict,
  strictEqual,
  throws,
};
export default assert;
