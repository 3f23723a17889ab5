// Choosing between the variants of a union.
import { lazyModule } from "../../internal/lazy.ts";
import { isValid } from "../schema/check.ts";
import * as is from "../type/guards.ts";
import { kindOf } from "../type/guards.ts";

const algebra = lazyModule("typebox/type/algebra.ts");

/** Whether some union inside has to be put in order. */
function hasUnion(type: any): boolean {
  switch (kindOf(type)) {
    case "Union": return true;
    case "Array": return hasUnion(type.items);
    case "Tuple": return type.items.some(hasUnion);
    case "Intersect": return type.allOf.some(hasUnion);
    case "Object": return Object.values(type.properties).some(hasUnion);
    case "Record": return Object.values(type.patternProperties).some(hasUnion);
    default: return false;
  }
}

/** A copy of the type that keeps its hidden marks, with some keywords replaced. */
function replaced(type: any, keywords: any): any {
  const copy = Object.create(Object.prototype, Object.getOwnPropertyDescriptors(type));
  for (const key of Object.keys(keywords)) {
    Object.defineProperty(copy, key, { value: keywords[key], enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

/** Reorders unions, at any depth, so that narrower variants are tried before broader ones. */
export function narrowUnionsFirst(type: any): any {
  if (!hasUnion(type)) return type;
  const each = (types: any[]) => types.map(narrowUnionsFirst);
  const values = (record: any) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, narrowUnionsFirst(value)]));
  switch (kindOf(type)) {
    case "Union": return replaced(type, { anyOf: each(algebra().narrowestFirst(type.anyOf)) });
    case "Array": return replaced(type, { items: narrowUnionsFirst(type.items) });
    case "Tuple": return replaced(type, { items: each(type.items) });
    case "Intersect": return replaced(type, { allOf: each(type.allOf) });
    case "Object": return replaced(type, { properties: values(type.properties) });
    default: return replaced(type, { patternProperties: values(type.patternProperties) });
  }
}

function target(context: any, type: any): any {
  if (!is.IsRef(type)) return type;
  if (!Object.hasOwn(context, type.$ref)) throw new Error("Unable to Deref target");
  return target(context, context[type.$ref]);
}

function score(context: any, type: any, value: any): number {
  if (!is.IsObject(type) || typeof value !== "object" || value === null) return 0;
  let points = 0;
  for (const [key, property] of Object.entries<any>(type.properties)) {
    if (is.IsLiteral(property) && property.const === value[key]) points += 100;
    if (isValid(context, property, value[key])) points += 10;
    if (Object.hasOwn(value, key)) points += 1;
  }
  return points;
}

/** The variant that a value comes closest to. */
export function bestVariant(context: any, type: any, value: any): any {
  const variants = type.anyOf.map((variant: any) => target(context, variant));
  let [best, most] = [variants[0], 0];
  for (const variant of variants) {
    const points = score(context, variant, value);
    if (points > most) [best, most] = [variant, points];
  }
  return best;
}
