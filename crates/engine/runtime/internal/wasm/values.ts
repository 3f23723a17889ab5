/** Values on their way between JavaScript and WebAssembly, as their types have them. */

import type { WasmType } from "tau:ops";

/** What there is for functions; they need values, and values may be functions. */
interface Functions {
  of(number: number): Function;
  numberOf(value: unknown): number | undefined;
}

let functions: Functions;

/** Says how functions are found. */
export function useFunctions(found: Functions): void {
  functions = found;
}

/** The objects that WebAssembly has references to. It lets none of them go. */
const objects: unknown[] = [];
const numbers = new Map<unknown, number>();

function keepObject(object: unknown): number {
  // A map takes the two zeros for one.
  const isKnown = !Object.is(object, -0);
  const known = isKnown ? numbers.get(object) : undefined;
  if (known !== undefined) return known;
  const number = objects.push(object) - 1;
  if (isKnown) numbers.set(object, number);
  return number;
}

/** What is said of a value that is no function of WebAssembly. */
export const NO_FUNCTION = "function-typed object must be null (if nullable) or a Wasm function object";

/** A value for an op, converted to what its type takes. */
export function toWasm(type: WasmType, value: unknown): unknown {
  switch (type) {
    case "i32":
      return (value as number) | 0;
    case "i64":
      return BigInt.asIntN(64, value as bigint);
    case "f32":
      return Math.fround(value as number);
    case "f64":
      return +(value as number);
    case "externref":
      return value === null ? null : keepObject(value);
    case "anyfunc": {
      if (value === null) return null;
      const number = functions.numberOf(value);
      if (number === undefined) throw new TypeError(NO_FUNCTION);
      return number;
    }
    default:
      throw new TypeError("type incompatibility when transforming from/to JS");
  }
}

/** What an op gave, as JavaScript has it. */
export function fromWasm(type: WasmType, value: unknown): unknown {
  if (value === null) return null;
  if (type === "externref") return objects[value as number];
  return type === "anyfunc" ? functions.of(value as number) : value;
}

/** What a value of a type is when nobody says. */
export function initially(type: WasmType): unknown {
  if (type === "i64") return 0n;
  if (type === "externref") return undefined;
  return type === "anyfunc" ? null : 0;
}

/** A number without a sign and of 32 bits at most; `what` is who asks for it. */
export function index(value: unknown, what: string): number {
  const number = Math.trunc(Number(value));
  if (!Number.isFinite(number)) throw new TypeError(`${what} must be convertible to a valid number`);
  if (number < 0) throw new TypeError(`${what} must be non-negative`);
  if (number > 0xffffffff) throw new TypeError(`${what} must be in the unsigned long range`);
  return number;
}

/** The sizes that a descriptor says: `most` is the largest that there can be. */
export function limits(given: Record<string, unknown>, what: string, most: number): [number, number | undefined] {
  const size = (name: string) => {
    const value = given[name];
    if (value === undefined) return undefined;
    const number = index(value, `${what}: Property '${name}'`);
    if (number > most) {
      throw new RangeError(`${what}: Property '${name}': value ${number} is above the upper bound ${most}`);
    }
    return number;
  };
  const initial = size("initial") ?? size("minimum");
  if (initial === undefined) throw new TypeError(`${what}: Property 'initial' is required`);
  const maximum = size("maximum");
  if (maximum !== undefined && maximum < initial) {
    throw new RangeError(`${what}: Property 'maximum': value ${maximum} is below the lower bound ${initial}`);
  }
  return [initial, maximum];
}

/** The object that a constructor was given. */
export function descriptor(value: unknown, what: string, name: string): Record<string, unknown> {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) {
    throw new TypeError(`${what}: Argument 0 must be a ${name} descriptor`);
  }
  return value as Record<string, unknown>;
}

/** What only the runtime has: constructors make an object for something that is there already. */
export const INSIDE = Symbol("number");
