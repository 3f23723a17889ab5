// The builders that nearly every program uses. What needs type algebra is in `actions.ts`.
import { lazyModule } from "../../internal/lazy.ts";
import { IsCodec, IsOptional, IsRefine, IsTypeScriptEnumLike, IsRef, kindOf } from "./guards.ts";
import { extended, make, marked } from "./make.ts";

const algebra = lazyModule("typebox/type/record.ts");

const simple = (kind: string, type: string) => (options?: unknown) => make(kind, { type }, options);

export const BigIntPattern = "-?(?:0|[1-9][0-9]*)n";
export const IntegerPattern = "-?(?:0|[1-9][0-9]*)";
export const NumberPattern = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?";
export const StringPattern = ".*";
export const NeverPattern = "(?!)";
export const IntegerKey = `^${IntegerPattern}$`;
export const NumberKey = `^${NumberPattern}$`;
export const StringKey = `^${StringPattern}$`;

export const any = (options?: unknown) => make("Any", {}, options);
export const unknown = (options?: unknown) => make("Unknown", {}, options);
export const never = (options?: unknown) => make("Never", { not: {} }, options);
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
  constructor(value: unknown) {
    super("Invalid Literal value");
    Object.defineProperty(this, "cause", { value: { value }, writable: false, configurable: false, enumerable: false });
  }
}

/** The JSON Schema type name of a literal value. */
export function literalTypeName(value: unknown): string {
  const type = typeof value;
  if (type === "bigint" || type === "boolean" || type === "string") return type;
  if (Number.isFinite(value)) return "number";
  throw new InvalidLiteralValue(value);
}

export const literal = (value: unknown, options?: unknown) =>
  make("Literal", { type: literalTypeName(value), const: value }, options);

export const array = (items: unknown, options?: unknown) => make("Array", { type: "array", items }, options);

export const tuple = (items: any[], options?: unknown) =>
  make("Tuple", { type: "array", additionalItems: false, items, minItems: items.length }, options);

/** The names of the properties that are not optional. */
export const requiredArray = (properties: any) =>
  Object.getOwnPropertyNames(properties).filter((name) => !IsOptional(properties[name]));

export function object(properties: unknown, options?: unknown) {
  const required = requiredArray(properties);
  const keywords = required.length > 0 ? { type: "object", required, properties } : { type: "object", properties };
  return make("Object", keywords, options);
}

export const union = (anyOf: any[], options?: unknown) => make("Union", { anyOf }, options);
export const intersect = (allOf: any[], options?: unknown) => make("Intersect", { allOf }, options);

/** The values of a TypeScript `enum` object, without the reverse names of numeric members. */
export const enumValues = (source: any) =>
  Object.getOwnPropertyNames(source).filter((name) => isNaN(name as any)).map((name) => source[name]);

const enumeration = (values: unknown, options?: unknown) =>
  make("Enum", { enum: IsTypeScriptEnumLike(values) ? enumValues(values) : values }, options);
export { enumeration };

/** A record whose keys match `pattern`. */
export const recordOf = (pattern: string, value: unknown) =>
  make("Record", { type: "object", patternProperties: { [pattern]: value } });

export function record(key: any, value: any, options?: any) {
  if (IsRef(key)) return make("Deferred", { type: "deferred", action: "Record", parameters: [key, value], options: options ?? {} });
  if (kindOf(key) === "String" && !Object.hasOwn(key, "pattern")) return extended(recordOf(StringKey, value), options);
  return extended(algebra().recordFromKey(key, value), options);
}

export const ref = (name: string, options?: unknown) => make("Ref", { $ref: name }, options);
export const self = (options?: unknown) => make("This", { $ref: "#" }, options);
export const rest = (items: unknown) => make("Rest", { type: "rest", items });
export const func = (parameters: any[], returnType: unknown, options?: unknown) =>
  make("Function", { type: "function", parameters, returnType }, options);
export const construct = (parameters: any[], instanceType: unknown, options?: unknown) =>
  make("Constructor", { type: "constructor", parameters, instanceType }, options);
export const dependent = (condition: unknown, then: unknown, otherwise: unknown, options?: unknown) =>
  make("Dependent", { if: condition, then, else: otherwise }, options);

export function cyclic($defs: any, $ref: string, options?: unknown) {
  const named: any = {};
  for (const name of Object.getOwnPropertyNames($defs)) named[name] = extended($defs[name], { $id: name });
  return make("Cyclic", { $defs: named, $ref }, options);
}

export const unsafe = (schema: unknown) => marked(schema, "~unsafe", null);
export const optional = (type: unknown) => marked(type, "~optional", true);
export const readonly = (type: unknown) => marked(type, "~readonly", true);
export const immutable = (type: unknown) => marked(type, "~immutable", true);

/** Adds one `{ check, error }` pair to the refinements of a type. */
export const refineAdd = (type: any, refinement: unknown) =>
  marked(type, "~refine", IsRefine(type) ? [...type["~refine"], refinement] : [refinement]);
export const refine = (type: unknown, check: unknown, error: unknown = () => "Refine Error") => refineAdd(type, { check, error });

/** Second half of `Codec(type).Decode(f)`: waits for the encoding function. */
export class EncodeBuilder {
  type: any;
  decode: any;
  constructor(type: unknown, decode: unknown) {
    this.type = type;
    this.decode = decode;
  }
  Encode(encode: any) {
    const { type, decode } = this;
    const inner = IsCodec(type) ? type["~codec"] : undefined;
    return marked(type, "~codec", {
      decode: inner ? (value: unknown) => decode(inner.decode(value)) : decode,
      encode: inner ? (value: unknown) => inner.encode(encode(value)) : encode,
    });
  }
}

/** First half of a codec: waits for the decoding function. */
export class DecodeBuilder {
  type: any;
  constructor(type: unknown) {
    this.type = type;
  }
  Decode(decode: unknown) {
    return new EncodeBuilder(this.type, decode);
  }
}

const oneWay = (name: string) => () => {
  throw Error(`${name} not implemented`);
};
export const codec = (type: unknown) => new DecodeBuilder(type);
export const decode = (type: unknown, callback: unknown) => codec(type).Decode(callback).Encode(oneWay("Encode"));
export const encode = (type: unknown, callback: unknown) => codec(type).Decode(oneWay("Decode")).Encode(callback);

export const identifier = (name: string) => make("Identifier", { name });
export const infer = (name: string, constraint: unknown = unknown()) => make("Infer", { type: "infer", name, extends: constraint });
export const parameter = (name: string, constraint: unknown = unknown(), fallback: unknown = constraint) =>
  make("Parameter", { name, extends: constraint, equals: fallback });
export const generic = (parameters: any[], expression: unknown) => make("Generic", { type: "generic", parameters, expression });
export const callOf = (target: unknown, parameters: any[]) => make("Call", { type: "call", target, arguments: parameters });
export const deferred = (action: string, parameters: any[], options: unknown = {}) =>
  make("Deferred", { type: "deferred", action, parameters, options });
