// What goes wrong with models and providers.
import { formatThrownValue } from "./diagnostics.ts";

/** An error of a provider or of a collection of models; its message names the cause. */
export class ModelsError extends Error {
  code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    const cause = options?.cause;
    const detail = cause === undefined || cause === null ? "" : formatThrownValue(cause).trim();
    super(detail === "" || message.includes(detail) ? message : `${message}: ${detail}`, options);
    this.name = "ModelsError";
    this.code = code;
  }
}
