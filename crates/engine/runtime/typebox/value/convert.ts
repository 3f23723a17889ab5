// Value.Convert: changes values into the wanted type where little or nothing is lost.
import { lazyModule } from "../../internal/lazy.ts";
import { withContext } from "../schema/api.ts";
import { isValid } from "../schema/check.ts";
import { kindOf, IsOptional } from "../type/guards.ts";
import { clone } from "../type/make.ts";

const algebra = lazyModule("typebox/type/actions.ts");

/** The result when a value cannot be converted. */
const no = Symbol("no conversion");

const words: any = { false: false, true: true };
const word = (text: string) => words[text.toLowerCase()];

function toBigInt(value: any): any {
  switch (typeof value) {
    case "bigint": return value;
    case "boolean": return value ? 1n : 0n;
    case "number": return Number.isFinite(value) ? BigInt(Math.trunc(value)) : no;
    case "undefined": return 0n;
    case "string": {
      const digits = /^(-?(?:0|[1-9]\d*))(?:n|\.\d+)?$/.exec(value);
      if (digits) return BigInt(digits[1]);
      const truth = word(value);
      return truth === undefined ? no : truth ? 1n : 0n;
    }
    default: return value === null ? 0n : no;
  }
}

function toBoolean(value: any): any {
  switch (typeof value) {
    case "boolean": return value;
    case "bigint":
    case "number": return value == 0 ? false : value == 1 ? true : no;
    case "undefined": return false;
    case "string": return value === "0" ? false : value === "1" ? true : word(value) ?? no;
    default: return value === null ? false : no;
  }
}

const isSafe = (value: bigint) => value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;

function toNumber(value: any): any {
  switch (typeof value) {
    case "bigint": return isSafe(value) ? Number(value) : no;
    case "boolean": return value ? 1 : 0;
    case "number": return Number.isFinite(value) ? value : no;
    case "undefined": return 0;
    case "string": {
      if (Number.isFinite(+value)) return +value;
      const big = toBigInt(value);
      return big === no ? no : toNumber(big);
    }
    default: return value === null ? 0 : no;
  }
}

function toText(value: any): any {
  switch (typeof value) {
    case "bigint":
    case "boolean":
    case "string": return String(value);
    case "number": return Number.isFinite(value) ? String(value) : no;
    case "undefined": return "";
    default: return value === null ? "null" : no;
  }
}

/** `empty` (null or undefined) for everything that means nothing. */
function toEmpty(value: any, empty: null | undefined): any {
  if (value === null || value === undefined) return empty;
  if (typeof value === "string") {
    return ["undefined", "null", "", "0"].includes(value.toLowerCase()) ? empty : no;
  }
  return value === 0 || value === 0n || value === false ? empty : no;
}

const or = (converted: any, value: any) => (converted === no ? value : converted);

function literal(wanted: any, value: any): any {
  if (wanted === value) return value;
  const converted =
    typeof wanted === "string" ? toText(value)
    : typeof wanted === "boolean" ? toBoolean(value)
    : typeof wanted === "bigint" ? toBigInt(value)
    : toNumber(value);
  return converted === wanted ? converted : value;
}

const isRecordLike = (value: any) => typeof value === "object" && value !== null && !Array.isArray(value);

function additional(context: any, type: any, value: any, isKnown: (key: string) => boolean) {
  const wanted = type.additionalProperties;
  if (typeof wanted !== "object" || wanted === null) return;
  for (const key of Object.getOwnPropertyNames(value)) {
    if (!isKnown(key)) value[key] = convert(context, wanted, value[key]);
  }
}

function convert(context: any, type: any, value: any): any {
  switch (kindOf(type)) {
    case "String": return or(toText(value), value);
    case "Number": return or(toNumber(value), value);
    case "Integer": {
      const number = toNumber(value);
      return number === no ? value : Math.trunc(number);
    }
    case "Boolean": return or(toBoolean(value), value);
    case "BigInt": return or(toBigInt(value), value);
    case "Null": return or(toEmpty(value, null), value);
    case "Undefined":
    case "Void": return or(toEmpty(value, undefined), value);
    case "Literal": return literal(type.const, value);
    case "Array":
      return (Array.isArray(value) ? value : [value]).map((item: any) => convert(context, type.items, item));
    case "Tuple": {
      if (!Array.isArray(value)) return value;
      const count = Math.min(type.items.length, value.length);
      for (let at = 0; at < count; at++) value[at] = convert(context, type.items[at], value[at]);
      return value;
    }
    case "Object": {
      if (!isRecordLike(value)) return value;
      const { properties } = type;
      for (const key of Object.getOwnPropertyNames(properties)) {
        if (!Object.hasOwn(value, key)) continue;
        if (value[key] === undefined && IsOptional(properties[key])) continue;
        value[key] = convert(context, properties[key], value[key]);
      }
      additional(context, type, value, (key) => Object.hasOwn(properties, key));
      return value;
    }
    case "Record": {
      if (!isRecordLike(value)) return value;
      const patterns = Object.entries(type.patternProperties).map(([key, wanted]) => [new RegExp(key), wanted] as const);
      for (const [pattern, wanted] of patterns) {
        for (const key of Object.getOwnPropertyNames(value)) {
          if (pattern.test(key)) value[key] = convert(context, wanted, value[key]);
        }
      }
      additional(context, type, value, (key) => patterns.some(([pattern]) => pattern.test(key)));
      return value;
    }
    case "Union": {
      if (type.anyOf.some((variant: any) => isValid(context, variant, value))) return value;
      for (const variant of type.anyOf) {
        const candidate = convert(context, variant, clone(value));
        if (candidate !== undefined && isValid(context, variant, candidate)) return candidate;
      }
      return value;
    }
    case "Intersect": return convert(context, algebra().Evaluate(algebra().Instantiate(context, type)), value);
    case "Enum":
    case "TemplateLiteral": return convert(context, algebra().Evaluate(type), value);
    case "Ref": return Object.hasOwn(context, type.$ref) ? convert(context, context[type.$ref], value) : value;
    case "Cyclic": {
      const inner = { ...context, ...type.$defs };
      return Object.hasOwn(inner, type.$ref) ? convert(inner, inner[type.$ref], value) : value;
    }
    default: return value;
  }
}

/** Converts a value in place where it can; check the result before using it. */
export function Convert(...given: any[]): any {
  const [context, type, value] = withContext(given, 2);
  return convert(context, type, value);
}
