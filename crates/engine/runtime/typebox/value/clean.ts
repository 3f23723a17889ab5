// Value.Clean: removes what the type does not know.
import { lazyModule } from "../../internal/lazy.ts";
import { current } from "../settings.ts";
import { withContext } from "../schema/api.ts";
import { isValid } from "../schema/check.ts";
import { IsObject, kindOf } from "../type/guards.ts";
import { clone } from "../type/make.ts";
import { narrowUnionsFirst } from "./unions.ts";

const algebra = lazyModule("typebox/type/actions.ts");
const isObject = (value: any) => typeof value === "object" && value !== null;

function clean(context: any, type: any, value: any): any {
  switch (kindOf(type)) {
    case "Array": return Array.isArray(value) ? value.map((item) => clean(context, type.items, item)) : value;
    case "Tuple": {
      if (!Array.isArray(value)) return value;
      const count = Math.min(value.length, type.items.length);
      for (let at = 0; at < count; at++) value[at] = clean(context, type.items[at], value[at]);
      return value.length > count ? value.slice(0, count) : value;
    }
    case "Object":
      if (!isObject(value) || Array.isArray(value)) return value;
      return members(context, type, value, (key) => (Object.hasOwn(type.properties, key) ? type.properties[key] : undefined));
    case "Record": {
      if (!isObject(value) || Array.isArray(value)) return value;
      const [[pattern, wanted]] = Object.entries(type.patternProperties);
      const isKey = new RegExp(pattern);
      return members(context, type, value, (key) => (isKey.test(key) ? wanted : undefined));
    }
    case "Union": {
      for (const variant of type.anyOf) {
        const cleaned = clean(context, variant, clone(value));
        if (isValid(context, variant, cleaned)) return cleaned;
      }
      return value;
    }
    case "Intersect": {
      const evaluated = algebra().Evaluate(algebra().Instantiate(context, type));
      const bound = Object.hasOwn(type, "unevaluatedProperties") ? { additionalProperties: type.unevaluatedProperties } : {};
      return clean(context, IsObject(evaluated) ? algebra().With(evaluated, bound) : evaluated, value);
    }
    case "Ref": return Object.hasOwn(context, type.$ref) ? clean(context, context[type.$ref], value) : value;
    case "Cyclic": {
      const inner = { ...context, ...type.$defs };
      return Object.hasOwn(inner, type.$ref) ? clean(inner, inner[type.$ref], value) : value;
    }
    default: return value;
  }
}

function members(context: any, type: any, value: any, typeOf: (key: string) => any): any {
  const rest = Object.hasOwn(type, "additionalProperties") ? type.additionalProperties : undefined;
  for (const key of Object.getOwnPropertyNames(value)) {
    const known = typeOf(key);
    if (known !== undefined) value[key] = clean(context, known, value[key]);
    else if (rest === true || (isObject(rest) && isValid(context, rest, value[key]))) {
      value[key] = clean(context, rest, value[key]);
    } else delete value[key];
  }
  return value;
}

/** Removes unknown properties and items in place; check the result before using it. */
export function Clean(...given: any[]): any {
  const [context, type, value] = withContext(given, 2);
  return clean(context, current.unionPrioritySort ? narrowUnionsFirst(type) : type, value);
}
