// `KindGuard`, `TypeGuard` and `ValueGuard` of version 0.34, over the marks of version 1.
import * as is from "../type/guards.ts";
import { IsKind, kindOf } from "../type/guards.ts";
import { Kind as kindSymbol } from "./symbols.ts";

const of = (kind: string) => (value: any) => IsKind(value, kind);

/** Tests by kind. */
export const KindGuard: any = {
  IsReadonly: is.IsReadonly,
  IsOptional: is.IsOptional,
  IsTransform: is.IsCodec,
  IsUnsafe: is.IsUnsafe,
  IsLiteralString: is.IsLiteralString,
  IsLiteralNumber: is.IsLiteralNumber,
  IsLiteralBoolean: is.IsLiteralBoolean,
  IsLiteralValue: (value: any) => ["boolean", "number", "string"].includes(typeof value),
  IsProperties: (value: any) => typeof value === "object" && value !== null,
  IsRecursive: (value: any) => is.IsCyclic(value),
  IsMappedKey: () => false,
  IsMappedResult: () => false,
  IsKindOf: (value: any, kind: string) => IsKind(value, kind) || value?.[kindSymbol] === kind,
  IsKind: (value: any) => kindOf(value) !== undefined || typeof value?.[kindSymbol] === "string",
  IsSchema: (value: any) => KindGuard.IsKind(value) || is.IsUnsafe(value),
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
    is.IsUnion(value) && value.anyOf.every((type: any) => is.IsLiteralString(type) || is.IsLiteralNumber(type)),
};

const isObject = (value: any) => typeof value === "object" && value !== null;
export const ValueGuard: any = {
  HasPropertyKey: (value: any, key: PropertyKey) => key in value,
  IsAsyncIterator: (value: any) => isObject(value) && !Array.isArray(value) && Symbol.asyncIterator in value,
  IsArray: Array.isArray,
  IsBigInt: (value: any) => typeof value === "bigint",
  IsBoolean: (value: any) => typeof value === "boolean",
  IsDate: (value: any) => value instanceof Date,
  IsFunction: (value: any) => typeof value === "function",
  IsIterator: (value: any) => isObject(value) && !Array.isArray(value) && Symbol.iterator in value,
  IsNull: (value: any) => value === null,
  IsNumber: (value: any) => typeof value === "number",
  IsObject: isObject,
  IsRegExp: (value: any) => value instanceof RegExp,
  IsString: (value: any) => typeof value === "string",
  IsSymbol: (value: any) => typeof value === "symbol",
  IsUint8Array: (value: any) => value instanceof Uint8Array,
  IsUndefined: (value: any) => value === undefined,
};
