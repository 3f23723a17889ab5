// Value.Default: fills in what is missing from `default` annotations.
import { lazyModule } from "../../internal/lazy.ts";
import { withContext } from "../schema/api.ts";
import { isValid } from "../schema/check.ts";
import { IsOptional, kindOf } from "../type/guards.ts";
import { clone } from "../type/make.ts";

const algebra = lazyModule("typebox/type/actions.ts");
const isObject = (value: any) => typeof value === "object" && value !== null;

function fill(context: any, type: any, value: any): any {
  if (value === undefined && isObject(type) && Object.hasOwn(type, "default")) {
    value = typeof type.default === "function" ? type.default() : clone(type.default);
  }
  switch (kindOf(type)) {
    case "Array":
      if (Array.isArray(value)) value.forEach((item, at) => (value[at] = fill(context, type.items, item)));
      return value;
    case "Tuple":
      if (Array.isArray(value)) {
        for (let at = 0; at < type.items.length; at++) value[at] = fill(context, type.items[at], value[at]);
      }
      return value;
    case "Object": return isObject(value) ? fillObject(context, type, value) : value;
    case "Record": return isObject(value) ? fillRecord(context, type, value) : value;
    case "Union": {
      for (const variant of type.anyOf) {
        const filled = fill(context, variant, clone(value));
        if (isValid(context, variant, filled)) return filled;
      }
      return value;
    }
    case "Intersect": return fill(context, algebra().Evaluate(algebra().Instantiate(context, type)), value);
    case "Ref": return Object.hasOwn(context, type.$ref) ? fill(context, context[type.$ref], value) : value;
    case "Cyclic": {
      const inner = { ...context, ...type.$defs };
      return Object.hasOwn(inner, type.$ref) ? fill(inner, inner[type.$ref], value) : value;
    }
    default: return value;
  }
}

function fillObject(context: any, type: any, value: any): any {
  const { properties, additionalProperties } = type;
  for (const key of Object.getOwnPropertyNames(properties)) {
    const property = properties[key];
    const filled = fill(context, property, value[key]);
    if (filled === undefined && (IsOptional(property) || !Object.hasOwn(property, "default"))) continue;
    value[key] = filled;
  }
  if (!Object.hasOwn(type, "additionalProperties") || typeof additionalProperties === "boolean") return value;
  for (const key of Object.getOwnPropertyNames(value)) {
    if (!Object.hasOwn(properties, key)) value[key] = fill(context, additionalProperties, value[key]);
  }
  return value;
}

function fillRecord(context: any, type: any, value: any): any {
  const [[pattern, wanted]] = Object.entries<any>(type.patternProperties);
  const isKey = new RegExp(pattern);
  for (const key of Object.getOwnPropertyNames(value)) {
    if (isKey.test(key)) {
      if (Object.hasOwn(wanted, "default")) value[key] = fill(context, wanted, value[key]);
    } else if (Object.hasOwn(type, "additionalProperties")) {
      value[key] = fill(context, type.additionalProperties, value[key]);
    }
  }
  return value;
}

/** Fills defaults into a value in place; check the result before using it. */
export function Default(...given: any[]): any {
  const [context, type, value] = withContext(given, 2);
  return fill(context, type, value);
}
