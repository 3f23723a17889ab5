// Options and colours of `util.inspect`.

/** The options of `util.inspect`, as a caller may give them. */
export interface InspectOptions {
  showHidden?: boolean;
  depth?: number | null;
  colors?: boolean;
  customInspect?: boolean;
  showProxy?: boolean;
  maxArrayLength?: number | null;
  maxStringLength?: number | null;
  breakLength?: number;
  compact?: boolean | number;
  sorted?: boolean | ((left: string, right: string) => number);
  getters?: boolean | "get" | "set";
  numericSeparator?: boolean;
  stylize?: (text: string, style: string) => string;
  [extra: string]: unknown;
}

/** What applies where a call says nothing. */
export const defaults = {
  showHidden: false,
  depth: 2 as number | null,
  colors: false,
  customInspect: true,
  showProxy: false,
  maxArrayLength: 100 as number | null,
  maxStringLength: 10000 as number | null,
  breakLength: 80,
  compact: 3 as boolean | number,
  sorted: false as InspectOptions["sorted"],
  getters: false as InspectOptions["getters"],
  numericSeparator: false,
};

/** The options with nothing left open. */
export type FullOptions = typeof defaults & { stylize: (text: string, style: string) => string };

/** The name under which an object offers its own rendering. */
export const custom = Symbol.for("nodejs.util.inspect.custom");

const FOREGROUND = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const EFFECTS: [string, number, number][] = [
  ["reset", 0, 0],
  ["bold", 1, 22],
  ["dim", 2, 22],
  ["italic", 3, 23],
  ["underline", 4, 24],
  ["blink", 5, 25],
  ["inverse", 7, 27],
  ["hidden", 8, 28],
  ["strikethrough", 9, 29],
  ["doubleunderline", 21, 24],
];
const ALIASES: [string, string][] = [
  ["grey", "gray"],
  ["blackBright", "gray"],
  ["bgGrey", "bgGray"],
  ["bgBlackBright", "bgGray"],
  ["faint", "dim"],
  ["crossedout", "strikethrough"],
  ["strikeThrough", "strikethrough"],
  ["crossedOut", "strikethrough"],
  ["conceal", "hidden"],
  ["swapColors", "inverse"],
  ["swapcolors", "inverse"],
  ["doubleUnderline", "doubleunderline"],
];

function capitalized(word: string): string {
  return word[0].toUpperCase() + word.slice(1);
}

function buildColors(): Record<string, [number, number]> {
  const colors: Record<string, [number, number]> = Object.create(null);
  for (const [name, open, close] of EFFECTS) colors[name] = [open, close];
  const row = (prefix: string, suffix: string, first: number, close: number): void => {
    FOREGROUND.forEach((name, index) => {
      const word = suffix !== "" && index === 0 ? "gray" : `${name}${suffix}`;
      colors[prefix === "" ? word : `${prefix}${capitalized(word)}`] = [first + index, close];
    });
  };
  row("", "", 30, 39);
  row("bg", "", 40, 49);
  colors.framed = [51, 54];
  colors.overlined = [53, 55];
  row("", "Bright", 90, 39);
  row("bg", "Bright", 100, 49);
  for (const [alias, target] of ALIASES) {
    Object.defineProperty(colors, alias, {
      enumerable: false,
      configurable: true,
      get: () => colors[target],
      set(value) {
        colors[target] = value;
      },
    });
  }
  return colors;
}

let colorTable: Record<string, [number, number]> | undefined;

/** Colour and effect names with their opening and closing SGR numbers. */
export function colorCodes(): Record<string, [number, number]> {
  return (colorTable ??= buildColors());
}

/** Lets `util.inspect.colors = …` replace the table. */
export function setColorCodes(table: Record<string, [number, number]>): void {
  colorTable = table;
}

/** Which colour each kind of value has. */
export const styles: Record<string, string> = Object.assign(Object.create(null), {
  special: "cyan",
  number: "yellow",
  bigint: "yellow",
  boolean: "yellow",
  undefined: "grey",
  null: "bold",
  string: "green",
  symbol: "green",
  date: "magenta",
  regexp: "red",
  module: "underline",
});

/** `text` in the colour of `style`. */
export function withColor(text: string, style: string): string {
  const codes = styles[style] === undefined ? undefined : colorCodes()[styles[style]];
  return codes === undefined ? text : `\u001b[${codes[0]}m${text}\u001b[${codes[1]}m`;
}

/** `text` as it is. */
export function withoutColor(text: string): string {
  return text;
}
