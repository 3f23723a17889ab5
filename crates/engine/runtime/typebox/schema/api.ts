// Check and Errors as `typebox/schema` and `typebox/value` both use them. Every function takes an
// optional context (schemas by name) before the schema.
import { findErrors, isValid } from "./check.ts";
import { worded } from "./messages.ts";

/**
 * Splits `(schema, …rest)` or `(context, schema, …rest)`, `count` being the shorter number. Version
 * 0.34's `(schema, references, value)` is understood too.
 */
export function withContext(given: any[], count: number): any[] {
  if (given.length <= count) return [{}, ...given];
  if (!Array.isArray(given[1])) return given;
  const [schema, references, ...rest] = given;
  return [Object.fromEntries(references.map((type: any) => [type.$id, type])), schema, ...rest];
}

/** Whether a value satisfies a schema. */
export function Check(...given: any[]): boolean {
  const [context, schema, value] = withContext(given, 2);
  return isValid(context, schema, value);
}

/** The outcome and the worded errors. */
export function checkErrors(context: unknown, schema: unknown, value: unknown): [boolean, any[]] {
  const [passed, errors] = findErrors(context, schema, value);
  return [passed, errors.map(worded)];
}
