/** Functions of WebAssembly as functions of JavaScript, and the other way round. */

import { ops, type WasmStep, type WasmType } from "tau:ops";
import { attempt } from "./errors.ts";
import { fromWasm, toWasm, useFunctions } from "./values.ts";

interface Host {
  call: Function;
  params: readonly WasmType[];
  results: readonly WasmType[];
}

/** The functions of JavaScript that modules import. */
const hosts: Host[] = [];
const made = new Map<number, Function>();
const numbers = new WeakMap<object, number>();

/** What a function of JavaScript answers, for WebAssembly. */
function answer({ call, params, results }: Host, values: readonly unknown[]): unknown[] {
  const given = call.apply(undefined, params.map((type, place) => fromWasm(type, values[place])));
  if (results.length === 0) return [];
  const [type] = results;
  if (results.length === 1 && type) return [toWasm(type, given)];
  if (given === null || typeof given !== "object" || typeof given[Symbol.iterator] !== "function") {
    throw new TypeError("multi-return value must be iterable");
  }
  const all = [...given];
  if (all.length !== results.length) throw new TypeError("multi-return length mismatch");
  return results.map((type, place) => toWasm(type, all[place]));
}

/** Continues a call until it returns; in between it asks for functions of JavaScript. */
function finish(first: WasmStep): readonly unknown[] {
  let step = first;
  for (;;) {
    const [call, host, values] = step;
    if (call === null) return values;
    const answered = answer(hosts[host] as Host, values);
    step = attempt(() => ops.wasmResume(call, answered));
  }
}

/** Calls a function without arguments that returns nothing. */
export function start(number: number): void {
  finish(attempt(() => ops.wasmCall(number, [])));
}

/** The function of that number: always the same one. */
export function exported(number: number): Function {
  const before = made.get(number);
  if (before) return before;
  const { params, results, host } = ops.wasmFunction(number);
  const run = (given: readonly unknown[]): readonly unknown[] => {
    const values = params.map((type, place) => toWasm(type, given[place]));
    if (host !== null) return answer(hosts[host] as Host, values);
    return finish(attempt(() => ops.wasmCall(number, values)));
  };
  const { [number]: call } = {
    [number](...given: unknown[]): unknown {
      const values = run(given);
      if (results.length === 0) return undefined;
      const all = results.map((type, place) => fromWasm(type, values[place]));
      return results.length === 1 ? all[0] : all;
    },
  };
  Object.defineProperty(call, "length", { value: params.length, configurable: true });
  made.set(number, call as Function);
  numbers.set(call as Function, number);
  return call as Function;
}

/** The number of a function of WebAssembly; nothing for any other value. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "function" ? numbers.get(value) : undefined;
}

/** Makes a function of JavaScript what a module imports in this place; gives its number. */
export function imported(module: number, place: number, call: Function): number {
  const known = numberOf(call);
  if (known !== undefined) return known;
  const number = ops.wasmHost(module, place, hosts.length);
  const { params, results } = ops.wasmFunction(number);
  hosts.push({ call, params, results });
  return number;
}

useFunctions({ of: exported, numberOf });
