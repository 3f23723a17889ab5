// Turns errors of version 1 into those of version 0.34.
import { kindOf } from "../type/guards.ts";
import { Get } from "../value/pointer.ts";
import { ValueErrorType } from "./errors.ts";

const capital = (text: string) => text[0].toUpperCase() + text.slice(1);
const texts: Record<string, [string, (params: any) => string]> = {
  additionalProperties: ["ObjectAdditionalProperties", () => "Unexpected property"],
  anyOf: ["Union", () => "Expected union value"],
  const: ["Literal", ({ allowedValue }) =>
    `Expected ${typeof allowedValue === "string" ? `'${allowedValue}'` : allowedValue}`],
  contains: ["ArrayContains", () => "Expected array to contain at least one matching value"],
  enum: ["Union", () => "Expected union value"],
  exclusiveMaximum: ["NumberExclusiveMaximum", ({ limit }) => `Expected number to be less than ${limit}`],
  exclusiveMinimum: ["NumberExclusiveMinimum", ({ limit }) => `Expected number to be greater than ${limit}`],
  format: ["StringFormat", ({ format }) => `Expected string to match '${format}' format`],
  maximum: ["NumberMaximum", ({ limit }) => `Expected number to be less or equal to ${limit}`],
  minimum: ["NumberMinimum", ({ limit }) => `Expected number to be greater or equal to ${limit}`],
  maxItems: ["ArrayMaxItems", ({ limit }) => `Expected array length to be less or equal to ${limit}`],
  minItems: ["ArrayMinItems", ({ limit }) => `Expected array length to be greater or equal to ${limit}`],
  maxLength: ["StringMaxLength", ({ limit }) => `Expected string length less or equal to ${limit}`],
  minLength: ["StringMinLength", ({ limit }) => `Expected string length greater or equal to ${limit}`],
  maxProperties: ["ObjectMaxProperties", ({ limit }) => `Expected object to have no more than ${limit} properties`],
  minProperties: ["ObjectMinProperties", ({ limit }) => `Expected object to have at least ${limit} properties`],
  multipleOf: ["NumberMultipleOf", ({ multipleOf }) => `Expected number to be a multiple of ${multipleOf}`],
  not: ["Not", () => "Value should not match"],
  pattern: ["StringPattern", ({ pattern }) => `Expected string to match '${pattern}'`],
  type: ["Kind", ({ type }) => `Expected ${Array.isArray(type) ? type.join(" or ") : type}`],
  unevaluatedProperties: ["IntersectUnevaluatedProperties", () => "Unexpected property"],
  uniqueItems: ["ArrayUniqueItems", () => "Expected array elements to be unique"],
};

/** The errors of a check in the old form: `{ type, schema, path, value, message, errors }`. */
export function* legacyErrors(root: any, value: any, errors: any[]): Generator<any> {
  for (const { keyword, params, instancePath, schemaPath, message } of errors) {
    const schema = Get(root, schemaPath.replace(/^#/, "")) ?? root;
    const old = (code: string, path: string, text: string, at = schema) => ({
      type: ValueErrorType[code],
      schema: at,
      path,
      value: Get(value, path),
      message: text,
      errors: [],
    });
    if (keyword === "required") {
      for (const key of params.requiredProperties) {
        yield old("ObjectRequiredProperty", `${instancePath}/${key}`, "Expected required property", schema.properties?.[key]);
      }
    } else if (keyword === "additionalProperties") {
      for (const key of params.additionalProperties) {
        yield old("ObjectAdditionalProperties", `${instancePath}/${key}`, "Unexpected property");
      }
    } else {
      const [code, text] = texts[keyword] ?? ["Kind", () => message];
      const kind = keyword === "type" ? kindOf(schema) ?? capital(String(params.type)) : code;
      yield old(kind in ValueErrorType ? kind : code, instancePath, text(params));
    }
  }
}
