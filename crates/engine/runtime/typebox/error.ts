// typebox/error: tests for error objects.
const has = (value: any, name: string, type: string) => Object.hasOwn(value, name) && typeof value[name] === type;

export const IsValidationError = (value: any): boolean =>
  typeof value === "object" &&
  value !== null &&
  ["keyword", "schemaPath", "instancePath"].every((name) => has(value, name, "string")) &&
  has(value, "params", "object") &&
  value.params !== null;
export const IsLocalizedValidationError = (value: any): boolean =>
  IsValidationError(value) && has(value, "message", "string");
