// @sinclair/typebox/errors.
import { lazyModule } from "../internal/lazy.ts";
import { checkErrors } from "./schema/api.ts";
import { ValueErrorIterator } from "./legacy/errors.ts";

export { ValueErrorIterator, ValueErrorType } from "./legacy/errors.ts";
export class ValueErrorsUnknownTypeError extends Error {}

const old = lazyModule("typebox/legacy/convert_errors.ts");
let wording: any = (error: any) => error.message;

/** The errors of a value; `references` are types found by their `$id`. */
export function Errors(schema: unknown, ...rest: any[]): ValueErrorIterator {
  const value = rest.at(-1);
  const context = rest.length > 1 ? Object.fromEntries(rest[0].map((type: any) => [type.$id, type])) : {};
  const errors = [...old().legacyErrors(schema, value, checkErrors(context, schema, value)[1])];
  return new ValueErrorIterator(errors.map((error) => ({ ...error, message: wording(error) }))[Symbol.iterator]());
}
export const DefaultErrorFunction = (error: any) => error.message;
export const SetErrorFunction = (callback: unknown) => void (wording = callback);
export const GetErrorFunction = () => wording;
