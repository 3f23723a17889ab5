// The keywords for arrays.
import { lazyModule } from "../../internal/lazy.ts";
import { Walk, walk } from "./walk.ts";
import type { Rule } from "./walk.ts";

const hashing = lazyModule("typebox/value/hash.ts");

/** The items that satisfy `contains`; they count as evaluated when `mark` is set. */
function matching(w: Walk, schema: any, value: any[], mark: boolean): number {
  let count = 0;
  for (let at = 0; at < value.length; at++) {
    if (!walk(new Walk(w.scope, false), schema.contains, value[at], "", "")) continue;
    count++;
    if (mark) w.items.add(at);
  }
  return count;
}

/** Checks one item by its own schema. */
function item(w: Walk, schema: any, value: any[], at: number, path: string, ip: string): boolean {
  if (!w.member(schema, value[at], path, w.errors ? `${ip}/${at}` : "")) return false;
  w.items.add(at);
  return true;
}

/** A list of schemas for the first items. */
const sized = (keyword: string): Rule[1] => (w, schema, value, sp, ip) =>
  w.every(schema[keyword], (part: any, at: number) =>
    at >= value.length || item(w, part, value, at, `${sp}/${keyword}/${at}`, ip),
  );

const length = (keyword: string, passes: (length: number, limit: number) => boolean): Rule => [
  keyword,
  (w, schema, value, sp, ip) => passes(value.length, schema[keyword]) || w.fail(keyword, sp, ip, { limit: schema[keyword] }),
];

export const arrayRules: Rule[] = [
  ["additionalItems", (w, schema, value, sp, ip) => {
    if (!Array.isArray(schema.items)) return true;
    for (let at = schema.items.length; at < value.length; at++) {
      if (!item(w, schema.additionalItems, value, at, `${sp}/additionalItems`, ip)) return false;
    }
    return true;
  }],
  ["contains", (w, schema, value, sp, ip) =>
    schema.minContains === 0 || matching(w, schema, value, true) > 0 || w.fail("contains", sp, ip, { minContains: 1 })],
  ["items", (w, schema, value, sp, ip) => {
    if (Array.isArray(schema.items)) return sized("items")(w, schema, value, sp, ip);
    const first = Object.hasOwn(schema, "prefixItems") ? schema.prefixItems.length : 0;
    const path = `${sp}/items`;
    let passed = true;
    for (let at = first; at < value.length; at++) {
      if (item(w, schema.items, value, at, path, ip)) continue;
      if (!w.errors) return false;
      passed = false;
    }
    return passed;
  }],
  ["maxContains", (w, schema, value, sp, ip) => {
    const { maxContains, minContains = 1 } = schema;
    return !Object.hasOwn(schema, "contains") || matching(w, schema, value, false) <= maxContains ||
      w.fail("contains", sp, ip, { minContains, maxContains });
  }],
  length("maxItems", (length, limit) => length <= limit),
  ["minContains", (w, schema, value, sp, ip) => {
    const { minContains } = schema;
    return !Object.hasOwn(schema, "contains") || matching(w, schema, value, true) >= minContains ||
      w.fail("contains", sp, ip, { minContains });
  }],
  length("minItems", (length, limit) => length >= limit),
  ["prefixItems", (w, schema, value, sp, ip) => sized("prefixItems")(w, schema, value, sp, ip)],
  ["uniqueItems", (w, schema, value, sp, ip) => {
    if (schema.uniqueItems === false) return true;
    const [values, hashes] = [new Set(), new Set()];
    const duplicateItems: number[] = [];
    value.forEach((entry: any, at: number) => {
      const isObject = typeof entry === "object" && entry !== null;
      const [seen, key] = isObject ? [hashes, hashing().Hash(entry)] : [values, entry];
      if (seen.has(key)) duplicateItems.push(at);
      seen.add(key);
    });
    return duplicateItems.length === 0 || w.fail("uniqueItems", sp, ip, { duplicateItems });
  }],
];
