// console.table.
import { inspect } from "./inspect.ts";
import { textWidth } from "./inspect/width.ts";

function cell(value: unknown): string {
  const depth = value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0;
  return inspect(value, { maxArrayLength: 3, breakLength: Infinity, depth });
}

function row(cells: string[], widths: number[]): string {
  const padded = cells.map((text, i) => ` ${text}${" ".repeat(widths[i] - textWidth(text) - 1)}`);
  return `│${padded.join("│")}│`;
}

function draw(head: string[], rows: string[][]): string {
  const widths = head.map((text, i) => Math.max(textWidth(text), ...rows.map((cells) => textWidth(cells[i]))) + 2);
  const line = (left: string, middle: string, right: string): string =>
    left + widths.map((width) => "─".repeat(width)).join(middle) + right;
  return [
    line("┌", "┬", "┐"),
    row(head, widths),
    line("├", "┼", "┤"),
    ...rows.map((cells) => row(cells, widths)),
    line("└", "┴", "┘"),
  ].join("\n");
}

/** Tabular data as a table with lines around its cells. */
export function tableText(data: any, columns?: string[]): string {
  if (data instanceof Map) {
    const rows = [...data].map(([key, value], i) => [String(i), cell(key), cell(value)]);
    return draw(["(iteration index)", "Key", "Values"], rows);
  }
  const isSet = data instanceof Set;
  const entries: [string, unknown][] = isSet
    ? [...data].map((value, i) => [String(i), value])
    : Object.keys(data).map((key) => [key, data[key]]);
  const names: string[] = columns === undefined ? [] : [...columns];
  let hasValues = false;
  for (const [, value] of entries) {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) hasValues = true;
    else if (columns === undefined) for (const key of Object.keys(value)) if (!names.includes(key)) names.push(key);
  }
  const rows = entries.map(([key, value]) => {
    const primitive = value === null || (typeof value !== "object" && typeof value !== "function");
    const cells = names.map((name) => (!primitive && Object.hasOwn(value as object, name) ? cell((value as any)[name]) : ""));
    return [key, ...cells, ...(hasValues ? [primitive ? cell(value) : ""] : [])];
  });
  return draw([isSet ? "(iteration index)" : "(index)", ...names, ...(hasValues ? ["Values"] : [])], rows);
}
