// Functions of extensions that Rust holds by number, and how a call of one gets its result back.
import { ops } from "tau:ops";

const kept = new Map<number, (...args: any[]) => any>();
let next = 0;

/** Keeps a function; Rust calls it by the number and says when it is not needed any more. */
export function keep(fn: (...args: any[]) => any): number {
  kept.set(++next, fn);
  return next;
}

export function forget(id: number): void {
  kept.delete(id);
}

/** Calls a kept function and settles the call, now or when its promise does. */
export function invoke(call: number, id: number, args: any[]): void {
  const fn = kept.get(id);
  if (!fn) return ops.callFailed(call, new Error("the function is gone"));
  let result: any;
  try {
    result = fn(...args);
  } catch (error) {
    return ops.callFailed(call, error);
  }
  settle(call, result);
}

/** Settles a call with a value or with what its promise comes to. */
export function settle(call: number, result: any): void {
  if (result === undefined || result === null) return ops.callDone(call, result);
  let then: any;
  try {
    then = typeof result === "object" || typeof result === "function" ? result.then : undefined;
  } catch (error) {
    return ops.callFailed(call, error);
  }
  if (typeof then !== "function") return ops.callDone(call, result);
  Promise.resolve(result).then(
    (value) => ops.callDone(call, value),
    (error) => ops.callFailed(call, error),
  );
}

/** A signal and the function that fires it. */
export function makeSignal(aborted: boolean): [AbortSignal, () => void] {
  const controller = new AbortController();
  if (aborted) controller.abort();
  return [controller.signal, () => controller.abort()];
}

/** Runs `use` with the number of a token that is cancelled when `signal` fires; none when there is no signal. */
export function withToken<T>(signal: any, use: (token: number | undefined) => Promise<T>): Promise<T> {
  if (!signal) return use(undefined);
  const token = ops.tokenNew();
  const abort = () => ops.tokenCancel(token);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  const done = () => {
    signal.removeEventListener?.("abort", abort);
    ops.tokenDrop(token);
  };
  const result = use(token);
  result.then(done, done);
  return result;
}
