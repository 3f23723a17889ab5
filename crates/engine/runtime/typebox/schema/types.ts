// The `type` keyword.
import { lazyModule } from "../../internal/lazy.ts";

const otherKinds = lazyModule("typebox/legacy/kinds.ts");

const typeChecks: Record<string, (value: unknown) => boolean> = {
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: Number.isFinite,
  null: (value) => value === null,
  string: (value) => typeof value === "string",
  bigint: (value) => typeof value === "bigint",
  constructor: (value: any) => typeof value === "function" && value.prototype !== undefined,
  function: (value) => typeof value === "function",
  symbol: (value) => typeof value === "symbol",
  undefined: (value) => value === undefined,
  void: (value) => value === undefined,
};
const isOfType = (type: any, value: any): boolean => !Object.hasOwn(typeChecks, type) || typeChecks[type](value);

/** Whether a value is of the type, or one of the types, that a schema names. */
export function fitsType(schema: any, value: any): boolean {
  const { type } = schema;
  const fits = Array.isArray(type) ? type.some((name) => isOfType(name, value)) : isOfType(type, value);
  return fits && customKind(schema, value);
}

/** The types that only version 0.34 had (`Date`, `Uint8Array`, …) name themselves in `type`. */
function customKind(schema: any, value: any): boolean {
  if (Object.hasOwn(typeChecks, schema.type) || schema["~kind"] !== schema.type) return true;
  return otherKinds().check(schema, value);
}
