// util.format: printf-like text.
import { inspect } from "./inspect.ts";
import { bigintText, numberText } from "./inspect/primitives.ts";
import { isNativeError } from "../node/util/types.ts";

type Options = Record<string, any>;

function numberOf(value: unknown, options: Options): string {
  return numberText(value as number, Boolean(options.numericSeparator));
}

// Whether `%s` should call the object's own toString rather than inspect it.
function hasOwnText(value: any): boolean {
  if (typeof value.toString !== "function") return false;
  if (Object.prototype.hasOwnProperty.call(value, "toString")) return true;
  if (value[Symbol.toPrimitive] !== undefined && typeof value[Symbol.toPrimitive] === "function") {
    // Dates convert as strings, but show as inspect shows them.
    if (!(value instanceof Date)) return true;
  }
  // A class of the program that defines toString counts, built-in classes do not.
  let proto = value;
  do proto = Object.getPrototypeOf(proto);
  while (proto !== null && !Object.prototype.hasOwnProperty.call(proto, "toString"));
  const constructor = proto === null ? undefined : Object.getOwnPropertyDescriptor(proto, "constructor")?.value;
  if (typeof constructor !== "function") return false;
  const { name } = constructor;
  return (globalThis as any)[name] !== constructor || isNativeError(value);
}

function asString(value: any, options: Options): string {
  if (typeof value === "number") return numberOf(value, options);
  if (typeof value === "bigint") return bigintText(value, Boolean(options.numericSeparator));
  if (typeof value !== "object" || value === null) return String(value);
  if (hasOwnText(value)) return String(value);
  return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
}

function asInteger(value: any, options: Options): string {
  if (typeof value === "bigint") return bigintText(value, Boolean(options.numericSeparator));
  if (typeof value === "symbol") return numberOf(NaN, options);
  return numberOf(Number.parseInt(value), options);
}

function asNumber(value: any, options: Options): string {
  if (typeof value === "bigint") return bigintText(value, Boolean(options.numericSeparator));
  if (typeof value === "symbol" || typeof value === "object") return numberOf(typeof value === "symbol" ? NaN : Number(value), options);
  return numberOf(Number(value), options);
}

function asJson(value: unknown): string {
  try {
    return String(JSON.stringify(value));
  } catch (error: any) {
    // Engines word the complaint about cycles differently; all mention it.
    if (/circular|cyclic/i.test(String(error?.message))) return "[Circular]";
    throw error;
  }
}

function directive(char: string, value: any, options: Options): string | undefined {
  switch (char) {
    case "s":
      return asString(value, options);
    case "d":
      return asNumber(value, options);
    case "i":
      return asInteger(value, options);
    case "f":
      return numberOf(typeof value === "symbol" ? NaN : Number.parseFloat(value), options);
    case "j":
      return asJson(value);
    case "o":
      return inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 });
    case "O":
      return inspect(value, options);
    case "c":
      return "";
  }
  return undefined;
}

/** `util.format` with inspect options for the parts that are inspected. */
export function formatValues(options: Options, args: readonly any[]): string {
  const first = args[0];
  if (args.length === 1) return typeof first === "string" ? first : inspect(first, options);
  let used = 0;
  let text = "";
  if (typeof first === "string") {
    used = 1;
    let from = 0;
    for (let i = first.indexOf("%"); i !== -1 && i < first.length - 1; i = first.indexOf("%", i + 1)) {
      const char = first[i + 1];
      let shown: string | undefined;
      if (char === "%") shown = "%";
      else if (used < args.length) shown = directive(char, args[used], options);
      if (shown === undefined) continue;
      if (char !== "%") used++;
      text += first.slice(from, i) + shown;
      from = i + 2;
      i++;
    }
    text += first.slice(from);
  }
  for (let i = used; i < args.length; i++) {
    const value = args[i];
    if (i > 0) text += " ";
    text += typeof value === "string" ? value : inspect(value, options);
  }
  return text;
}
