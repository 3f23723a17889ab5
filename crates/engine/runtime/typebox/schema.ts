// typebox/schema: checking values against any JSON Schema, made by a builder or not.
import { lazyModule } from "../internal/lazy.ts";
import { absentNames, lazyObject } from "./forward.ts";
import { Check, checkErrors, withContext } from "./schema/api.ts";
import { isValid } from "./schema/check.ts";
import { IsRefine } from "./type/guards.ts";

export { Check, IsRefine };

/** The outcome and the errors. */
export function Errors(...given: any[]): [boolean, any[]] {
  const [context, schema, value] = withContext(given, 2);
  return checkErrors(context, schema, value);
}

/** Thrown by `Parse`. */
export class ParseError {
  schema: any;
  value: any;
  errors: any[];
  constructor(schema: unknown, value: unknown, errors: any[]) {
    this.schema = schema;
    this.value = value;
    this.errors = errors;
  }
}
export function ThrowParseError(context: unknown, schema: unknown, value: unknown): never {
  throw new ParseError(schema, value, Errors(context, schema, value)[1]);
}

/** Returns the value if it satisfies the schema, and throws a `ParseError` otherwise. */
export function Parse(...given: any[]): any {
  const [context, schema, value] = withContext(given, 2);
  return isValid(context, schema, value) ? value : ThrowParseError(context, schema, value);
}

