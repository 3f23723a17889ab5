// The English text of each validation error.

const list = (names: string[]) => names.join(", ");
const comparison = ({ comparison, limit }: any) => `must be ${comparison} ${limit}`;
const depends = ({ dependencies, property }: any) =>
  `must have properties ${list(dependencies)} when property ${property} is present`;
const few = (what: string) => ({ limit }: any) => `must not have fewer than ${limit} ${what}`;
const many = (what: string) => ({ limit }: any) => `must not have more than ${limit} ${what}`;

const texts: Record<string, (params: any) => string> = {
  additionalProperties: () => "must not have additional properties",
  anyOf: () => "must match a schema in anyOf",
  boolean: () => "schema is false",
  const: () => "must be equal to constant",
  contains: () => "must contain at least 1 valid item",
  dependencies: depends,
  dependentRequired: depends,
  enum: () => "must be equal to one of the allowed values",
  exclusiveMaximum: comparison,
  exclusiveMinimum: comparison,
  format: ({ format }) => `must match format "${format}"`,
  if: ({ failingKeyword }) => `must match "${failingKeyword}" schema`,
  maxItems: many("items"),
  maxLength: many("characters"),
  maxProperties: many("properties"),
  maximum: comparison,
  minItems: few("items"),
  minLength: few("characters"),
  minProperties: few("properties"),
  minimum: comparison,
  multipleOf: ({ multipleOf }) => `must be multiple of ${multipleOf}`,
  not: () => "must not be valid",
  oneOf: () => "must match exactly one schema in oneOf",
  pattern: ({ pattern }) => `must match pattern "${pattern}"`,
  propertyNames: ({ propertyNames }) => `property names ${list(propertyNames)} are invalid`,
  required: ({ requiredProperties }) => `must have required properties ${list(requiredProperties)}`,
  type: ({ type }) => (typeof type === "string" ? `must be ${type}` : `must be either ${type.join(" or ")}`),
  unevaluatedItems: () => "must not have unevaluated items",
  unevaluatedProperties: () => "must not have unevaluated properties",
  uniqueItems: () => "must not have duplicate items",
  "~refine": ({ message }) => message,
};

/** The message of an error in American English. */
export const english = (error: any): string =>
  texts[error.keyword]?.(error.params) ?? "an unknown validation error occurred";

let localize: (error: any) => string = english;
/** Replaces the function that words errors. */
export const setLocale = (callback: (error: any) => string) => void (localize = callback);
export const getLocale = () => localize;
/** The error with its message. */
export const worded = (error: any) => ({ ...error, message: localize(error) });
