// The keywords for strings and numbers.
import { lazyModule } from "../../internal/lazy.ts";
import { expression, graphemeCount, isMultipleOf } from "./text.ts";
import type { Rule } from "./walk.ts";

const formats = lazyModule("typebox/format.ts");

const limit = (keyword: string, passes: (value: any, bound: any) => boolean): Rule => [
  keyword,
  (w, schema, value, sp, ip) => passes(value, schema[keyword]) || w.fail(keyword, sp, ip, { limit: schema[keyword] }),
];
const bound = (keyword: string, comparison: string, passes: (value: any, bound: any) => boolean): Rule => [
  keyword,
  (w, schema, value, sp, ip) =>
    passes(value, schema[keyword]) || w.fail(keyword, sp, ip, { comparison, limit: schema[keyword] }),
];

export const stringRules: Rule[] = [
  limit("maxLength", (value, length) => value.length <= length || graphemeCount(value) <= length),
  limit("minLength", (value, length) => value.length >= length && graphemeCount(value) >= length),
  ["format", (w, { format }, value, sp, ip) => formats().Test(format, value) || w.fail("format", sp, ip, { format })],
  ["pattern", (w, { pattern }, value, sp, ip) =>
    (typeof pattern === "string" ? expression(pattern) : pattern).test(value) || w.fail("pattern", sp, ip, { pattern })],
];

export const numberRules: Rule[] = [
  bound("exclusiveMaximum", "<", (value, bound) => value < bound),
  bound("exclusiveMinimum", ">", (value, bound) => value > bound),
  bound("maximum", "<=", (value, bound) => value <= bound),
  bound("minimum", ">=", (value, bound) => value >= bound),
  ["multipleOf", (w, { multipleOf }, value, sp, ip) =>
    isMultipleOf(value, multipleOf) || w.fail("multipleOf", sp, ip, { multipleOf })],
];
