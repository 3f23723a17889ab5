// Whether one type may stand where another is asked for, and what `infer` positions bind to.
import { evaluate, evaluateIntersect } from "./algebra.ts";
import { any, array, construct, func, intersect, object, tuple, union, unknown } from "./builders.ts";
import * as is from "./guards.ts";
import { kindOf } from "./guards.ts";
import { instantiateElements } from "./instantiate.ts";
import { make } from "./make.ts";
import { recordPattern, recordValue } from "./record.ts";

/** `null` for no; otherwise the bindings, and whether only some values of the left type fit. */
export type Verdict = { inferred: any; partly: boolean } | null;
const yes = (inferred: any): Verdict => ({ inferred, partly: false });

/** Runs a check over a list, threading the bindings through. */
function all(inferred: any, items: any[], check: (inferred: any, item: any) => Verdict): Verdict {
  let bindings = inferred;
  for (const item of items) {
    const verdict = check(bindings, item);
    if (!verdict) return null;
    bindings = verdict.inferred;
  }
  return yes(bindings);
}

/** Replaces references by `any`, so that recursive types can be compared. */
function open(type: any): any {
  const each = (types: any[]) => types.map(open);
  switch (kindOf(type)) {
    case "Ref": return any();
    case "Array": return array(open(type.items));
    case "Constructor": return construct(each(type.parameters), open(type.instanceType));
    case "Function": return func(each(type.parameters), open(type.returnType));
    case "Intersect": return intersect(each(type.allOf));
    case "Union": return union(each(type.anyOf));
    case "Tuple": return tuple(each(type.items));
    case "Object":
      return object(Object.fromEntries(Object.entries(type.properties).map(([key, value]) => [key, open(value)])));
    case "Record":
      return make("Record", { type: "object", patternProperties: { [recordPattern(type)]: open(recordValue(type)) } });
    default: return type;
  }
}

/** A cyclic type with every reference replaced by `any`. */
export const openCyclic = (type: any): any => (type.$ref in type.$defs ? open(type.$defs[type.$ref]) : unknown());

function canonical(type: any): any {
  if (is.IsCyclic(type)) return openCyclic(type);
  return is.IsUnsafe(type) ? unknown() : type;
}

/** Checks whether `left` extends `right`. */
export const extendsType = (inferred: any, left: any, right: any): Verdict =>
  check(inferred, canonical(left), canonical(right));

// Kinds that extend exactly these kinds, before the rules for the right side apply.
const widens: any = {
  BigInt: ["BigInt"], Boolean: ["Boolean"], Integer: ["Integer", "Number"], Null: ["Null"],
  Number: ["Number"], String: ["String"], Symbol: ["Symbol"], Undefined: ["Void", "Undefined"], Void: ["Void"],
};
const literalKinds: any = { bigint: "BigInt", boolean: "Boolean", number: "Number", string: "String" };

function check(inferred: any, left: any, right: any): Verdict {
  const kind = kindOf(left);
  const target = kindOf(right);
  switch (kind) {
    case "Any":
      if (target === "Infer") return checkRight(inferred, left, right);
      return target === "Any" || target === "Unknown" ? yes(inferred) : { inferred, partly: true };
    case "Unknown":
      if (target === "Infer") return checkRight(inferred, left, right);
      return target === "Any" || target === "Unknown" ? yes(inferred) : null;
    case "Never":
      return target === "Infer" ? checkRight(inferred, left, right) : yes(inferred);
    case "Literal":
      if (target === "Literal") return left.const === right.const ? yes(inferred) : null;
      return target === literalKinds[typeof left.const] ? yes(inferred) : checkRight(inferred, left, right);
    case "Array":
      if (target !== "Array") return checkRight(inferred, left, right);
      return is.IsImmutable(left) && !is.IsImmutable(right) ? null : check(inferred, left.items, right.items);
    case "Object": return objectExtends(inferred, left, right);
    case "Record": return recordExtends(inferred, left, right);
    case "Tuple": return tupleExtends(inferred, left, right);
    case "Function":
    case "Constructor": return callableExtends(inferred, left, right);
    case "Union": return unionExtends(inferred, left.anyOf, right);
    case "Intersect": return check(inferred, evaluateIntersect(left.allOf), right);
    case "Enum":
    case "TemplateLiteral": return check(inferred, evaluate(left), right);
    case "Dependent":
      return check(inferred, left.if, right)
        ? check(inferred, left.then, right)
        : check(inferred, left.else, right);
    default:
      if (!kind || !Object.hasOwn(widens, kind)) return null;
      return widens[kind].includes(target) ? yes(inferred) : checkRight(inferred, left, right);
  }
}

