/** One description of an operation makes three functions: `xSync`, `x` with a callback, and the one of promises. */

import { ops, type Twin } from "tau:ops";
import { invalidArgType } from "../errors.ts";
import { nextTick } from "../tick.ts";

/** What an operation comes to: an op, its arguments, and what is made of its answer. */
export type Call = [op: Twin, args: any[], answer?: (result: any) => any];

/** Checks the arguments of an operation. */
export type Prepare = (...args: any[]) => Call;

/** Does it now. */
export function callSync([op, args, answer]: Call): any {
  const result = (ops[op] as (...args: any[]) => any)(...args);
  return answer ? answer(result) : result;
}

/** Does it in the background. */
export function callAsync([op, args, answer]: Call): Promise<any> {
  const promise = (ops[`${op}Async`] as (...args: any[]) => Promise<any>)(...args);
  return answer ? promise.then(answer) : promise;
}

/** The callback among arguments, and the arguments before it. */
export function splitCallback(args: any[]): [(...results: any[]) => void, any[]] {
  let at = args.length - 1;
  while (at >= 0 && typeof args[at] !== "function") at--;
  if (at < 0) throw invalidArgType("cb", "Function", undefined);
  return [args[at], args.slice(0, at)];
}

/** Tells a callback how a promise ended, outside of the promise. */
export function settle(promise: Promise<any>, callback: (...results: any[]) => void, spread?: (value: any) => any[]): void {
  promise.then(
    (value) => nextTick(callback, null, ...(spread ? spread(value) : value === undefined ? [] : [value])),
    (error) => nextTick(callback, error),
  );
}

/** `xSync`. */
export function syncForm(prepare: Prepare): (...args: any[]) => any {
  return (...args) => callSync(prepare(...args));
}

/** `x` with a callback: wrong arguments throw at once. */
export function callbackForm(prepare: Prepare): (...args: any[]) => void {
  return (...args) => {
    const [callback, rest] = splitCallback(args);
    settle(callAsync(prepare(...rest)), callback);
  };
}

/** The form of promises: wrong arguments reject. */
export function promiseForm(prepare: Prepare): (...args: any[]) => Promise<any> {
  return async (...args) => callAsync(prepare(...args));
}
