// AssertionError.
import { inspect } from "../inspect.ts";
import { validateObject } from "../validators.ts";
import { comparisonMessage } from "./message.ts";

/** What an AssertionError is made of. */
export interface AssertionDetails {
  message?: any;
  actual?: unknown;
  expected?: unknown;
  operator?: string;
  stackStartFn?: Function;
  diff?: string;
}

const custom = Symbol.for("nodejs.util.inspect.custom");

function shortened(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const lines = value.split("\n", 10);
  return lines.length > 9 ? `${lines.slice(0, 9).join("\n")}\n...` : value.length > 512 ? `${value.slice(0, 512)}...` : value;
}

/** What failed assertions throw. */
export class AssertionError extends Error {
  generatedMessage!: boolean;
  code!: string;
  actual!: unknown;
  expected!: unknown;
  operator!: string | undefined;
  diff!: string;

  constructor(options: AssertionDetails) {
    validateObject(options, "options");
    const { message, actual, expected, operator, stackStartFn, diff = "simple" } = options;
    const withDiff = operator === "strictEqual" || operator === "deepStrictEqual" || operator === "partialDeepStrictEqual";
    if (message == null) super(comparisonMessage(actual, expected, operator ?? "undefined"));
    else if (withDiff) super(comparisonMessage(actual, expected, operator!, String(message)));
    else super(String(message));
    Object.defineProperty(this, "name", { value: "AssertionError", enumerable: false, writable: true, configurable: true });
    this.generatedMessage = !message;
    this.code = "ERR_ASSERTION";
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    this.diff = diff;
    Error.captureStackTrace?.(this, stackStartFn ?? AssertionError);
    const { stack } = this;
    if (typeof stack === "string" && /^(?:AssertionError|Error):/.test(stack)) {
      const shown = stack.replace(/^(?:AssertionError|Error)/, "AssertionError [ERR_ASSERTION]");
      Object.defineProperty(this, "stack", { value: shown, enumerable: false, writable: true, configurable: true });
    }
  }

  toString(): string {
    return `${this.name} [${this.code}]: ${this.message}`;
  }

  [custom](_depth: number, options: any): string {
    const { actual, expected } = this;
    this.actual = shortened(actual);
    this.expected = shortened(expected);
    const text = inspect(this, { ...options, customInspect: false, depth: 0 });
    this.actual = actual;
    this.expected = expected;
    return text;
  }
}
