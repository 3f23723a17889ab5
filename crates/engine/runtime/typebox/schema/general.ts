// The keywords for any value: references, constants, combinations, and what others left over.
import { Scope, resolveDynamic, resolveRecursive, resolveRef } from "./references.ts";
import { deepEqual } from "./text.ts";
import { Walk, walk } from "./walk.ts";
import type { Rule } from "./walk.ts";

/** Runs each schema of a list in its own branch. */
function branches(w: Walk, schemas: any[], value: any, path: string, ip: string) {
  const [passed, failed]: [number[], Walk[]] = [[], []];
  const walks = schemas.map((schema, at) => {
    const branch = w.branch();
    if (walk(branch, schema, value, w.errors ? `${path}/${at}` : "", ip)) passed.push(at);
    else failed.push(branch);
    return branch;
  });
  const accept = () => passed.every((at) => w.merge(walks[at]));
  const reject = () => failed.forEach((branch) => w.adopt(branch));
  return { passed, accept, reject };
}

function walkTarget(w: Walk, target: any, value: any, ip: string, scope: Scope): boolean {
  if (typeof target !== "boolean" && (typeof target !== "object" || target === null || Array.isArray(target))) return false;
  const before = w.scope;
  w.scope = scope;
  const passed = walk(w, target, value, "#", ip);
  w.scope = before;
  return passed;
}

export const generalRules: Rule[] = [
  ["$ref", (w, schema, value, _sp, ip) => {
    const branch = w.branch();
    const { target, scope } = resolveRef(w.scope, schema.$ref);
    if (walkTarget(branch, target ?? false, value, ip, scope)) return w.merge(branch);
    w.adopt(branch);
    return false;
  }],
  ["$recursiveRef", (w, schema, value, _sp, ip) => {
    const { target, scope } = resolveRecursive(w.scope, schema.$recursiveRef);
    return walkTarget(w, target ?? false, value, ip, scope);
  }],
  ["$dynamicRef", (w, schema, value, _sp, ip) => {
    const { target, scope } = resolveDynamic(w.scope, schema.$dynamicRef);
    return walkTarget(w, target ?? false, value, ip, scope);
  }],
  ["const", (w, schema, value, sp, ip) =>
    deepEqual(value, schema.const) || w.fail("const", sp, ip, { allowedValue: schema.const })],
  ["enum", (w, schema, value, sp, ip) =>
    schema.enum.some((option: any) => deepEqual(value, option)) ||
    w.fail("enum", sp, ip, { allowedValues: schema.enum })],
  ["if", (w, schema, value, sp, ip) => {
    const branch = w.branch();
    const failingKeyword = walk(branch, schema.if, value, `${sp}/if`, ip) ? "then" : "else";
    const next = Object.hasOwn(schema, failingKeyword) ? schema[failingKeyword] : true;
    const passed = walk(failingKeyword === "then" ? branch : w, next, value, `${sp}/${failingKeyword}`, ip);
    return passed ? w.merge(branch) : w.fail("if", sp, ip, { failingKeyword });
  }],
  ["not", (w, schema, value, sp, ip) => {
    const branch = new Walk(w.scope, false);
    return walk(branch, schema.not, value, "", ip) ? w.fail("not", sp, ip, {}) : w.merge(branch);
  }],
  ["allOf", (w, schema, value, sp, ip) => {
    const { passed, accept, reject } = branches(w, schema.allOf, value, `${sp}/allOf`, ip);
    if (passed.length === schema.allOf.length) return accept();
    reject();
    return false;
  }],
  ["anyOf", (w, schema, value, sp, ip) => {
    const { passed, accept, reject } = branches(w, schema.anyOf, value, `${sp}/anyOf`, ip);
    if (passed.length > 0) return accept();
    reject();
    return w.fail("anyOf", sp, ip, {});
  }],
  ["oneOf", (w, schema, value, sp, ip) => {
    const { passed, accept, reject } = branches(w, schema.oneOf, value, `${sp}/oneOf`, ip);
    if (passed.length === 1) return accept();
    if (passed.length === 0) reject();
    return w.fail("oneOf", sp, ip, { passingSchemas: passed });
  }],
];

/** Looked at last: the keywords about members that no other keyword has seen. */
export const unevaluatedRules: Rule[] = [
  ["unevaluatedItems", (w, schema, value, sp, ip) => {
    if (!Array.isArray(value)) return true;
    const unevaluatedItems: number[] = [];
    for (let at = 0; at < value.length; at++) {
      if (w.items.has(at) || walk(w.branch(), schema.unevaluatedItems, value[at], sp, ip)) w.items.add(at);
      else unevaluatedItems.push(at);
    }
    return unevaluatedItems.length === 0 || w.fail("unevaluatedItems", sp, ip, { unevaluatedItems });
  }],
  ["unevaluatedProperties", (w, schema, value, sp, ip) => {
    if (typeof value !== "object" || value === null) return true;
    const unevaluatedProperties: string[] = [];
    for (const key of Object.keys(value)) {
      if (w.keys.has(key) || walk(w.branch(), schema.unevaluatedProperties, value[key], sp, ip)) w.keys.add(key);
      else unevaluatedProperties.push(key);
    }
    return unevaluatedProperties.length === 0 || w.fail("unevaluatedProperties", sp, ip, { unevaluatedProperties });
  }],
];
