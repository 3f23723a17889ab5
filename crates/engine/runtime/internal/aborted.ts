// What an operation does with the signal that ended it.
import { AbortError } from "./errors.ts";

/** The error of an operation whose signal aborted with `reason`. */
export function abortError(reason?: unknown): Error {
  return new AbortError(undefined, reason === undefined ? undefined : { cause: reason });
}
