/** `node:test`. `only` has no effect: all tests of a file run. */

import { addHook, addSuite, addTest, mock, registerAssertion, TestContext } from "../internal/test_runner.ts";
import { absence } from "../internal/loader.ts";

type Variant = (name?: unknown, options?: unknown, fn?: unknown) => Promise<void>;

function variants(add: typeof addTest): Variant & { skip: Variant; todo: Variant; only: Variant } {
  const base: any = (name?: unknown, options?: unknown, fn?: unknown) => add(name, options, fn);
  base.skip = (name?: unknown, options?: unknown, fn?: unknown) => add(name, options, fn, { skip: true });
  base.todo = (name?: unknown, options?: unknown, fn?: unknown) => add(name, options, fn, { todo: true });
  base.only = (name?: unknown, options?: unknown, fn?: unknown) => add(name, options, fn, { only: true });
  return base;
}

export const test: any = variants(addTest);
export const it: any = test;
export const describe: any = variants(addSuite);
export const suite: any = describe;
export const { skip, todo, only } = test;

export function before(fn: unknown, options?: unknown): void {
  addHook("before", fn, options);
}
export function after(fn: unknown, options?: unknown): void {
  addHook("after", fn, options);
}
export function beforeEach(fn: unknown, options?: unknown): void {
  addHook("beforeEach", fn, options);
}
export function afterEach(fn: unknown, options?: unknown): void {
  addHook("afterEach", fn, options);
}

/** Where further functions for `t.assert` are registered. */
export const assert = {
  register(name: string, fn: (...args: any[]) => any): void {
    registerAssertion(name, fn);
  },
};

/** Snapshots are not kept in tau: `t.assert.snapshot` does not exist. */
export const snapshot = {
  setDefaultSnapshotSerializers(_serializers: unknown): void {},
  setResolveSnapshotPath(_resolve: unknown): void {},
};

/** Test files are run by tau itself. */
export function run(): never {
  throw new Error(absence("test.run"));
}

export { mock };

Object.assign(test, { test, it, describe, suite, before, after, beforeEach, afterEach, assert, mock, run, snapshot, TestContext });

export default test;
