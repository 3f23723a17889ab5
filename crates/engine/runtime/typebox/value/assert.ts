// Errors, Assert and Parse.
import { lazyModule } from "../../internal/lazy.ts";
import { Check, checkErrors, withContext } from "../schema/api.ts";
import { current } from "../settings.ts";
import { AssertError, ParseError } from "./failures.ts";

const steps = lazyModule("typebox/value/parser.ts");

/** The errors as an array that also answers to version 0.34: `First()`, and `path` and `value` of each. */
export function Errors(...given: any[]): any[] {
  const [context, type, value] = withContext(given, 2);
  const errors = checkErrors(context, type, value)[1];
  for (const error of errors) hide(error, "path", error.instancePath);
  hide(errors, "First", () => errors[0]);
  return errors;
}
const hide = (target: unknown, name: string, value: unknown) =>
  Object.defineProperty(target, name, { value, enumerable: false, writable: true, configurable: true });

/** Throws an `AssertError` unless the value satisfies the type. */
export function Assert(...given: any[]): void {
  const [context, type, value] = withContext(given, 2);
  if (!Check(context, type, value)) throw new AssertError("Assert", value, Errors(context, type, value));
}

/** Returns the value if it satisfies the type, and throws otherwise. */
export function Parse(...given: any[]): any {
  const [context, type, value] = withContext(given, 2);
  if (Check(context, type, value)) return value;
  if (current.correctiveParse) return steps().Parser(context, type, value);
  throw new ParseError(value, Errors(context, type, value));
}