function checkRight(inferred: any, left: any, right: any): Verdict {
  switch (kindOf(right)) {
    case "Any":
    case "Unknown": return yes(inferred);
    case "Dependent":
      return check(inferred, left, right.if) ? check(inferred, left, right.then) : check(inferred, left, right.else);
    case "Enum":
    case "TemplateLiteral": return check(inferred, left, evaluate(right));
    case "Infer": {
      const verdict = check(inferred, left, right.extends);
      return verdict && yes({ ...inferred, ...verdict.inferred, [right.name]: left });
    }
    case "Intersect": return all(inferred, right.allOf, (bindings, part) => check(bindings, left, part));
    case "Union": return some(inferred, left, right.anyOf);
    default: return null;
  }
}

function some(inferred: any, left: any, variants: any[]): Verdict {
  for (const variant of variants) {
    const verdict = check(inferred, left, variant);
    if (verdict) return yes(verdict.inferred);
  }
  return null;
}

/** Binds `name` to all of `types`, given that each satisfies the constraint. */
function bindAll(inferred: any, name: string, types: any[], constraint: any, wrap: (types: any[]) => any): Verdict {
  return types.every((type) => check({}, type, constraint)) ? yes({ ...inferred, [name]: wrap(types) }) : null;
}

function unionExtends(inferred: any, variants: any[], right: any): Verdict {
  if (is.IsInfer(right)) return bindAll(inferred, right.name, variants, right.extends, union);
  const targets = is.IsUnion(right) ? right.anyOf : [right];
  return all(inferred, variants, (bindings, variant) => some(bindings, variant, targets));
}

function objectExtends(inferred: any, left: any, right: any): Verdict {
  const source = left.properties;
  if (is.IsRecord(right)) {
    let bindings = inferred;
    for (const key of Object.getOwnPropertyNames(source)) {
      const verdict = check({}, source[key], recordValue(right));
      if (!verdict) return null;
      bindings = mergeBindings(bindings, verdict.inferred);
    }
    return yes(bindings);
  }
  if (!is.IsObject(right)) return checkRight(inferred, object(source), right);
  const bindings: any = {};
  for (const key of Object.getOwnPropertyNames(right.properties)) {
    const wanted = right.properties[key];
    if (key in source) {
      if (is.IsInfer(wanted) && is.IsNever(wanted.extends)) return null;
      const verdict = check({}, source[key], wanted);
      if (!verdict || (is.IsOptional(source[key]) && !is.IsOptional(wanted))) return null;
      Object.assign(bindings, verdict.inferred);
    } else {
      if (!is.IsOptional(wanted)) return null;
      Object.assign(bindings, inferred, is.IsInfer(wanted) ? { [wanted.name]: wanted.extends } : {});
    }
  }
  return yes({ ...inferred, ...bindings });
}

function mergeBindings(left: any, right: any): any {
  const result = { ...left };
  for (const key of Object.keys(right)) {
    if (!Object.hasOwn(left, key)) result[key] = right[key];
    else result[key] = union(is.IsUnion(result[key]) ? [...result[key].anyOf, right[key]] : [left[key], right[key]]);
  }
  return result;
}

function recordExtends(inferred: any, left: any, right: any): Verdict {
  if (is.IsRecord(right)) return check(inferred, recordValue(left), recordValue(right));
  if (is.IsObject(right)) return Object.getOwnPropertyNames(right.properties).length === 0 ? yes(inferred) : null;
  return is.IsAny(right) || is.IsUnknown(right) ? yes(inferred) : null;
}

