// Set operations on types: what a union or an intersection comes down to.
import { literal, never, object, optional, readonly, union } from "./builders.ts";
import { extendsType } from "./extends.ts";
import * as is from "./guards.ts";
import { kindOf } from "./guards.ts";
import { without } from "./make.ts";
import { decodePattern } from "./template.ts";

/** How two types relate, numbered as in the published package. */
export const relation = { equal: 0, disjoint: 1, leftInside: 2, rightInside: 3 };

export function compare(left: any, right: any): number {
  const forth = extendsType({}, left, right) !== null;
  const back = extendsType({}, right, left) !== null;
  if (forth) return back ? relation.equal : relation.leftInside;
  return back ? relation.rightInside : relation.disjoint;
}

/** The variants of nested unions in one list. */
export const flatten = (types: any[]): any[] =>
  types.flatMap((type) => (is.IsUnion(type) ? flatten(type.anyOf) : [type]));

/** Drops variants that another variant already covers. */
export function broaden(types: any[]): any[] {
  let kept: any[] = [];
  for (const type of types) {
    const value = evaluate(type);
    const kind = kindOf(value);
    if (kind === "Any" || kind === "Unknown") return [value];
    if (kind === "Never") continue;
    // Objects are not compared with each other: the comparison costs more than it saves.
    if (kind === "Object") kept.push(value);
    else {
      const relations = kept.map((other) => compare(value, other));
      if (relations.some((found) => found === relation.leftInside || found === relation.equal)) continue;
      kept = kept.filter((_, at) => relations[at] === relation.disjoint);
      kept.push(value);
    }
  }
  return flatten(kept);
}

/** Sorts types so that a narrower one comes before every broader one. */
export function narrowestFirst(types: any[]): any[] {
  const sorted: any[] = [];
  for (const type of types) {
    const at = sorted.findIndex((other) => {
      const found = compare(type, other);
      return found !== relation.rightInside && found !== relation.disjoint;
    });
    sorted.splice(at < 0 ? sorted.length : at, 0, type);
  }
  return sorted;
}

/** A union of the types as they are: none is `never`, one is itself. */
export const unionOf = (types: any[]): any =>
  types.length === 0 ? never() : types.length === 1 ? types[0] : union(types);

export const evaluateUnion = (types: any[]): any => unionOf(broaden(types));
export const evaluateIntersect = (types: any[]): any => evaluateUnion(distribute(types));
export const evaluateEnum = (values: any[]): any => evaluateUnion(values.map((value) => literal(value)));
export const evaluateTemplate = (pattern: string): any => evaluate(decodePattern(pattern));
export const evaluateDependent = (condition: any, then: any, otherwise: any): any =>
  evaluateUnion([evaluateIntersect([condition, then]), exclude(otherwise, condition)]);

/** Reduces unions, intersections, enums, templates and conditionals to their simplest form. */
export function evaluate(type: any): any {
  switch (kindOf(type)) {
    case "Dependent": return evaluateDependent(type.if, type.then, type.else);
    case "Enum": return evaluateEnum(type.enum);
    case "Intersect": return evaluateIntersect(type.allOf);
    case "TemplateLiteral": return evaluateTemplate(type.pattern);
    case "Union": return evaluateUnion(type.anyOf);
    default: return type;
  }
}

/** Intersects every combination of the variants of `types`. */
export function distribute(types: any[], start: any[] = []): any[] {
  let result = start;
  for (const type of types) {
    if (is.IsUnion(type)) {
      const before = result;
      result = type.anyOf.flatMap((variant: any) => distribute([variant], before));
    } else {
      result = result.length === 0 ? [type] : result.map((other) => meet(other, type));
    }
  }
  return result;
}

function meet(left: any, right: any): any {
  const a = evaluate(left);
  const b = evaluate(right);
  return is.IsUnion(a) || is.IsUnion(b) ? evaluateIntersect([a, b]) : narrow(a, b);
}

export const canComposite = (type: any): boolean => is.IsObject(type) || is.IsTuple(type);

