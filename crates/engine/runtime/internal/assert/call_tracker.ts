// assert.CallTracker: functions that are expected to be called a number of times.
import { invalidArgValue } from "../errors.ts";
import { validateUint32 } from "../validators.ts";
import { AssertionError } from "./assertion_error.ts";

interface Tracked {
  name: string;
  exact: number;
  stack: Error;
  calls: { thisArg: unknown; arguments: unknown[] }[];
}

/** Counts calls. */
export class CallTracker {
  #tracked = new Map<Function, Tracked>();

  /** A function that counts its calls; `exact` is how many are expected. */
  calls(fn?: any, exact?: number): any {
    if (typeof fn === "number") {
      exact = fn;
      fn = undefined;
    }
    const expected = exact ?? 1;
    const target = fn ?? (() => {});
    validateUint32(expected, "expected", true);
    const entry: Tracked = { name: target.name || "calls", exact: expected, stack: new Error(), calls: [] };
    const wrapped = function (this: unknown, ...args: unknown[]): unknown {
      entry.calls.push({ thisArg: this, arguments: args });
      return Reflect.apply(target, this, args);
    };
    this.#tracked.set(wrapped, entry);
    return wrapped;
  }

  #find(fn: Function): Tracked {
    const entry = this.#tracked.get(fn);
    if (entry === undefined) throw invalidArgValue("tracked", fn, "is not a tracked function");
    return entry;
  }

  getCalls(fn: Function): any[] {
    return [...this.#find(fn).calls];
  }

  reset(fn?: Function): void {
    for (const entry of fn === undefined ? this.#tracked.values() : [this.#find(fn)]) entry.calls = [];
  }

  report(): any[] {
    const problems: any[] = [];
    for (const { name, exact, stack, calls } of this.#tracked.values()) {
      if (calls.length === exact) continue;
      const message = `Expected the ${name} function to be executed ${exact} time(s) but was executed ${calls.length} time(s).`;
      problems.push({ message, actual: calls.length, expected: exact, operator: name, stack });
    }
    return problems;
  }

  verify(): void {
    const problems = this.report();
    if (problems.length === 0) return;
    const message = problems.length === 1 ? problems[0].message : "Functions were not called the expected number of times";
    throw new AssertionError({ message });
  }
}