/** A `...infer X` element, as the name and the constraint of one element. */
function restInfer(type: any): { name: string; constraint: any } | undefined {
  if (!is.IsRest(type) || !is.IsInfer(type.items)) return undefined;
  const { name, extends: constraint } = type.items;
  if (is.IsArray(constraint)) return { name, constraint: constraint.items };
  return is.IsUnknown(constraint) ? { name, constraint } : undefined;
}

function tupleExtends(inferred: any, left: any, right: any): Verdict {
  const items = instantiateElements(inferred, left.items);
  if (is.IsArray(right)) {
    if (is.IsInfer(right.items)) return bindAll(inferred, right.items.name, items, right.items.extends, union);
    return all(inferred, items, (bindings, item) => check(bindings, item, right.items));
  }
  if (!is.IsTuple(right)) return checkRight(inferred, tuple(items), right);
  const wanted = instantiateElements(inferred, right.items);
  const backwards = wanted.length > 0 && restInfer(wanted[0]) !== undefined;
  if (backwards) [items, wanted].forEach((list) => list.reverse());
  let bindings = inferred;
  for (let at = 0; at < wanted.length; at++) {
    const rest = restInfer(wanted[at]);
    if (rest) {
      const taken = items.slice(at);
      return bindAll(bindings, rest.name, backwards ? taken.reverse() : taken, rest.constraint, tuple);
    }
    const verdict = at < items.length ? check(bindings, items[at], wanted[at]) : null;
    if (!verdict) return null;
    bindings = verdict.inferred;
  }
  return items.length === wanted.length ? yes(bindings) : null;
}

function callableExtends(inferred: any, left: any, right: any): Verdict {
  const result = is.IsFunction(left) ? "returnType" : "instanceType";
  if (is.IsAny(right) || is.IsUnknown(right)) return yes(inferred);
  if (kindOf(left) !== kindOf(right)) return null;
  const verdict = parametersExtend(inferred, left.parameters, right.parameters);
  if (!verdict) return null;
  if (is.IsVoid(right[result])) return yes(verdict.inferred);
  return check(verdict.inferred, left[result], right[result]);
}

function parametersExtend(inferred: any, left: any[], right: any[]): Verdict {
  let bindings = inferred;
  for (let at = 0; at < left.length; at++) {
    if (at >= right.length) return is.IsOptional(left[at]) ? yes(bindings) : null;
    if (!is.IsOptional(left[at]) && is.IsOptional(right[at])) return null;
    const [from, to] = is.IsInfer(right[at]) ? [left[at], right[at]] : [right[at], left[at]];
    const verdict = check(bindings, from, to);
    if (!verdict) return null;
    bindings = verdict.inferred;
  }
  return yes(bindings);
}

/** `Type.Extends`: the verdict as the published result objects. */
export function extendsResult(inferred: any, left: any, right: any): any {
  const verdict = extendsType(inferred, left, right);
  if (!verdict) return make("ExtendsFalse", {});
  return make(verdict.partly ? "ExtendsUnion" : "ExtendsTrue", { inferred: verdict.inferred });
}

const isResult = (kind: string) => (value: any) => is.IsKind(value, kind);
/** `Type.ExtendsResult`. */
export const resultGuards = {
  ExtendsTrue: (inferred: any) => make("ExtendsTrue", { inferred }),
  ExtendsFalse: () => make("ExtendsFalse", {}),
  ExtendsUnion: (inferred: any) => make("ExtendsUnion", { inferred }),
  IsExtendsTrue: isResult("ExtendsTrue"),
  IsExtendsFalse: isResult("ExtendsFalse"),
  IsExtendsUnion: isResult("ExtendsUnion"),
  IsExtendsTrueLike: (value: any) => is.IsKind(value, "ExtendsTrue") || is.IsKind(value, "ExtendsUnion"),
  Match: (result: any, whenTrue: any, whenFalse: any) =>
    resultGuards.IsExtendsTrueLike(result) ? whenTrue(result.inferred) : whenFalse(),
};
