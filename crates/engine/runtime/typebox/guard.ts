// typebox/guard: tests for plain values.
import { absentNames } from "./forward.ts";
import * as values from "./legacy/values.ts";
import { deepEqual, graphemeCount, isMultipleOf } from "./schema/text.ts";
import { isInstance } from "./type/make.ts";

const isObject = (value: unknown) => typeof value === "object" && value !== null;
type Check = (item: unknown, at: number) => boolean;
/** `every` without a short cut: every item is looked at. */
const everyAll = (list: any[], first: number, check: Check) =>
  list.slice(first).reduce((passed, item, at) => check(item, at + first) && passed, true);

export const Guard: any = {
  Counted: (list: any[], check: Check) => list.filter(check).length,
  Entries: (value: any) => Object.entries(value),
  EntriesRegExp: (value: any) => Object.getOwnPropertyNames(value).map((key) => [new RegExp(`^${key}$`), value[key]]),
  Every: (list: any[], first: number, check: Check) => list.every((item, at) => at < first || check(item, at)),
  EveryAll: everyAll,
  GraphemeCount: graphemeCount,
  HasPropertyKey: (value: any, key: PropertyKey) => Object.hasOwn(value, key),
  IsArray: Array.isArray,
  IsBigInt: values.IsBigInt,
  IsBoolean: values.IsBoolean,
  IsClassInstance: (value: unknown) => isObject(value) && isInstance(value),
  IsConstructor: (value: unknown) => typeof value === "function" && value.prototype !== undefined,
  IsDeepEqual: deepEqual,
  IsEqual: (left: unknown, right: unknown) => left === right,
  IsFunction: values.IsFunction,
  IsGreaterEqualThan: (left: any, right: any) => left >= right,
  IsGreaterThan: (left: any, right: any) => left > right,
  IsInteger: values.IsInteger,
  IsLessEqualThan: (left: any, right: any) => left <= right,
  IsLessThan: (left: any, right: any) => left < right,
  IsMaxLength: (value: string, length: number) => graphemeCount(value) <= length,
  IsMinLength: (value: string, length: number) => graphemeCount(value) >= length,
  IsMultipleOf: isMultipleOf,
  IsNull: values.IsNull,
  IsNumber: (value: unknown) => Number.isFinite(value),
  IsObject: isObject,
  IsObjectNotArray: (value: unknown) => isObject(value) && !Array.isArray(value),
  IsString: values.IsString,
  IsSymbol: values.IsSymbol,
  IsUndefined: values.IsUndefined,
  IsUnsafePropertyKey: (key: any) => ["__proto__", "constructor", "prototype"].includes(key),
  IsValueLike: (value: unknown) =>
    value === null || Number.isFinite(value) || ["bigint", "boolean", "string", "undefined"].includes(typeof value),
  Keys: (value: unknown) => Object.getOwnPropertyNames(value),
  ShiftLeft: (list: any[], some: (first: unknown, rest: any[]) => any, none: () => any) =>
    list.length === 0 ? none() : some(list[0], list.slice(1)),
  Some: (list: any[], check: Check) => list.some(check),
  SomeAll: (list: any[], check: Check) => list.filter(check).length > 0,
  Symbols: (value: unknown) => Object.getOwnPropertySymbols(value),
  Values: (value: any) => Object.values(value),
};

export const GlobalsGuard: any = { IsTypeArray: (value: any) => ArrayBuffer.isView(value), IsDate: (value: any) => value instanceof Date };
for (const name of ["BigInt64Array", "BigUint64Array", "Float32Array", "Float64Array", "Int16Array", "Int32Array", "Int8Array",
  "Map", "RegExp", "Set", "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "Boolean", "Number", "String"]) {
  GlobalsGuard[`Is${name}`] ??= (value: any) => value instanceof (globalThis as any)[name];
}

const whole = (low: number, high: number) => (value: any) => Number.isInteger(value) && value >= low && value <= high;
const wide = (low: bigint, high: bigint) => (value: any) =>
  (typeof value === "bigint" || Number.isInteger(value)) && BigInt(value) >= low && BigInt(value) <= high;
export const NativeGuard: any = {
  IsF32: (value: any) => Number.isFinite(value) && Math.abs(value) <= 3.4028234663852886e38,
  IsF64: (value: unknown) => Number.isFinite(value),
  IsI8: whole(-(2 ** 7), 2 ** 7 - 1),
  IsI16: whole(-(2 ** 15), 2 ** 15 - 1),
  IsI32: whole(-(2 ** 31), 2 ** 31 - 1),
  IsI64: wide(-(2n ** 63n), 2n ** 63n - 1n),
  IsU8: whole(0, 2 ** 8 - 1),
  IsU16: whole(0, 2 ** 16 - 1),
  IsU32: whole(0, 2 ** 32 - 1),
  IsU64: wide(0n, 2n ** 64n - 1n),
};

// Writers of generated code, which does not exist here.
const { And, ArrayLiteral, ArrowFunction, Call, ConstDeclaration, Constant, Counted, Entries, Every, HasPropertyKey, If, IsArray,
  IsBigInt, IsBoolean, IsConstructor, IsDeepEqual, IsEqual, IsFunction, IsGreaterEqualThan, IsGreaterThan, IsInteger,
  IsLessEqualThan, IsLessThan, IsMaxLength, IsMinLength, IsNull, IsNumber, IsObject, IsObjectNotArray, IsString, IsSymbol,
  IsUndefined, Keys, Member, MultipleOf, New, Not, Or, ReduceAnd, ReduceOr, Return, Some, SomeAll, Statements, Ternary,
} = absentNames("typebox/guard");
export const EmitGuard: any = { And, ArrayLiteral, ArrowFunction, Call, ConstDeclaration, Constant, Counted, Entries, Every,
  HasPropertyKey, If, IsArray, IsBigInt, IsBoolean, IsConstructor, IsDeepEqual, IsEqual, IsFunction, IsGreaterEqualThan,
  IsGreaterThan, IsInteger, IsLessEqualThan, IsLessThan, IsMaxLength, IsMinLength, IsNull, IsNumber, IsObject,
  IsObjectNotArray, IsString, IsSymbol, IsUndefined, Keys, Member, MultipleOf, New, Not, Or, ReduceAnd, ReduceOr, Return,
  Some, SomeAll, Statements, Ternary,
};
export default Guard;
