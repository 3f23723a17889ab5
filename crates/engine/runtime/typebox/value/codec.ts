// Value.Decode and Value.Encode: run the callbacks that `Codec` attached to types.
import { Check, withContext } from "../schema/api.ts";
import { deepEqual } from "../schema/text.ts";
import { current } from "../settings.ts";
import { IsCodec, IsOptional, kindOf } from "../type/guards.ts";
import { clone } from "../type/make.ts";
import { Errors } from "./assert.ts";
import { Clean } from "./clean.ts";
import { Convert } from "./convert.ts";
import { Default } from "./default.ts";
import { DecodeError, EncodeError } from "./failures.ts";
import { narrowUnionsFirst } from "./unions.ts";

type Direction = "decode" | "encode";
const isObject = (value: any) => typeof value === "object" && value !== null;

/** The types inside an object-like value, as `[key, type]`. */
function parts(type: any, value: any): [PropertyKey, any][] | undefined {
  const kind = kindOf(type);
  if (kind === "Array" || kind === "Tuple") {
    if (!Array.isArray(value)) return undefined;
    if (kind === "Array") return value.map((_, at) => [at, type.items]);
    return type.items.slice(0, value.length).map((item: any, at: number) => [at, item]);
  }
  if (!isObject(value) || Array.isArray(value)) return undefined;
  if (kind === "Record") {
    const [[pattern, wanted]] = Object.entries(type.patternProperties);
    const isKey = new RegExp(pattern);
    return Object.getOwnPropertyNames(value).filter((key) => isKey.test(key)).map((key) => [key, wanted]);
  }
  return Object.entries<any>(type.properties).filter(
    ([key, property]) => Object.hasOwn(value, key) && !(value[key] === undefined && IsOptional(property)),
  );
}

/** The inside of a value; `undefined` when the value is not of the shape the type asks for. */
function inside(direction: Direction, context: any, type: any, value: any): { value: any } | undefined {
  switch (kindOf(type)) {
    case "Array":
    case "Tuple":
    case "Object":
    case "Record": {
      const found = parts(type, value);
      if (!found) return undefined;
      for (const [key, part] of found) value[key] = run(direction, context, part, value[key]);
      return { value };
    }
    case "Union": {
      for (const variant of type.anyOf) {
        if (direction === "decode") {
          if (Check(context, variant, value)) return { value: run(direction, context, variant, value) };
        } else {
          const encoded = run(direction, context, variant, clone(value));
          if (Check(context, variant, encoded)) return { value: encoded };
        }
      }
      return undefined;
    }
    case "Intersect": {
      if (type.allOf.length === 0) return { value };
      const results = type.allOf.map((part: any) => run(direction, context, part, Clean(part, clone(value))));
      if (results.every(isObject)) return { value: Object.assign({}, ...results) };
      const changed = results.find((result: any) => !deepEqual(value, result));
      return { value: changed === undefined ? value : changed };
    }
    case "Ref": return { value: Object.hasOwn(context, type.$ref) ? run(direction, context, context[type.$ref], value) : value };
    case "Cyclic": {
      const inner = { ...context, ...type.$defs };
      return { value: Object.hasOwn(inner, type.$ref) ? run(direction, inner, inner[type.$ref], value) : value };
    }
    default: return { value };
  }
}

function run(direction: Direction, context: any, type: any, value: any): any {
  const codec = IsCodec(type) ? type["~codec"] : undefined;
  if (direction === "decode") {
    const inner = inside(direction, context, type, value);
    return inner && codec ? codec.decode(inner.value) : inner ? inner.value : value;
  }
  const outer = codec ? codec.encode(value) : value;
  const inner = inside(direction, context, type, outer);
  return inner ? inner.value : outer;
}

const ordered = (type: any) => (current.unionPrioritySort ? narrowUnionsFirst(type) : type);
/** Runs the decode callbacks and nothing else. */
export const DecodeUnsafe = (context: any, type: any, value: any) => run("decode", context, ordered(type), value);
/** Runs the encode callbacks and nothing else. */
export const EncodeUnsafe = (context: any, type: any, value: any) => run("encode", context, ordered(type), value);

function prepared(context: any, type: any, value: any, Failure: typeof DecodeError): any {
  const result = Clean(context, type, Convert(context, type, Default(context, type, value)));
  if (Check(context, type, result)) return result;
  throw new Failure(result, Errors(context, type, result));
}

/** Defaults, converts, cleans, checks and then decodes a copy of the value. */
export function Decode(...given: any[]): any {
  const [context, type, value] = withContext(given, 2);
  return DecodeUnsafe(context, type, prepared(context, type, clone(value), DecodeError));
}

/** Encodes a copy of the value and then defaults, converts, cleans and checks it. */
export function Encode(...given: any[]): any {
  const [context, type, value] = withContext(given, 2);
  return prepared(context, type, EncodeUnsafe(context, type, clone(value)), EncodeError);
}

/** Whether a codec is anywhere in the type. */
export function HasCodec(...given: any[]): boolean {
  const [context, type] = withContext(given, 1);
  const visited = new Set<string>();
  const search = (part: any, scope: any): boolean => {
    if (IsCodec(part)) return true;
    switch (kindOf(part)) {
      case "Array": return search(part.items, scope);
      case "Tuple": return part.items.some((item: any) => search(item, scope));
      case "Object": return Object.values(part.properties).some((item) => search(item, scope));
      case "Record": return Object.values(part.patternProperties).some((item) => search(item, scope));
      case "Union": return part.anyOf.some((item: any) => search(item, scope));
      case "Intersect": return part.allOf.some((item: any) => search(item, scope));
      case "Cyclic":
      case "Ref": {
        const inner = part.$defs ? { ...scope, ...part.$defs } : scope;
        if (visited.has(part.$ref) || !Object.hasOwn(inner, part.$ref)) return false;
        visited.add(part.$ref);
        return search(inner[part.$ref], inner);
      }
      default: return false;
    }
  };
  return search(type, context);
}
