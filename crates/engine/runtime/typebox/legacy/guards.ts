// `KindGuard`, `TypeGuard` and `ValueGuard` of version 0.34, over the marks of version 1.
import * as is from "../type/guards.ts";
import { IsKind, kindOf } from "../type/guards.ts";
import { Kind as kindSymbol } from "./symbols.ts";

const of = (kind: string) => (value: unknown) => IsKind(value, kind);

/** Tests by kind. */
export const KindGuard: any = {
  IsReadonly: is.IsReadonly,
  IsOptional: is.IsOptional,
  IsTransform: is.IsCodec,
  IsUnsafe: is.IsUnsafe,
  IsLiteralString: is.IsLiteralString,
  IsLiteralNumber: is.IsLiteralNumber,
  IsLiteralBoolean: is.IsLiteralBoolean,
  IsLiteralValue: (value: unknown) => ["boolean", "number", "string"].includes(typeof value),
  IsProperties: (value: unknown) => typeof value === "object" && value !== null,
  IsRecursive: (value: unknown) => is.IsCyclic(value),
  IsMappedKey: () => false,
  IsMappedResult: () => false,
  IsKindOf: (value: any, kind: string) => IsKind(value, kind) || value?.[kindSymbol] === kind,
  IsKind: (value: any) => kindOf(value) !== undefined || typeof value?.[kindSymbol] === "string",
  IsSchema: (value: unknown) => KindGuard.IsKind(value) || is.IsUnsafe(value),
};
for (const kind of (
  "Any Argument Array AsyncIterator BigInt Boolean Computed Constructor Date Function Import Integer Intersect " +
  "Iterator Literal Never Not Null Number Object Promise Record Ref RegExp String Symbol TemplateLiteral This Tuple " +
  "Undefined Union Uint8Array Unknown Void"
).split(" ")) KindGuard[`Is${kind}`] = of(kind);

/** Thrown by 0.34 for a schema of no known kind. */
export class TypeGuardUnknownTypeError extends Error {}

export const TypeGuard: any = {
  ...KindGuard,
  TypeGuardUnknownTypeError,
  IsUnionLiteral: (value: any) =>
    is.IsUnion(value) && value.anyOf.every((type: unknown) => is.IsLiteralString(type) || is.IsLiteralNumber(type)),
};

const isObject = (value: unknown) => typeof value === "object" && value !== null;
export const ValueGuard: any = {
  HasPropertyKey: (value: any, key: PropertyKey) => key in value,
  IsAsyncIterator: (value: unknown) => isObject(value) && !Array.isArray(value) && Symbol.asyncIterator in value,
  IsArray: Array.isArray,
  IsBigInt: (value: unknown) => typeof value === "bigint",
  IsBoolean: (value: unknown) => typeof value === "boolean",
  IsDate: (value: unknown) => value instanceof Date,
  IsFunction: (value: unknown) => typeof value === "function",
  IsIterator: (value: unknown) => isObject(value) && !Array.isArray(value) && Symbol.iterator in value,
  IsNull: (value: unknown) => value === null,
  IsNumber: (value: unknown) => typeof value === "number",
  IsObject: isObject,
  IsRegExp: (value: unknown) => value instanceof RegExp,
  IsString: (value: unknown) => typeof value === "string",
  IsSymbol: (value: unknown) => typeof value === "symbol",
  IsUint8Array: (value: unknown) => value instanceof Uint8Array,
  IsUndefined: (value: unknown) => value === undefined,
};
