// Value.Repair: keeps what fits a type and makes up the rest.
import { lazyModule } from "../../internal/lazy.ts";
import { withContext } from "../schema/api.ts";
import { isValid } from "../schema/check.ts";
import * as is from "../type/guards.ts";
import { kindOf } from "../type/guards.ts";
import { clone } from "../type/make.ts";
import { Assert } from "./assert.ts";
import { Convert } from "./convert.ts";
import { Create } from "./create.ts";
import { RepairError } from "./failures.ts";
import { Hash } from "./hash.ts";
import { bestVariant } from "./unions.ts";

const algebra = lazyModule("typebox/type/actions.ts");
const sets = lazyModule("typebox/type/algebra.ts");
const template = lazyModule("typebox/type/template.ts");

const isObject = (value: any) => typeof value === "object" && value !== null && !Array.isArray(value);
const isOpaque = (value: any) =>
  value instanceof Date || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) ||
  typeof value === "function";

function repair(context: any, type: any, given: any): any {
  if (isOpaque(given)) throw new RepairError(context, type, given, "Value is not repairable");
  if (is.IsConstructor(type) || is.IsFunction(type) || is.IsNever(type)) {
    throw new RepairError(context, type, given, "Type is not repairable");
  }
  const value = given === undefined && !is.IsUndefined(type) ? Create(context, type) : given;
  const repaired = repairKind(context, type, value);
  return is.IsRefine(type) && !isValid(context, type, repaired) ? Create(context, type) : repaired;
}

function repairKind(context: any, type: any, value: any): any {
  switch (kindOf(type)) {
    case "Enum": return repair(context, algebra().Evaluate(type), value);
    case "Intersect": return repair(context, algebra().Evaluate(algebra().Instantiate(context, type)), value);
    case "TemplateLiteral": return repair(context, template().decodePattern(type.pattern), value);
    case "Ref":
      if (Object.hasOwn(context, type.$ref)) return repair(context, context[type.$ref], value);
      throw new RepairError(context, type, value, "Unable to de-reference target type");
  }
  if (isValid(context, type, value)) return is.IsUnion(type) ? clone(value) : value;
  switch (kindOf(type)) {
    case "Array": return repairArray(context, type, value);
    case "Object": return isObject(value) ? repairObject(context, type, value) : Create(context, type);
    case "Record": return isObject(value) ? repairRecord(context, type, value) : Create(context, type);
    case "Tuple":
      if (!Array.isArray(value)) return Create(context, type);
      return type.items.map((item: any, at: number) => repair(context, item, value[at]));
    case "Union": {
      if (Object.hasOwn(type, "default")) return Create(context, type);
      return repair(context, bestVariant(context, { anyOf: sets().flatten(type.anyOf) }, value), value);
    }
    default: {
      const converted = Convert(context, type, value);
      return isValid(context, type, converted) ? converted : Create(context, type);
    }
  }
}

function repairArray(context: any, type: any, value: any): any {
  let items: any[] = Array.isArray(value) ? value : Create(context, type);
  if (Object.hasOwn(type, "minItems")) {
    items = [...items];
    while (items.length < type.minItems) items.push(Create(context, type));
  }
  if (Object.hasOwn(type, "maxItems")) items = items.slice(0, type.maxItems);
  items = items.map((item) => repair(context, type.items, item));
  if (type.uniqueItems !== true) return items;
  const seen = new Set<string>();
  const unique = items.filter((item) => {
    const hash = Hash(item);
    return !seen.has(hash) && seen.add(hash);
  });
  if (isValid(context, type, unique)) return unique;
  throw new RepairError(context, type, value, "Failed to repair Array due to uniqueItems constraint");
}

function repairObject(context: any, type: any, value: any): any {
  const required = new Set(type.required ?? []);
  const result: any = {};
  for (const [key, property] of Object.entries(type.properties)) {
    if (!required.has(key) && value[key] === undefined) continue;
    result[key] = key in value ? repair(context, property, value[key]) : Create(context, property);
  }
  const rest = type.additionalProperties;
  if (typeof rest === "object" && rest !== null) {
    for (const key of Object.getOwnPropertyNames(value)) {
      if (!Object.hasOwn(type.properties, key)) result[key] = repair(context, rest, value[key]);
    }
  }
  return result;
}

function repairRecord(context: any, type: any, value: any): any {
  const [[pattern, wanted]] = Object.entries(type.patternProperties);
  const isKey = new RegExp(pattern);
  const known: any = {};
  const others: any = {};
  for (const [key, item] of Object.entries(value)) {
    if (isKey.test(key)) known[key] = repair(context, wanted, item);
    else if (Object.hasOwn(type, "additionalProperties")) others[key] = repair(context, type.additionalProperties, item);
  }
  return { ...known, ...others };
}

/** A value of the type that keeps as much of the given value as possible. */
export function Repair(...given: any[]): any {
  const [context, type, value] = withContext(given, 2);
  const repaired = repair(context, type, value);
  Assert(context, type, repaired);
  return repaired;
}
