// Records: an object type for keys that can be listed, a pattern for the others.
import { evaluate, flatten } from "./algebra.ts";
import { IntegerKey, NumberKey, StringKey, integer, number, object, recordOf, string } from "./builders.ts";
import * as is from "./guards.ts";
import { kindOf } from "./guards.ts";
import { decodePatternOpen, isFinite, parsePattern } from "./template.ts";

export const recordPattern = (type: any): string => Object.getOwnPropertyNames(type.patternProperties)[0];
export const recordValue = (type: any): any => type.patternProperties[recordPattern(type)];
export const recordKey = (type: any): any => patternType(recordPattern(type));

/** The key type that a record pattern stands for. */
export function patternType(pattern: string): any {
  if (pattern === StringKey) return string();
  if (pattern === IntegerKey) return integer();
  return pattern === NumberKey ? number() : decodePatternOpen(pattern);
}

const isName = (type: any) => is.IsLiteralString(type) || is.IsLiteralNumber(type);

/** The record or object type for keys of type `key`. */
export function recordFromKey(key: any, value: any): any {
  switch (kindOf(key)) {
    case "Any": return recordOf(StringKey, value);
    case "Boolean": return object({ true: value, false: value });
    case "Integer": return recordOf(IntegerKey, value);
    case "Number": return recordOf(NumberKey, value);
    case "Literal":
      return object(isName(key) || typeof key.const === "boolean" ? { [`${key.const}`]: value } : {});
    case "Enum":
    case "Intersect": return recordFromKey(evaluate(key), value);
    case "String": {
      const { pattern } = key;
      return recordOf(typeof pattern === "string" || pattern instanceof RegExp ? `${pattern}` : StringKey, value);
    }
    case "TemplateLiteral":
      return isFinite(parsePattern(key.pattern))
        ? recordFromKey(evaluate(key), value)
        : recordOf(key.pattern, value);
    case "Union": {
      const variants = flatten(key.anyOf);
      if (variants.some((type) => ["String", "Number", "Integer"].includes(kindOf(type)!))) {
        return recordOf(StringKey, value);
      }
      return object(Object.fromEntries(variants.filter(isName).map((type) => [type.const, value])));
    }
    default: return object({});
  }
}
