// Builders that only version 0.34 has, and its copying helpers.
import { Uppercase, Lowercase, Capitalize, Uncapitalize } from "../type/actions.ts";
import * as b from "../type/builders.ts";
import { IsKind } from "../type/guards.ts";
import { clone, extended, make } from "../type/make.ts";
import { Composite } from "../type/internals.ts";

const simple = (kind: string) => (options?: any) => make(kind, { type: kind }, options);
export const DateType = simple("Date");
export const Uint8ArrayType = simple("Uint8Array");
export const PromiseType = (item: unknown, options?: any) => make("Promise", { type: "Promise", item }, options);
export const Iterator = (items: unknown, options?: any) => make("Iterator", { type: "Iterator", items }, options);
export const AsyncIterator = (items: unknown, options?: any) =>
  make("AsyncIterator", { type: "AsyncIterator", items }, options);
export function RegExpType(pattern: any, options?: any) {
  const expression = typeof pattern === "string" ? new RegExp(pattern) : pattern;
  return make("RegExp", { type: "RegExp", source: expression.source, flags: expression.flags }, options);
}
export const Not = (type: unknown, options?: unknown) => make("Not", { not: type }, options);
export const Argument = (index: number) => make("Argument", { index });
export const Awaited = (type: any, options?: unknown): any =>
  IsKind(type, "Promise") ? Awaited(type.item, options) : options ? extended(type, options) : type;
export const ReadonlyOptional = (type: unknown) => b.readonly(b.optional(type));
export const Transform = (type: unknown) => b.codec(type);

/** A constant value as a type: literals, read-only objects, tuples. */
export function Const(value: unknown, options?: any): any {
  return options ? extended(constant(value), options) : constant(value);
}
function constant(value: unknown): any {
  if (Array.isArray(value)) return b.readonly(b.tuple(value.map(constant)));
  if (value === undefined) return b.undef();
  if (value === null) return b.nil();
  switch (typeof value) {
    case "bigint": return b.bigint();
    case "symbol": return b.symbol();
    case "function": return b.func([], b.unknown());
    case "object":
      if (value instanceof Date) return DateType();
      if (value instanceof Uint8Array) return Uint8ArrayType();
      return b.object(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, b.readonly(constant(item))])));
    default: return b.literal(value);
  }
}

let unnamed = 0;
/** A type that may contain itself: `Recursive((This) => Object({ children: Array(This) }))`. */
export function Recursive(callback: (self: unknown) => any, options: any = {}) {
  const $id = options.$id ?? `T${unnamed++}`;
  return extended(callback(b.ref($id)), { ...options, $id });
}

const changes: any = { Uppercase, Lowercase, Capitalize, Uncapitalize };
export const Intrinsic = (type: unknown, mode: string, options?: unknown) => changes[mode](type, options);

export const CloneType = (type: unknown, options?: unknown) => (options ? extended(type, options) : clone(type));
export const CloneRest = (types: any[]) => types.map((type) => clone(type));
export const Clone = clone;
export const CreateType = (schema: any, options?: any) => (options ? { ...options, ...schema } : schema);
export const Discard = (value: any, keys: string[]) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

/** The next number after a decimal one written as text. */
export const Increment = (digits: string) => String(BigInt(digits) + 1n);

export const SetIncludes = (set: any[], item: unknown) => set.includes(item);
export const SetIsSubset = (set: any[], other: any[]) => set.every((item) => other.includes(item));
export const SetDistinct = (set: any[]) => [...new Set(set)];
export const SetIntersect = (set: any[], other: any[]) => set.filter((item) => other.includes(item));
export const SetUnion = (set: any[], other: any[]) => [...set, ...other];
export const SetComplement = (set: any[], other: any[]) => set.filter((item) => !other.includes(item));
export const SetIntersectMany = (sets: any[][]) => (sets.length === 0 ? [] : sets.reduce(SetIntersect));
export const SetUnionMany = (sets: any[][]) => sets.flat();
export { Composite };
