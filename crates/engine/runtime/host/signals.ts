// Cancellation of the session as `AbortSignal`.
import { AbortController } from "../web/abort.ts";

/** A signal and the function that fires it. */
export function makeSignal(aborted: boolean): [AbortSignal, () => void] {
  const controller = new AbortController();
  if (aborted) controller.abort();
  return [controller.signal, () => controller.abort()];
}
