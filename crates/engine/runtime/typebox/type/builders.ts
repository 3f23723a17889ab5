// The builders that nearly every program uses. What needs type algebra is in `actions.ts`.
import { lazyModule } from "../../internal/lazy.ts";
import { IsCodec, IsOptional, IsRefine, IsTypeScriptEnumLike, IsRef, kindOf } from "./guards.ts";
import { extended, make, marked } from "./make.ts";

const algebra = lazyModule("typebox/type/record.ts");

const simple = (kind: string, type: string) => (options?: any) => make(kind, { type }, options);

export const BigIntPattern = "-?(?:0|[1-9][0-9]*)n";
export const IntegerPattern = "-?(?:0|[1-9][0-9]*)";
export const NumberPattern = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?";
export const StringPattern = ".*";
export const NeverPattern = "(?!)";
export const IntegerKey = `^${IntegerPattern}$`;
export const NumberKey = `^${NumberPattern}$`;
export const StringKey = `^${StringPattern}$`;

export const any = (options?: any) => make("Any", {}, options);
export const unknown = (options?: any) => make("Unknown", {}, options);
export const never = (options?: any) => make("Never", { not: {} }, options);
export const string = simple("String", "string");
export const number = simple("Number", "number");
export const integer = simple("Integer", "integer");
export const boolean = simple("Boolean", "boolean");
export const nil = simple("Null", "null");
export const bigint = simple("BigInt", "bigint");
export const symbol = simple("Symbol", "symbol");
export const undef = simple("Undefined", "undefined");
export const nothing = simple("Void", "void");

/** Thrown by `Literal` for a value that JSON Schema constants of TypeBox cannot hold. */
export class InvalidLiteralValue extends Error {
  constructor(value: any) {
    super("Invalid Literal value");
    Object.defineProperty(this, "cause", { value: { value }, writable: false, configurable: false, enumerable: false });
  }
}

/** The JSON Schema type name of a literal value. */
export function literalTypeName(value: any): string {
  const type = typeof value;
  if (type === "bigint" || type === "boolean" || type === "string") return type;
  if (Number.isFinite(value)) return "number";
  throw new InvalidLiteralValue(value);
}

export const literal = (value: any, options?: any) =>
  make("Literal", { type: literalTypeName(value), const: value }, options);

export const array = (items: any, options?: any) => make("Array", { type: "array", items }, options);

export const tuple = (items: any[], options?: any) =>
  make("Tuple", { type: "array", additionalItems: false, items, minItems: items.length }, options);

/** The names of the properties that are not optional. */
export const requiredArray = (properties: any) =>
  Object.getOwnPropertyNames(properties).filter((name) => !IsOptional(properties[name]));

export function object(properties: any, options?: any) {
  const required = requiredArray(properties);
  const keywords = required.length > 0 ? { type: "object", required, properties } : { type: "object", properties };
  return make("Object", keywords, options);
}

export const union = (anyOf: any[], options?: any) => make("Union", { anyOf }, options);
export const intersect = (allOf: any[], options?: any) => make("Intersect", { allOf }, options);

/** The values of a TypeScript `enum` object, without the reverse names of numeric members. */
export const enumValues = (source: any) =>
  Object.getOwnPropertyNames(source).filter((name) => isNaN(name as any)).map((name) => source[name]);

const enumeration = (values: any, options?: any) =>
  make("Enum", { enum: IsTypeScriptEnumLike(values) ? enumValues(values) : values }, options);
export { enumeration };

/** A record whose keys match `pattern`. */
export const recordOf = (pattern: string, value: any) =>
  make("Record", { type: "object", patternProperties: { [pattern]: value } });

export function record(key: any, value: any, options?: any) {
  if (IsRef(key)) return make("Deferred", { type: "deferred", action: "Record", parameters: [key, value], options: options ?? {} });
  if (kindOf(key) === "String" && !Object.hasOwn(key, "pattern")) return extended(recordOf(StringKey, value), options);
  return extended(algebra().recordFromKey(key, value), options);
}

export const ref = (name: string, options?: any) => make("Ref", { $ref: name }, options);
export const self = (options?: any) => make("This", { $ref: "#" }, options);
export const rest = (items: any) => make("Rest", { type: "rest", items });
export const func = (parameters: any[], returnType: any, options?: any) =>
  make("Function", { type: "function", parameters, returnType }, options);
export const construct = (parameters: any[], instanceType: any, options?: any) =>
  make("Constructor", { type: "constructor", parameters, instanceType }, options);
export const dependent = (condition: any, then: any, otherwise: any, options?: any) =>
  make("Dependent", { if: condition, then, else: otherwise }, options);

export function cyclic($defs: any, $ref: string, options?: any) {
  const named: any = {};
  for (const name of Object.getOwnPropertyNames($defs)) named[name] = extended($defs[name], { $id: name });
  return make("Cyclic", { $defs: named, $ref }, options);
}

export const unsafe = (schema: any) => marked(schema, "~unsafe", null);
export const optional = (type: any) => marked(type, "~optional", true);
export const readonly = (type: any) => marked(type, "~readonly", true);
export const immutable = (type: any) => marked(type, "~immutable", true);

/** Adds one `{ check, error }` pair to the refinements of a type. */
export const refineAdd = (type: any, refinement: any) =>
  marked(type, "~refine", IsRefine(type) ? [...type["~refine"], refinement] : [refinement]);
export const refine = (type: any, check: any, error: any = () => "Refine Error") => refineAdd(type, { check, error });

/** Second half of `Codec(type).Decode(f)`: waits for the encoding function. */
export class EncodeBuilder {
  type: any;
  decode: any;
  constructor(type: any, decode: any) {
    this.type = type;
    this.decode = decode;
  }
  Encode(encode: any) {
    const { type, decode } = this;
    const inner = IsCodec(type) ? type["~codec"] : undefined;
    return marked(type, "~codec", {
      decode: inner ? (value: any) => decode(inner.decode(value)) : decode,
      encode: inner ? (value: any) => inner.encode(encode(value)) : encode,
    });
  }
}

/** First half of a codec: waits for the decoding function. */
export class DecodeBuilder {
  type: any;
  constructor(type: any) {
    this.type = type;
  }
  Decode(decode: any) {
    return new EncodeBuilder(this.type, decode);
  }
}

const oneWay = (name: string) => () => {
  throw Error(`${name} not implemented`);
};
export const codec = (type: any) => new DecodeBuilder(type);
export const decode = (type: any, callback: any) => codec(type).Decode(callback).Encode(oneWay("Encode"));
export const encode = (type: any, callback: any) => codec(type).Decode(oneWay("Decode")).Encode(callback);

export const identifier = (name: string) => make("Identifier", { name });
export const infer = (name: string, constraint: any = unknown()) => make("Infer", { type: "infer", name, extends: constraint });
export const parameter = (name: string, constraint: any = unknown(), fallback: any = constraint) =>
  make("Parameter", { name, extends: constraint, equals: fallback });
export const generic = (parameters: any[], expression: any) => make("Generic", { type: "generic", parameters, expression });
export const callOf = (target: any, parameters: any[]) => make("Call", { type: "call", target, arguments: parameters });
export const deferred = (action: string, parameters: any[], options: any = {}) =>
  make("Deferred", { type: "deferred", action, parameters, options });
