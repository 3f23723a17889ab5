// One walk over schema and value, which either answers yes or no (stopping at the first no) or
// collects every error.
import { TypeRegistry } from "../legacy/registry.ts";
import { current } from "../settings.ts";
import { arrayRules } from "./arrays.ts";
import { generalRules, unevaluatedRules } from "./general.ts";
import { objectRules } from "./objects.ts";
import type { Scope } from "./references.ts";
import { numberRules, stringRules } from "./scalars.ts";
import { fitsType } from "./types.ts";

const kindSymbol = Symbol.for("TypeBox.Kind");

/** An error before its message is chosen. */
export type Fault = { keyword: string; schemaPath: string; instancePath: string; params: any };

/** One walk. `errors` is undefined when only the answer matters. */
export class Walk {
  scope: Scope;
  errors: Fault[] | undefined;
  /** Which properties and items some keyword has looked at, for `unevaluated…`. */
  keys = new Set<string>();
  items = new Set<number>();
  constructor(scope: Scope, collect: boolean) {
    this.scope = scope;
    this.errors = collect ? [] : undefined;
  }

  /** A walk for a part whose outcome is not decided yet. */
  branch(): Walk {
    return new Walk(this.scope, this.errors !== undefined);
  }
  get isFull(): boolean {
    return this.errors !== undefined && this.errors.length >= current.maxErrors;
  }
  fail(keyword: string, schemaPath: string, instancePath: string, params: unknown): false {
    if (this.errors && !this.isFull) this.errors.push({ keyword, schemaPath, instancePath, params });
    return false;
  }
  /** Takes over what a successful branch has evaluated. */
  merge(branch: Walk): true {
    for (const key of branch.keys) this.keys.add(key);
    for (const item of branch.items) this.items.add(item);
    return true;
  }
  /** Takes over the errors of a failed branch. */
  adopt(branch: Walk) {
    for (const error of branch.errors ?? []) if (!this.isFull) this.errors!.push(error);
  }
  /** Runs checks over a list: all of them when errors are wanted, up to the first failure otherwise. */
  every<T>(list: T[], check: (item: T, at: number) => boolean): boolean {
    let passed = true;
    for (let at = 0; at < list.length; at++) {
      if (check(list[at], at)) continue;
      if (!this.errors) return false;
      passed = false;
    }
    return passed;
  }
  /** Checks a member of the value; what it evaluates inside is its own affair. */
  member(schema: any, value: unknown, schemaPath: string, instancePath: string): boolean {
    const { keys, items } = this;
    if (this.scope.tracks) {
      this.keys = new Set();
      this.items = new Set();
    }
    const passed = walk(this, schema, value, schemaPath, instancePath);
    this.keys = keys;
    this.items = items;
    return passed;
  }
}

/** A keyword: the property that switches it on and its check. */
export type Rule = [string, (w: Walk, schema: any, value: any, sp: string, ip: string) => boolean];

function apply(w: Walk, rules: Rule[], schema: any, value: any, sp: string, ip: string): boolean {
  return w.every(rules, ([keyword, check]) => !Object.hasOwn(schema, keyword) || check(w, schema, value, sp, ip));
}

/** The keywords that concern values like this one only. */
function rulesFor(value: unknown): Rule[] {
  if (typeof value === "string") return stringRules;
  if (Number.isFinite(value) || typeof value === "bigint") return numberRules;
  if (Array.isArray(value)) return arrayRules;
  return typeof value === "object" && value !== null ? objectRules : [];
}

let byKeyword: Map<string, { rules: Rule[]; check: Rule[1] }> | undefined;
function table() {
  if (byKeyword) return byKeyword;
  byKeyword = new Map();
  for (const rules of [stringRules, numberRules, arrayRules, objectRules, generalRules, unevaluatedRules]) {
    for (const [keyword, check] of rules) byKeyword.set(keyword, { rules, check });
  }
  return byKeyword;
}

/** The check for a yes or no: goes through the keywords a schema has instead of those it may have. */
function quick(w: Walk, schema: any, value: unknown): boolean {
  const known = table();
  const rules = rulesFor(value);
  let asksForRest = false;
  for (const keyword of Object.getOwnPropertyNames(schema)) {
    if (keyword === "type") {
      if (!fitsType(schema, value)) return false;
      continue;
    }
    const found = known.get(keyword);
    if (!found) continue;
    if (found.rules === unevaluatedRules) asksForRest = true;
    else if ((found.rules === rules || found.rules === generalRules) && !found.check(w, schema, value, "", "")) return false;
  }
  if (asksForRest && !apply(w, unevaluatedRules, schema, value, "", "")) return false;
  return refinements(w, schema, value, "", "");
}

/** Checks `value` at `instancePath` against `schema` at `schemaPath`. */
export function walk(w: Walk, schema: any, value: any, schemaPath: string, instancePath: string): boolean {
  if (w.isFull) return false;
  if (schema === true) return true;
  if (schema === false) return w.fail("boolean", schemaPath, instancePath, {});
  const scope = w.scope;
  w.scope = scope.enter(schema);
  const passed = keywords(w, schema, value, schemaPath, instancePath);
  w.scope = scope;
  return passed;
}

function keywords(w: Walk, schema: any, value: any, sp: string, ip: string): boolean {
  if (!w.errors) return quick(w, schema, value);
  let passed = !Object.hasOwn(schema, "type") || fitsType(schema, value) || w.fail("type", sp, ip, { type: schema.type });
  passed = apply(w, rulesFor(value), schema, value, sp, ip) && passed;
  passed = apply(w, generalRules, schema, value, sp, ip) && passed;
  passed = apply(w, unevaluatedRules, schema, value, sp, ip) && passed;
  return passed && refinements(w, schema, value, sp, ip);
}

function refinements(w: Walk, schema: any, value: any, sp: string, ip: string): boolean {
  if (schema[kindSymbol] !== undefined && TypeRegistry.Has(schema[kindSymbol])) {
    const kind = schema[kindSymbol];
    if (!TypeRegistry.Get(kind)(schema, value)) return w.fail("type", sp, ip, { type: kind });
  }
  if (!Object.hasOwn(schema, "~refine")) return true;
  return w.every(schema["~refine"], (refinement: any, index) =>
    refinement.check(value) || w.fail("~refine", sp, ip, { index, message: refinement.error(value) }),
  );
}
