// Tests for the kind and the modifiers of a schema.

const isObject = (value: any) => typeof value === "object" && value !== null;

/** Whether `value` is a schema made by the builder of that kind. */
export const IsKind = (value: any, kind: string): boolean =>
  isObject(value) && Object.hasOwn(value, "~kind") && value["~kind"] === kind;

/** The kind of a schema, or `undefined` for anything that no builder made. */
export const kindOf = (value: any): string | undefined =>
  isObject(value) && Object.hasOwn(value, "~kind") ? value["~kind"] : undefined;

const of = (kind: string) => (value: any): boolean => IsKind(value, kind);
const has = (mark: string) => (value: any): boolean => isObject(value) && Object.hasOwn(value, mark);

export const IsSchema = isObject;
export const IsAny = of("Any");
export const IsArray = of("Array");
export const IsBigInt = of("BigInt");
export const IsBoolean = of("Boolean");
export const IsCall = of("Call");
export const IsConstructor = of("Constructor");
export const IsCyclic = of("Cyclic");
export const IsDeferred = of("Deferred");
export const IsDependent = of("Dependent");
export const IsEnum = of("Enum");
export const IsFunction = of("Function");
export const IsGeneric = of("Generic");
export const IsIdentifier = of("Identifier");
export const IsInfer = of("Infer");
export const IsInteger = of("Integer");
export const IsIntersect = of("Intersect");
export const IsLiteral = of("Literal");
export const IsNever = of("Never");
export const IsNull = of("Null");
export const IsNumber = of("Number");
export const IsObject = of("Object");
export const IsParameter = of("Parameter");
export const IsRecord = of("Record");
export const IsRef = of("Ref");
export const IsRest = of("Rest");
export const IsString = of("String");
export const IsSymbol = of("Symbol");
export const IsTemplateLiteral = of("TemplateLiteral");
export const IsThis = of("This");
export const IsTuple = of("Tuple");
export const IsUndefined = of("Undefined");
export const IsUnion = of("Union");
export const IsUnknown = of("Unknown");
export const IsVoid = of("Void");
export const IsUnsafe = has("~unsafe");
export const IsOptional = has("~optional");
export const IsReadonly = has("~readonly");
export const IsImmutable = has("~immutable");

const literalOf = (type: string) => (value: any): boolean => IsLiteral(value) && typeof value.const === type;
export const IsLiteralBigInt = literalOf("bigint");
export const IsLiteralBoolean = literalOf("boolean");
export const IsLiteralNumber = literalOf("number");
export const IsLiteralString = literalOf("string");
export const IsLiteralValue = (value: any): boolean =>
  ["bigint", "boolean", "string"].includes(typeof value) || Number.isFinite(value);
export const IsEnumValue = (value: any): boolean => typeof value === "string" || Number.isFinite(value);
export const IsTypeScriptEnumLike = (value: any): boolean => isObject(value) && !Array.isArray(value);

const deferredOf = (action: string) => (value: any): boolean => IsDeferred(value) && value.action === action;
export const IsInterfaceDeferred = deferredOf("Interface");
export const IsTemplateLiteralDeferred = deferredOf("TemplateLiteral");

export const IsRefinement = (value: any): boolean =>
  IsTypeScriptEnumLike(value) && typeof value.check === "function" && typeof value.error === "function";
export const IsRefine = (value: any): boolean =>
  has("~refine")(value) && Array.isArray(value["~refine"]) && value["~refine"].every(IsRefinement);
export const IsCodec = (value: any): boolean =>
  has("~codec")(value) && has("encode")(value["~codec"]) && has("decode")(value["~codec"]);
