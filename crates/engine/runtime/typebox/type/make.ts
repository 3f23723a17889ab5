// How schema objects are made: JSON Schema keywords are ordinary properties, everything that is
// TypeBox's own (the kind and the modifiers) is a hidden property named with a leading `~`.
import { current } from "../settings.ts";

const unsafeKeys = ["__proto__", "constructor", "prototype"];

function hide(target: any, key: string, value: unknown) {
  if (current.enumerableKind) target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: false, writable: true, configurable: true });
}

/** Freezes a schema when the settings ask for immutable types. */
export function settle(schema: unknown): any {
  return current.immutableTypes ? Object.freeze(schema) : schema;
}

/** A schema of `kind` with the given keywords; `options` are added after (or replace) them. */
export function make(kind: string, keywords: any, options?: any): any {
  const schema = options ? { ...keywords, ...options } : keywords;
  hide(schema, "~kind", kind);
  return settle(schema);
}

/** A copy of `schema` with a hidden mark added. */
export function marked(schema: unknown, mark: string, value: unknown): any {
  const copy = clone(schema);
  hide(copy, mark, value);
  return settle(copy);
}

/** A copy of `schema` without some of its properties. */
export function without(schema: unknown, names: string[]): any {
  const copy: any = {};
  for (const key of Object.getOwnPropertyNames(schema)) {
    if (names.includes(key)) continue;
    const property = Object.getOwnPropertyDescriptor(schema, key)!;
    property.value = clone(property.value);
    Object.defineProperty(copy, key, property);
  }
  return settle(copy);
}

/** A copy of `schema` with more visible keywords. */
export function extended(schema: unknown, keywords: any): any {
  const copy = clone(schema);
  if (keywords) {
    for (const key of Object.keys(keywords)) {
      Object.defineProperty(copy, key, { value: keywords[key], enumerable: true, writable: true, configurable: true });
    }
  }
  return settle(copy);
}

/** Whether `value` is an object of a class of its own, which is copied by reference. */
export function isInstance(value: any): boolean {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || typeof prototype.constructor !== "function") return false;
  return prototype.constructor !== Object && prototype.constructor.name !== "Object";
}

/** Deep copy of a value or schema; hidden properties of schemas stay hidden. */
export function clone(value: any): any {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(clone);
  if (ArrayBuffer.isView(value)) return value instanceof DataView ? value : (value as any).slice();
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value instanceof Map) return new Map(clone([...value.entries()]));
  if (value instanceof Set) return new Set(clone([...value.values()]));
  if (isInstance(value)) return value;
  const copy: any = {};
  const isSchema = Object.hasOwn(value, "~kind") || Object.hasOwn(value, "~unsafe");
  for (const key of Object.getOwnPropertyNames(value)) {
    if (unsafeKeys.includes(key)) continue;
    const item = clone(value[key]);
    if (isSchema && !Object.prototype.propertyIsEnumerable.call(value, key)) {
      Object.defineProperty(copy, key, { ...Object.getOwnPropertyDescriptor(value, key), value: item });
    } else {
      copy[key] = item;
    }
  }
  if (!isSchema) {
    for (const key of Object.getOwnPropertySymbols(value)) copy[key] = clone(value[key]);
  }
  return copy;
}
