// The messages of failed comparisons.
import { inspect } from "../inspect.ts";
import { diffLists } from "../util/diff.ts";

const TITLES: Record<string, string> = {
  deepStrictEqual: "Expected values to be strictly deep-equal:",
  partialDeepStrictEqual: "Expected values to be partially and strictly deep-equal:",
  strictEqual: "Expected values to be strictly equal:",
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: "Expected values to be loosely deep-equal:",
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  notIdentical: "Values have same structure but are not reference-equal:",
};

// Pairs of values this short are shown on one line.
const SHORT = 12;
const MAX_LINES = 50;
const CONTEXT = 5;
const WIDTH = 80;

/** A value in full, one property per line. */
export function show(value: unknown): string {
  return inspect(value instanceof Error ? withoutStack(value) : value, {
    compact: false,
    customInspect: false,
    depth: 1000,
    maxArrayLength: Infinity,
    showHidden: false,
    showProxy: false,
    sorted: true,
    getters: true,
    breakLength: Infinity,
  });
}

// The lines of a call stack say nothing about what differs.
function withoutStack(error: any): object {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(error)), error);
  for (const key of ["message", "cause"]) {
    if (!Object.hasOwn(error, key)) continue;
    Object.defineProperty(copy, key, { value: error[key], enumerable: false, writable: true, configurable: true });
  }
  return Object.defineProperty(copy, "stack", { value: undefined, writable: true, configurable: true });
}

function isReference(value: unknown): boolean {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

// Whether two lines differ in no more than the comma at the end.
function sameLine(a: string, b: string): boolean {
  return a === b || `${a},` === b || a === `${b},`;
}

function diffText(actual: string[], expected: string[], alike: boolean): { text: string; skipped: boolean } {
  const steps = diffLists(actual, expected, alike ? () => false : sameLine);
  const lines: string[] = [];
  let skipped = false;
  for (let i = 0; i < steps.length; ) {
    const [kind, line] = steps[i];
    if (kind !== 0) {
      lines.push(`${kind === 1 ? "+" : "-"} ${line}`);
      i++;
      continue;
    }
    let end = i;
    while (end < steps.length && steps[end][0] === 0) end++;
    const shown = steps.slice(i, end).map((step) => `  ${step[1]}`);
    // A common line that ends in the middle of the other list has a comma there.
    if (end < steps.length && !/[,[{(]$/.test(shown[shown.length - 1]) && /^\s*[^\s\]})]/.test(steps[end][1])) {
      shown[shown.length - 1] += ",";
    }
    if (shown.length > CONTEXT + 2) {
      skipped = true;
      const tail = end < steps.length ? shown.slice(-1) : [];
      lines.push(...shown.slice(0, CONTEXT), "...", ...tail);
    } else lines.push(...shown);
    i = end;
  }
  if (lines.length > MAX_LINES) {
    skipped = true;
    lines.splice(MAX_LINES, lines.length, "...");
  }
  return { text: lines.join("\n"), skipped };
}

function comparison(actual: unknown, expected: unknown, operator: string, custom: string | undefined): string {
  const left = show(actual);
  const right = show(expected);
  const leftLines = left.split("\n");
  const rightLines = right.split("\n");
  let title = TITLES[operator] ?? TITLES.strictEqual;
  if (operator === "strictEqual" && isReference(actual) && isReference(expected)) {
    title = left === right ? TITLES.notIdentical : TITLES.strictEqualObject;
    if (left === right) {
      if (leftLines.length > MAX_LINES) leftLines.splice(MAX_LINES - 4, leftLines.length, "...");
      return `${custom ?? title}\n\n${leftLines.join("\n")}\n`;
    }
  }
  const head = custom ?? title;
  const simple = leftLines.length === 1 && rightLines.length === 1 && left !== right;
  let pointer = "";
  if (simple) {
    const quotes = (typeof actual === "string" ? 2 : 0) + (typeof expected === "string" ? 2 : 0);
    const length = left.length + right.length - quotes;
    const primitive = !isReference(actual) && !isReference(expected);
    if (length <= SHORT && primitive && (actual !== 0 || expected !== 0)) return `${head}\n\n${left} !== ${right}\n`;
    if (length < WIDTH && primitive && operator !== "deepEqual") {
      let same = 0;
      while (left[same] === right[same]) same++;
      if (same > 2) pointer = `\n${" ".repeat(same + 2)}^`;
    }
  }
  const { text, skipped } = diffText(leftLines, rightLines, left === right);
  return `${head}\n+ actual - expected${skipped ? "\n... Skipped lines" : ""}\n\n${text}${pointer}\n`;
}

function cut(text: string, lines = MAX_LINES): string {
  const parts = text.split("\n");
  return parts.length > lines ? [...parts.slice(0, lines - 4), "..."].join("\n") : text;
}

/** The generated message for a failed `operator`; `custom` replaces its first line in diffs. */
export function comparisonMessage(actual: unknown, expected: unknown, operator: string, custom?: string): string {
  switch (operator) {
    case "deepStrictEqual":
    case "strictEqual":
    case "partialDeepStrictEqual":
    case "throws":
      return comparison(actual, expected, operator === "throws" ? "deepStrictEqual" : operator, custom);
    case "notDeepStrictEqual":
    case "notStrictEqual":
    case "notDeepEqual": {
      const title = operator === "notStrictEqual" && isReference(actual) ? TITLES.notStrictEqualObject : TITLES[operator];
      const text = cut(show(actual));
      return text.includes("\n") ? `${title}\n\n${text}\n` : `${title} ${text}`;
    }
    case "deepEqual":
      return `${TITLES.deepEqual}\n\n${cut(show(actual))}\n\nshould loosely deep-equal\n\n${cut(show(expected))}`;
  }
  return `${cut(show(actual))} ${operator} ${cut(show(expected))}`;
}
