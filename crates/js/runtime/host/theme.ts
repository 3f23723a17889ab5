// Colours by what they are for. Works without a terminal: a theme only makes escape sequences.
import { ops } from "tau:ops";

/** A colour: `#rrggbb`, a number of the palette of 256, or the empty string for the terminal's own. */
export type Color = string | number;
type Mode = "truecolor" | "256color";

/** Colours that older themes lack, and which stands in for each. */
const STAND_INS: Record<string, string> = {
  scrollbarTrack: "muted",
  scrollbarThumb: "text",
  searchMatchText: "text",
  thinkingMax: "thinkingXhigh",
  searchMatchBg: "selectedBg",
};

/** Colours and styles of text. */
export class Theme {
  readonly name: string | undefined;
  readonly sourcePath: string | undefined;
  sourceInfo: any;
  private fgColors: Map<string, string>;
  private bgColors: Map<string, string>;
  private mode: Mode;

  constructor(fgColors: Record<string, Color>, bgColors: Record<string, Color>, mode: Mode, options: any = {}) {
    this.name = options.name;
    this.sourcePath = options.sourcePath;
    this.sourceInfo = options.sourceInfo;
    this.mode = mode;
    this.fgColors = sequences(fgColors, 38, mode);
    this.bgColors = sequences(bgColors, 48, mode);
    for (const [name, other] of Object.entries(STAND_INS)) {
      const colors = name.endsWith("Bg") ? this.bgColors : this.fgColors;
      const instead = colors.get(other);
      if (!colors.has(name) && instead !== undefined) colors.set(name, instead);
    }
  }

  /** Text in a colour. */
  fg(color: string, text: string): string {
    return `${this.getFgAnsi(color)}${text}\x1b[39m`;
  }

  /** Text on a colour. */
  bg(color: string, text: string): string {
    return `${this.getBgAnsi(color)}${text}\x1b[49m`;
  }

  bold(text: string): string {
    return `\x1b[1m${text}\x1b[22m`;
  }

  italic(text: string): string {
    return `\x1b[3m${text}\x1b[23m`;
  }

  underline(text: string): string {
    return `\x1b[4m${text}\x1b[24m`;
  }

  inverse(text: string): string {
    return `\x1b[7m${text}\x1b[27m`;
  }

  strikethrough(text: string): string {
    return `\x1b[9m${text}\x1b[29m`;
  }

  /** What switches the colour on. */
  getFgAnsi(color: string): string {
    const found = this.fgColors.get(color);
    if (found === undefined) throw new Error(`Unknown theme color: ${color}`);
    return found;
  }

  /** What switches the background on. */
  getBgAnsi(color: string): string {
    const found = this.bgColors.get(color);
    if (found === undefined) throw new Error(`Unknown theme background color: ${color}`);
    return found;
  }

  getColorMode(): Mode {
    return this.mode;
  }

  /** The editor's border while the model thinks that much. */
  getThinkingBorderColor(level: string): (text: string) => string {
    const name = `thinking${level.charAt(0).toUpperCase()}${level.slice(1)}`;
    return (text) => this.fg(this.fgColors.has(name) ? name : "thinkingOff", text);
  }

  /** The editor's border while a command is typed. */
  getBashModeBorderColor(): (text: string) => string {
    return (text) => this.fg("bashMode", text);
  }
}

function sequences(colors: Record<string, Color>, base: 38 | 48, mode: Mode): Map<string, string> {
  return new Map(Object.entries(colors).map(([name, color]) => [name, sequence(name, color, base, mode)]));
}

function sequence(name: string, color: Color, base: 38 | 48, mode: Mode): string {
  if (color === "") return `\x1b[${base + 1}m`;
  if (typeof color === "number") return `\x1b[${base};5;${color}m`;
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
  if (!match) throw new Error(`Invalid color value of ${name}: ${color}`);
  const rgb = match.slice(1).map((part) => parseInt(part, 16));
  return mode === "truecolor" ? `\x1b[${base};2;${rgb.join(";")}m` : `\x1b[${base};5;${nearest(rgb)}m`;
}

const CUBE = [0, 95, 135, 175, 215, 255];

/** The nearest of the 240 fixed colours of a terminal. */
function nearest(rgb: number[]): number {
  const steps = rgb.map((value) => closest(CUBE, value));
  const grays = Array.from({ length: 24 }, (_, index) => 8 + index * 10);
  const gray = closest(grays, (rgb[0] + rgb[1] + rgb[2]) / 3);
  const distance = (other: number[]) =>
    0.3 * (rgb[0] - other[0]) ** 2 + 0.59 * (rgb[1] - other[1]) ** 2 + 0.11 * (rgb[2] - other[2]) ** 2;
  const inCube = distance(steps.map((step) => CUBE[step]));
  const inGrays = distance([grays[gray], grays[gray], grays[gray]]);
  // A colour with a hue keeps it, even where a gray is as bright.
  const hue = Math.max(...rgb) - Math.min(...rgb) >= 10;
  if (!hue && inGrays < inCube) return 232 + gray;
  return 16 + 36 * steps[0] + 6 * steps[1] + steps[2];
}

function closest(values: number[], wanted: number): number {
  let best = 0;
  for (let at = 1; at < values.length; at++) {
    if (Math.abs(values[at] - wanted) < Math.abs(values[best] - wanted)) best = at;
  }
  return best;
}

/** How many colours the terminal shows, as far as the environment tells. */
function colorMode(): Mode {
  const colors = ops.envGet("COLORTERM") ?? "";
  if (colors === "truecolor" || colors === "24bit" || ops.envGet("WT_SESSION")) return "truecolor";
  const term = ops.envGet("TERM") ?? "";
  const poor = term === "" || term === "dumb" || term === "linux" || term.startsWith("screen");
  return poor || ops.envGet("TERM_PROGRAM") === "Apple_Terminal" ? "256color" : "truecolor";
}

/** The theme that counts now, and the number tau knows it by. */
let current: Theme | undefined;
let serial = 0;

/** A theme of tau's as an object. */
export function themeFrom(data: any): Theme {
  return new Theme(data.fg, data.bg, colorMode(), {
    name: data.name,
    sourcePath: data.path ?? undefined,
    sourceInfo: data.sourceInfo ?? undefined,
  });
}

function builtin(name: string): Theme {
  return themeFrom(ops.builtinTheme(name));
}

/** The number of the theme that counts now. */
export function currentSerial(): number {
  return serial;
}

/** Takes over the theme that the session uses. */
export function useTheme(data: any): void {
  current = themeFrom(data);
  serial = data.serial;
}

/** Makes a built-in theme the current one, until the session uses another: `dark`, or `light` by name. */
export function initTheme(name?: string, _watch?: boolean): void {
  current = builtin(name === "light" ? "light" : "dark");
}

/** Makes a theme the current one, until the session uses another. */
export function setThemeInstance(theme: Theme): void {
  current = theme;
}

/** The current theme; what was kept of it follows when another becomes current. */
export const theme: any = new Proxy(Object.create(Theme.prototype), {
  get(_, key) {
    const now: any = (current ??= builtin("dark"));
    const value = now[key];
    return typeof value === "function" ? value.bind(now) : value;
  },
});

/** Whether a value is a theme. */
export function isTheme(value: unknown): boolean {
  return value instanceof Theme;
}
