import assert, { AssertionError, strictEqual } from "node:assert";
import strict from "node:assert/strict";
import { test } from "node:test";

function failure(fn: () => unknown): any {
  try {
    fn();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test("what passes passes", () => {
  assert(1);
  assert.ok("x");
  assert.equal(1, "1" as any);
  assert.strictEqual(NaN, NaN);
  assert.deepEqual({ a: "1" }, { a: 1 });
  assert.deepStrictEqual(new Map([["a", new Set([1])]]), new Map([["a", new Set([1])]]));
  assert.notStrictEqual({}, {});
  assert.notDeepStrictEqual({ a: 1 }, { a: "1" });
  assert.match("abc", /b/);
  assert.doesNotMatch("abc", /x/);
  assert.ifError(null);
  assert.doesNotThrow(() => {});
  (assert as any).partialDeepStrictEqual({ a: 1, b: { c: 2, d: 3 } }, { b: { c: 2 } });
  strict.equal(strict.equal, strictEqual);
  strict.equal(assert.strict, strict);
});

test("errors carry what was compared", () => {
  const error = failure(() => assert.strictEqual(1, 2));
  assert.ok(error instanceof AssertionError && error instanceof Error);
  const { name, code, actual, expected, operator, generatedMessage, message } = error;
  assert.deepStrictEqual(
    { name, code, actual, expected, operator, generatedMessage, message },
    {
      name: "AssertionError", code: "ERR_ASSERTION", actual: 1, expected: 2, operator: "strictEqual", generatedMessage: true,
      message: "Expected values to be strictly equal:\n\n1 !== 2\n",
    },
  );
  assert.match(error.stack, /^AssertionError \[ERR_ASSERTION\]: Expected values to be strictly equal:/);
  const own = failure(() => assert.ok(false, "own words"));
  assert.deepStrictEqual([own.message, own.generatedMessage, own.operator, own.expected], ["own words", false, "==", true]);
  const thrown = new RangeError("mine");
  assert.strictEqual(failure(() => assert.equal(1, 2, thrown)), thrown);
});

test("messages show the difference", () => {
  const message = (fn: () => unknown): string => failure(fn).message;
  const head = "Expected values to be strictly deep-equal:\n+ actual - expected\n\n";
  assert.strictEqual(
    message(() => assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] })),
    `${head}  {\n    a: 1,\n    b: [\n      1,\n+     2\n-     3\n    ]\n  }\n`,
  );
  assert.strictEqual(message(() => assert.deepStrictEqual([1, 2], [1, 2, 3])), `${head}  [\n    1,\n    2,\n-   3\n  ]\n`);
  assert.strictEqual(message(() => assert.deepStrictEqual({}, [])), `${head}+ {}\n- []\n`);
  assert.strictEqual(
    message(() => assert.strictEqual("a\nb\nc", "a\nx\nc")),
    "Expected values to be strictly equal:\n+ actual - expected\n\n+ 'a\\nb\\nc'\n- 'a\\nx\\nc'\n      ^\n",
  );
  assert.strictEqual(message(() => assert.strictEqual([1], [1])), "Values have same structure but are not reference-equal:\n\n[\n  1\n]\n");
  assert.strictEqual(message(() => assert.notDeepStrictEqual({ a: 1 }, { a: 1 })), 'Expected "actual" not to be strictly deep-equal to:\n\n{\n  a: 1\n}\n');
  assert.strictEqual(message(() => assert.notStrictEqual(1, 1)), 'Expected "actual" to be strictly unequal to: 1');
  assert.strictEqual(message(() => assert.equal("a", "b")), "'a' == 'b'");
  assert.strictEqual(
    message(() => assert.deepEqual({ a: 1 }, { a: 2 })),
    "Expected values to be loosely deep-equal:\n\n{\n  a: 1\n}\n\nshould loosely deep-equal\n\n{\n  a: 2\n}",
  );
  assert.strictEqual(message(() => assert.match("abc", /x/)), "The input did not match the regular expression /x/. Input:\n\n'abc'\n");
  assert.strictEqual(message(() => assert.ifError(new Error("x"))), "ifError got unwanted exception: x");
  assert.strictEqual(message(() => assert.fail()), "Failed");
  assert.match(message(() => assert.ok(0)), /^The expression evaluated to a falsy value:\n\n  assert\.ok\(0\)\n$/);
});

test("throws", () => {
  const fail = () => {
    throw Object.assign(new TypeError("bad value"), { code: "E_BAD" });
  };
  assert.throws(fail);
  assert.throws(fail, TypeError);
  assert.throws(fail, /bad/);
  assert.throws(fail, { name: "TypeError", message: /value$/, code: "E_BAD" });
  assert.throws(fail, (error: any) => error.code === "E_BAD");
  assert.strictEqual(failure(() => assert.throws(() => {}, TypeError, "hm")).message, "Missing expected exception (TypeError): hm");
  assert.strictEqual(
    failure(() => assert.throws(fail, RangeError)).message,
    'The error is expected to be an instance of "RangeError". Received "TypeError"\n\nError message:\n\nbad value',
  );
  assert.strictEqual(
    failure(() => assert.throws(fail, { message: "other" })).message,
    "Expected values to be strictly deep-equal:\n+ actual - expected\n\n  Comparison {\n+   message: 'bad value'\n-   message: 'other'\n  }\n",
  );
  assert.strictEqual(failure(() => assert.doesNotThrow(fail, "hm")).message, 'Got unwanted exception: hm\nActual message: "bad value"');
  assert.strictEqual(failure(() => assert.throws("x" as any)).code, "ERR_INVALID_ARG_TYPE");
  assert.strictEqual(failure(() => assert.throws(fail, {})).code, "ERR_INVALID_ARG_VALUE");
  assert.strictEqual(failure(() => assert.throws(fail, "bad value")).code, "ERR_AMBIGUOUS_ARGUMENT");
});

test("rejects", async () => {
  await assert.rejects(Promise.reject(new Error("no")), /no/);
  await assert.rejects(async () => {
    throw new TypeError("later");
  }, TypeError);
  await assert.doesNotReject(async () => 1);
  await assert.rejects(assert.rejects(Promise.resolve(1)), { code: "ERR_ASSERTION", message: "Missing expected rejection." });
  await assert.rejects(assert.doesNotReject(Promise.reject(new Error("x"))), { message: 'Got unwanted rejection.\nActual message: "x"' });
  await assert.rejects(assert.rejects((() => 5) as any), { code: "ERR_INVALID_RETURN_VALUE" });
});