/** The intersection of two types that are no unions. */
export function narrow(left: any, right: any): any {
  for (const [type, other] of [[left, right], [right, left]]) {
    if (is.IsNever(type) || is.IsAny(type)) return type;
    if (is.IsUnknown(type)) return other;
  }
  const [first, second] = [canComposite(left), canComposite(right)];
  if (first && second) return composite(left, right);
  if (first || second) return first ? left : right;
  const found = compare(left, right);
  return found === relation.leftInside ? left : found === relation.disjoint ? never() : right;
}

/** The elements of a tuple as properties named by their index. */
export const tupleProperties = (items: any[]): any => Object.fromEntries(items.map((item, at) => [at, item]));

/** One object with the properties of both; a shared property must satisfy both. */
export function composite(left: any, right: any): any {
  const [a, b] = [left, right].map((type) =>
    is.IsObject(type) ? type.properties : is.IsTuple(type) ? tupleProperties(type.items) : {},
  );
  const properties: any = {};
  for (const key of new Set([...Object.getOwnPropertyNames(a), ...Object.getOwnPropertyNames(b)])) {
    properties[key] = !(key in b) ? a[key] : !(key in a) ? b[key] : sharedProperty(a[key], b[key]);
  }
  return object(properties);
}

function sharedProperty(left: any, right: any): any {
  let property = without(evaluateIntersect([left, right]), ["~optional", "~readonly"]);
  if (is.IsOptional(left) && is.IsOptional(right)) property = optional(property);
  return is.IsReadonly(left) && is.IsReadonly(right) ? readonly(property) : property;
}

const variants = (type: any): any[] => {
  const value = evaluate(type);
  return is.IsUnion(value) ? value.anyOf : [value];
};

/** The variants of `left` that do not extend `right`. */
export const exclude = (left: any, right: any): any =>
  evaluateUnion(variants(left).filter((type) => extendsType({}, type, right) === null));

/** The variants of `left` that extend `right`. */
export const extract = (left: any, right: any): any =>
  evaluateUnion(variants(left).filter((type) => extendsType({}, type, right) !== null));

/** The type behind a chain of references within `$defs`. */
export function cyclicTarget($defs: any, $ref: string): any {
  for (let target = $defs[$ref]; ; target = $defs[target.$ref]) {
    if (target === undefined) return never();
    if (!is.IsRef(target)) return target;
  }
}

/** The properties an arbitrary type has as an object; none when it is not object-like. */
export function propertiesOf(type: any): any {
  switch (kindOf(type)) {
    case "Object": return type.properties;
    case "Tuple": return tupleProperties(type.items);
    case "Cyclic": return propertiesOf(cyclicTarget(type.$defs, type.$ref));
    case "Dependent": return propertiesOf(evaluate(type));
    case "Intersect": return type.allOf.map(propertiesOf).reduce(joinProperties, {});
    case "Union": return type.anyOf.map(propertiesOf).reduce(commonProperties);
    default: return {};
  }
}

function joinProperties(left: any, right: any): any {
  const only = (a: any, b: any) => Object.getOwnPropertyNames(a).filter((key) => !Object.hasOwn(b, key));
  const result: any = {};
  for (const key of only(left, right)) result[key] = left[key];
  for (const key of only(right, left)) result[key] = right[key];
  for (const key of Object.getOwnPropertyNames(left)) {
    if (Object.hasOwn(right, key)) result[key] = evaluateIntersect([left[key], right[key]]);
  }
  return result;
}

function commonProperties(left: any, right: any): any {
  const shared = Object.getOwnPropertyNames(left).filter((key) => Object.hasOwn(right, key));
  return Object.fromEntries(shared.map((key) => [key, evaluateUnion([left[key], right[key]])]));
}

/** The property names that an indexer type selects. */
export function indexerKeys(type: any): string[] {
  switch (kindOf(type)) {
    case "Literal": return [`${type.const}`];
    case "Union": return type.anyOf.flatMap(indexerKeys);
    case "Cyclic": return indexerKeys(cyclicTarget(type.$defs, type.$ref));
    case "Dependent":
    case "Enum":
    case "Intersect":
    case "TemplateLiteral": return indexerKeys(evaluate(type));
    default: return [];
  }
}
