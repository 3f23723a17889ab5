// Primitive values as `util.inspect` shows them.
import type { FullOptions } from "./options.ts";

const SHORT_ESCAPES: Record<string, string> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  "\\": "\\\\",
};

function escapeChar(char: string): string {
  const short = SHORT_ESCAPES[char];
  if (short !== undefined) return short;
  const code = char.charCodeAt(0);
  if (code > 0xff) return `\\u${code.toString(16)}`;
  if (code > 0x1f && code < 0x7f) return `\\${char}`;
  return `\\x${code.toString(16).toUpperCase().padStart(2, "0")}`;
}

const PLAIN = /^[ -&(-[\]-~]*$/;
const NEEDS_ESCAPE = /[\0-\x1f\x7f-\x9f\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A string as a literal, in the quotes that need no escape where there are such. */
export function quote(text: string): string {
  if (PLAIN.test(text)) return `'${text}'`;
  let mark = "'";
  if (text.includes("'")) {
    if (!text.includes('"')) mark = '"';
    else if (!text.includes("`") && !text.includes("${")) mark = "`";
  }
  const escaped = text.replace(NEEDS_ESCAPE, escapeChar);
  return `${mark}${mark === "'" ? escaped.replaceAll("'", "\\'") : escaped}${mark}`;
}

function groupFromRight(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, "_");
}

/** A number as JavaScript writes it, with digit groups when asked for. */
export function numberText(value: number, separators: boolean): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  if (!separators || !/^-?\d+(\.\d+)?$/.test(text)) return text;
  const [whole, fraction] = text.split(".");
  if (fraction === undefined) return groupFromRight(whole);
  return `${groupFromRight(whole)}.${fraction.replace(/(\d{3})(?=\d)/g, "$1_")}`;
}

/** A BigInt with its `n`, with digit groups when asked for. */
export function bigintText(value: bigint, separators: boolean): string {
  const text = String(value);
  return `${separators ? groupFromRight(text) : text}n`;
}

/** `n more item(s)` and the like. */
export function moreText(count: number, noun = "item"): string {
  return `... ${count} more ${noun}${count > 1 ? "s" : ""}`;
}

/** A string with limits applied: cut when too long, one literal per line when too wide. */
export function stringText(text: string, options: FullOptions, indent: number): string {
  let trailer = "";
  const max = options.maxStringLength ?? Infinity;
  if (text.length > max) {
    trailer = moreText(text.length - max, "character");
    text = text.slice(0, max);
  }
  const lines =
    options.compact !== true && text.length > 16 && text.length > options.breakLength - indent - 4
      ? text.split(/(?<=\n)/)
      : [text];
  return lines.map((line) => options.stylize(quote(line), "string")).join(` +\n${" ".repeat(indent + 2)}`) + trailer;
}

/** Any primitive value. */
export function primitiveText(value: unknown, options: FullOptions, indent: number): string {
  const { stylize } = options;
  switch (typeof value) {
    case "string":
      return stringText(value, options, indent);
    case "number":
      return stylize(numberText(value, options.numericSeparator), "number");
    case "bigint":
      return stylize(bigintText(value, options.numericSeparator), "bigint");
    case "boolean":
      return stylize(String(value), "boolean");
    case "symbol":
      return stylize(value.toString(), "symbol");
    case "undefined":
      return stylize("undefined", "undefined");
  }
  return stylize("null", "null");
}
