// Puts rendered parts together: on one line, in columns, or one per line.
import type { FullOptions } from "./options.ts";
import { textWidth } from "./width.ts";

/** Everything that layout needs to know about a rendered object. */
export interface Rendered {
  /** What stands before the opening brace, such as `[Function: x]`. */
  base: string;
  open: string;
  close: string;
  /** The entries in order. */
  parts: string[];
  /** Whether the entries are elements that may share lines in columns. */
  list: boolean;
  /** The elements themselves, to align numbers. */
  elements: unknown;
  /** How many levels of objects the entries hold. */
  nesting: number;
}

const SEPARATOR = 2;

// Short entries of long lists go into columns. The number of columns aims at a block that looks
// about 2.5 times as wide as high, and every column is as wide as its widest entry.
function columns(parts: string[], options: FullOptions, indent: number, elements: unknown): string[] {
  const capped = (options.maxArrayLength ?? Infinity) < parts.length;
  const count = capped ? parts.length - 1 : parts.length;
  const widths = parts.slice(0, count).map((part) => textWidth(part));
  const widest = Math.max(...widths) + SEPARATOR;
  const total = widths.reduce((sum, width) => sum + width + SEPARATOR, 0);
  const fits = widest * 3 + indent < options.breakLength;
  const even = total / widest > 5 || widest - SEPARATOR <= 6;
  if (!fits || !even) return parts;
  const bias = Math.sqrt(widest - total / parts.length);
  const width = Math.max(widest - 3 - bias, 1);
  const perRow = Math.min(
    Math.round(Math.sqrt(2.5 * width * count) / width),
    Math.floor((options.breakLength - indent) / widest),
    (options.compact as number) * 4,
    15,
  );
  if (perRow <= 1) return parts;
  const columnWidths: number[] = [];
  for (let column = 0; column < perRow; column++) {
    let max = 0;
    for (let i = column; i < count; i += perRow) max = Math.max(max, widths[i]);
    columnWidths.push(max + SEPARATOR);
  }
  const values = elements as any[] | undefined;
  const numeric =
    values !== undefined && parts.every((_, i) => typeof values[i] === "number" || typeof values[i] === "bigint");
  const rows: string[] = [];
  for (let start = 0; start < count; start += perRow) {
    const end = Math.min(start + perRow, count);
    let row = "";
    for (let i = start; i < end; i++) {
      const last = i === end - 1;
      const cell = last ? parts[i] : `${parts[i]}, `;
      const room = columnWidths[i - start] - (last ? SEPARATOR : 0);
      const gap = " ".repeat(Math.max(room - widths[i] - (last ? 0 : SEPARATOR), 0));
      if (numeric) row += gap + cell;
      else row += last ? cell : cell + gap;
    }
    rows.push(row);
  }
  if (capped) rows.push(parts[count]);
  return rows;
}

function fitsOneLine(parts: string[], used: number, options: FullOptions, base: string): boolean {
  let length = parts.length + used;
  if (length + parts.length > options.breakLength) return false;
  for (const part of parts) {
    length += options.colors ? textWidthWithoutColor(part) : part.length;
    if (length > options.breakLength) return false;
  }
  return base === "" || !base.includes("\n");
}

function textWidthWithoutColor(text: string): number {
  return text.replace(/\u001b\[\d\d?m/g, "").length;
}

/** The final text of an object. */
export function layOut(rendered: Rendered, options: FullOptions, indent: number): string {
  const { base, open, close, nesting } = rendered;
  let { parts } = rendered;
  const newline = `\n${" ".repeat(indent)}`;
  if (options.compact === true) {
    if (fitsOneLine(parts, 0, options, base)) {
      return `${open}${base ? ` ${base}` : ""} ${parts.join(", ")} ${close}`;
    }
    const start = base === "" && open.length === 1 ? " " : `${base ? ` ${base}` : ""}${newline}  `;
    return `${open}${start}${parts.join(`,${newline}  `)} ${close}`;
  }
  const prefix = base ? `${base} ` : "";
  if (typeof options.compact === "number" && options.compact >= 1) {
    const count = parts.length;
    if (rendered.list && count > 6) parts = columns(parts, options, indent, rendered.elements);
    if (nesting < options.compact && count === parts.length) {
      // The innermost levels share a line when everything fits.
      const used = parts.length + indent + open.length + base.length + 10;
      if (fitsOneLine(parts, used, options, base)) {
        const joined = parts.join(", ");
        if (!joined.includes("\n")) return `${prefix}${open} ${joined} ${close}`;
      }
    }
  }
  return `${prefix}${open}${newline}  ${parts.join(`,${newline}  `)}${newline}${close}`;
}