/** A schema with the operations bound to it. */
export class Validator {
  #context: any;
  #schema: any;
  constructor(context: unknown, schema: unknown) {
    this.#context = context;
    this.#schema = schema;
  }
  /** Whether generated code is in use; it never is. */
  IsAccelerated(): boolean {
    return false;
  }
  Schema(): any {
    return this.#schema;
  }
  Check(value: unknown): boolean {
    return isValid(this.#context, this.#schema, value);
  }
  Errors(value: unknown): [boolean, any[]] {
    return Errors(this.#context, this.#schema, value);
  }
  Parse(value: unknown): any {
    return Parse(this.#context, this.#schema, value);
  }
}
export function Compile(...given: any[]): Validator {
  const [context, schema] = withContext(given, 1);
  return new Validator(context, schema);
}

export const Pointer = lazyObject(lazyModule("typebox/value/pointer.ts"), "Delete Get Has Indices Set");

// ---- tests for keywords ----
const has = (keyword: string) => (schema: unknown): boolean =>
  typeof schema === "object" && schema !== null && Object.hasOwn(schema, keyword);
export const IsAdditionalItems = has("additionalItems");
export const IsAdditionalProperties = has("additionalProperties");
export const IsAllOf = has("allOf");
export const IsAnchor = has("$anchor");
export const IsAnyOf = has("anyOf");
export const IsConst = has("const");
export const IsContains = has("contains");
export const IsDefault = has("default");
export const IsDefs = has("$defs");
export const IsDependencies = has("dependencies");
export const IsDependentRequired = has("dependentRequired");
export const IsDependentSchemas = has("dependentSchemas");
export const IsDynamicAnchor = has("$dynamicAnchor");
export const IsDynamicRef = has("$dynamicRef");
export const IsElse = has("else");
export const IsEnum = has("enum");
export const IsExclusiveMaximum = has("exclusiveMaximum");
export const IsExclusiveMinimum = has("exclusiveMinimum");
export const IsFormat = has("format");
export const IsId = has("$id");
export const IsIf = has("if");
export const IsItems = has("items");
export const IsMaxContains = has("maxContains");
export const IsMaxItems = has("maxItems");
export const IsMaxLength = has("maxLength");
export const IsMaxProperties = has("maxProperties");
export const IsMaximum = has("maximum");
export const IsMinContains = has("minContains");
export const IsMinItems = has("minItems");
export const IsMinLength = has("minLength");
export const IsMinProperties = has("minProperties");
export const IsMinimum = has("minimum");
export const IsMultipleOf = has("multipleOf");
export const IsNot = has("not");
export const IsOneOf = has("oneOf");
export const IsPattern = has("pattern");
export const IsPatternProperties = has("patternProperties");
export const IsPrefixItems = has("prefixItems");
export const IsProperties = has("properties");
export const IsPropertyNames = has("propertyNames");
export const IsRecursiveAnchor = has("$recursiveAnchor");
export const IsRecursiveRef = has("$recursiveRef");
export const IsRef = has("$ref");
export const IsRequired = has("required");
export const IsThen = has("then");
export const IsType = has("type");
export const IsUnevaluatedItems = has("unevaluatedItems");
export const IsUnevaluatedProperties = has("unevaluatedProperties");
export const IsUniqueItems = has("uniqueItems");
export const IsItemsSized = (schema: any): boolean => IsItems(schema) && Array.isArray(schema.items);
export const IsItemsUnsized = (schema: any): boolean => IsItems(schema) && !Array.isArray(schema.items);
export const IsRecursiveAnchorTrue = (schema: any): boolean => IsRecursiveAnchor(schema) && schema.$recursiveAnchor === true;
export const IsSchemaObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const IsSchemaBoolean = (value: unknown): boolean => typeof value === "boolean";
export const IsSchema = (value: unknown): boolean => IsSchemaObject(value) || IsSchemaBoolean(value);

// ---- steps of the published implementation, of no use without it ----
const absent = absentNames("typebox/schema");
export const {
  Build, BuildAdditionalItems, BuildAdditionalProperties, BuildAdditionalPropertiesFast,
  BuildAdditionalPropertiesStandard, BuildAllOf, BuildAnyOf, BuildConst, BuildContains, BuildContext,
  BuildDependencies, BuildDependentRequired, BuildDependentSchemas, BuildEnum, BuildExclusiveMaximum,
  BuildExclusiveMinimum, BuildFormat, BuildIf, BuildItems, BuildMaxContains, BuildMaxItems, BuildMaxLength,
  BuildMaxProperties, BuildMaximum, BuildMinContains, BuildMinItems, BuildMinLength, BuildMinProperties, BuildMinimum,
  BuildMultipleOf, BuildNot, BuildOneOf, BuildPattern, BuildPatternProperties, BuildPrefixItems, BuildProperties,
  BuildPropertyNames, BuildRecursiveRef, BuildRef, BuildRefine, BuildRequired, BuildResult, BuildSchema,
  BuildSchemaBoolean, BuildSchemaPushStack, BuildType, BuildUnevaluatedItems, BuildUnevaluatedProperties,
  BuildUniqueItems, CanAdditionalPropertiesFast, CheckAdditionalItems, CheckAdditionalProperties, CheckAllOf,
  CheckAnyOf, CheckConst, CheckContains, CheckContext, CheckDependencies, CheckDependentRequired,
  CheckDependentSchemas, CheckEnum, CheckExclusiveMaximum, CheckExclusiveMinimum, CheckFormat, CheckIf, CheckItems,
  CheckMaxContains, CheckMaxItems, CheckMaxLength, CheckMaxProperties, CheckMaximum, CheckMinContains, CheckMinItems,
  CheckMinLength, CheckMinProperties, CheckMinimum, CheckMultipleOf, CheckNot, CheckOneOf, CheckPattern,
  CheckPatternProperties, CheckPrefixItems, CheckProperties, CheckPropertyNames, CheckRecursiveRef, CheckRef,
  CheckRefine, CheckRequired, CheckSchema, CheckSchemaBoolean, CheckSchemaPushStack, CheckType, CheckUnevaluatedItems,
  CheckUnevaluatedProperties, CheckUniqueItems, CreateFunction, CreateVariable, ErrorAdditionalItems,
  ErrorAdditionalProperties, ErrorAllOf, ErrorAnyOf, ErrorConst, ErrorContains, ErrorContext, ErrorDependencies,
  ErrorDependentRequired, ErrorDependentSchemas, ErrorEnum, ErrorExclusiveMaximum, ErrorExclusiveMinimum, ErrorFormat,
  ErrorIf, ErrorItems, ErrorMaxContains, ErrorMaxItems, ErrorMaxLength, ErrorMaxProperties, ErrorMaximum,
  ErrorMinContains, ErrorMinItems, ErrorMinLength, ErrorMinProperties, ErrorMinimum, ErrorMultipleOf, ErrorNot,
  ErrorOneOf, ErrorPattern, ErrorPatternProperties, ErrorPrefixItems, ErrorProperties, ErrorPropertyNames,
  ErrorRecursiveRef, ErrorRef, ErrorRefine, ErrorRequired, ErrorSchema, ErrorSchemaBoolean, ErrorSchemaPushStack,
  ErrorType, ErrorUnevaluatedItems, ErrorUnevaluatedProperties, ErrorUniqueItems, EvaluateResult, GetExternal,
  GetFunctions, HasUnevaluated, Intern, Reducer, ResetExternal, ResetFunctions, Stack,
} = absent;
const { Base, DynamicRef, Ref, ResolveDynamicRef, ResolveRecursiveRef, ResolveRef, Resource } = absent;
export const Resolve = {
  Base, DefaultBase: "https://json-schema.org", DynamicRef, Ref, ResolveDynamicRef, ResolveRecursiveRef, ResolveRef, Resource,
};

/** The names above that do something, by name. */
const Schema: any = {
  Build, BuildAdditionalItems, BuildAdditionalProperties, BuildAdditionalPropertiesFast,
  BuildAdditionalPropertiesStandard, BuildAllOf, BuildAnyOf, BuildConst, BuildContains, BuildContext,
  BuildDependencies, BuildDependentRequired, BuildDependentSchemas, BuildEnum, BuildExclusiveMaximum,
  BuildExclusiveMinimum, BuildFormat, BuildIf, BuildItems, BuildMaxContains, BuildMaxItems, BuildMaxLength,
  BuildMaxProperties, BuildMaximum, BuildMinContains, BuildMinItems, BuildMinLength, BuildMinProperties, BuildMinimum,
  BuildMultipleOf, BuildNot, BuildOneOf, BuildPattern, BuildPatternProperties, BuildPrefixItems, BuildProperties,
  BuildPropertyNames, BuildRecursiveRef, BuildRef, BuildRefine, BuildRequired, BuildResult, BuildSchema,
  BuildSchemaBoolean, BuildSchemaPushStack, BuildType, BuildUnevaluatedItems, BuildUnevaluatedProperties,
  BuildUniqueItems, CanAdditionalPropertiesFast, Check, CheckAdditionalItems, CheckAdditionalProperties, CheckAllOf,
  CheckAnyOf, CheckConst, CheckContains, CheckContext, CheckDependencies, CheckDependentRequired,
  CheckDependentSchemas, CheckEnum, CheckExclusiveMaximum, CheckExclusiveMinimum, CheckFormat, CheckIf, CheckItems,
  CheckMaxContains, CheckMaxItems, CheckMaxLength, CheckMaxProperties, CheckMaximum, CheckMinContains, CheckMinItems,
  CheckMinLength, CheckMinProperties, CheckMinimum, CheckMultipleOf, CheckNot, CheckOneOf, CheckPattern,
  CheckPatternProperties, CheckPrefixItems, CheckProperties, CheckPropertyNames, CheckRecursiveRef, CheckRef,
  CheckRefine, CheckRequired, CheckSchema, CheckSchemaBoolean, CheckSchemaPushStack, CheckType, CheckUnevaluatedItems,
  CheckUnevaluatedProperties, CheckUniqueItems, Compile, CreateFunction, CreateVariable, ErrorAdditionalItems,
  ErrorAdditionalProperties, ErrorAllOf, ErrorAnyOf, ErrorConst, ErrorContains, ErrorContext, ErrorDependencies,
  ErrorDependentRequired, ErrorDependentSchemas, ErrorEnum, ErrorExclusiveMaximum, ErrorExclusiveMinimum, ErrorFormat,
  ErrorIf, ErrorItems, ErrorMaxContains, ErrorMaxItems, ErrorMaxLength, ErrorMaxProperties, ErrorMaximum,
  ErrorMinContains, ErrorMinItems, ErrorMinLength, ErrorMinProperties, ErrorMinimum, ErrorMultipleOf, ErrorNot,
  ErrorOneOf, ErrorPattern, ErrorPatternProperties, ErrorPrefixItems, ErrorProperties, ErrorPropertyNames,
  ErrorRecursiveRef, ErrorRef, ErrorRefine, ErrorRequired, ErrorSchema, ErrorSchemaBoolean, ErrorSchemaPushStack,
  ErrorType, ErrorUnevaluatedItems, ErrorUnevaluatedProperties, ErrorUniqueItems, Errors, EvaluateResult, GetExternal,
  GetFunctions, HasUnevaluated, Intern, IsAdditionalItems, IsAdditionalProperties, IsAllOf, IsAnchor, IsAnyOf, IsConst,
  IsContains, IsDefault, IsDefs, IsDependencies, IsDependentRequired, IsDependentSchemas, IsDynamicAnchor,
  IsDynamicRef, IsElse, IsEnum, IsExclusiveMaximum, IsExclusiveMinimum, IsFormat, IsId, IsIf, IsItems, IsItemsSized,
  IsItemsUnsized, IsMaxContains, IsMaxItems, IsMaxLength, IsMaxProperties, IsMaximum, IsMinContains, IsMinItems,
  IsMinLength, IsMinProperties, IsMinimum, IsMultipleOf, IsNot, IsOneOf, IsPattern, IsPatternProperties, IsPrefixItems,
  IsProperties, IsPropertyNames, IsRecursiveAnchor, IsRecursiveAnchorTrue, IsRecursiveRef, IsRef, IsRefine, IsRequired,
  IsSchema, IsSchemaBoolean, IsSchemaObject, IsThen, IsType, IsUnevaluatedItems, IsUnevaluatedProperties,
  IsUniqueItems, Parse, ParseError, Pointer, Reducer, ResetExternal, ResetFunctions, Resolve, Stack, ThrowParseError,
  Validator,
};
export default Schema;
