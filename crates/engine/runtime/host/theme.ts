// Colours by what they are for. Works without a terminal: a theme only makes escape sequences.
import { ops, type ThemeData } from "tau:ops";
import {
  backgroundAnsi,
  type Color as Value,
  type ColorMode,
  colorToOklch,
  foregroundAnsi,
  getTerminalColorMode,
  mixColors,
  parseColor,
} from "../pi/tui/colors/index.ts";
import { styleTextWithAnsi } from "../pi/tui/colors/style.ts";

/** A colour: what `parseColor()` reads, or the empty string for the terminal's own. */
export type Color = string | number;
type Appearance = "dark" | "light";

/** What terminals usually show where a theme leaves the colour to them. */
const TERMINAL: Record<Appearance, { text: string; background: string }> = {
  dark: { text: "#e5e5e7", background: "#000000" },
  light: { text: "#000000", background: "#ffffff" },
};
/** How far faint text is from its colour to the background, where it has to be a colour of its own. */
const FAINT = 0.4;

/** Colours that older themes lack, and which stands in for each. */
const STAND_INS: Record<string, string> = {
  scrollbarTrack: "muted",
  scrollbarThumb: "text",
  searchMatchText: "text",
  thinkingMax: "thinkingXhigh",
  searchMatchBg: "selectedBg",
};

/** The colours of a theme for one place: behind text, or of it. */
class Slots {
  readonly sequences = new Map<string, string>();
  readonly values = new Map<string, Value | undefined>();

  constructor(colors: Record<string, Color>, write: (value: Value) => string, own: string) {
    for (const [name, color] of Object.entries(colors)) {
      let value: Value | undefined;
      try {
        value = color === "" ? undefined : parseColor(color);
      } catch (error: any) {
        throw new Error(`${name}: ${error.message}`);
      }
      this.values.set(name, value);
      this.sequences.set(name, value ? write(value) : own);
    }
  }

  /** Uses another colour where this one is missing. */
  fill(name: string, other: string): void {
    if (this.sequences.has(name) || !this.sequences.has(other)) return;
    this.values.set(name, this.values.get(other));
    this.sequences.set(name, this.sequences.get(other)!);
  }

  sequence(name: string): string {
    const found = this.sequences.get(name);
    if (found === undefined) throw new Error(`Unknown theme color: ${name}`);
    return found;
  }

  /** How light the colours are together, 0 to 1. The first sixteen of the palette say nothing: terminals change them. */
  lightness(): number | undefined {
    const fixed = [...this.values.values()].filter((value) => value && !(value.kind === "indexed" && value.index < 16));
    if (fixed.length === 0) return undefined;
    return fixed.reduce((sum, value) => sum + colorToOklch(value!).l, 0) / fixed.length;
  }
}

/** Colours and styles of text. */
export class Theme {
  readonly name: string | undefined;
  readonly sourcePath: string | undefined;
  sourceInfo: any;
  private textSlots: Slots;
  private backgroundSlots: Slots;
  private mode: ColorMode;
  private faint: Set<string>;
  private ownAppearance: Appearance | undefined;
  private knownColors: Record<string, Value> | undefined;
  #given: Record<string, Color>;

  constructor(fgColors: Record<string, Color>, bgColors: Record<string, Color>, mode: ColorMode, options: any = {}) {
    this.#given = { ...fgColors, ...bgColors };
    this.name = options.name;
    this.sourcePath = options.sourcePath;
    this.sourceInfo = options.sourceInfo;
    this.mode = mode;
    this.faint = new Set(options.dim);
    this.textSlots = new Slots(fgColors, (value) => foregroundAnsi(value, mode), "\x1b[39m");
    this.backgroundSlots = new Slots(bgColors, (value) => backgroundAnsi(value, mode), "\x1b[49m");
    for (const [name, other] of Object.entries(STAND_INS)) {
      (name.endsWith("Bg") ? this.backgroundSlots : this.textSlots).fill(name, other);
    }
    this.ownAppearance = options.appearance;
  }

  /** The colours of a theme as it was made of them. */
  static given(theme: Theme): Record<string, Color> {
    return theme.#given;
  }

  /** The background that the theme is made for: what it says, else what its colours let one think. */
  get appearance(): Appearance {
    return (this.ownAppearance ??= appearanceOf(this.textSlots.lightness(), this.backgroundSlots.lightness()));
  }

  /** Every colour as a value. What is left to the terminal is what terminals of this appearance usually show. */
  get colors(): Record<string, Value> {
    if (this.knownColors) return this.knownColors;
    const [text, background] = Object.values(TERMINAL[this.appearance]).map(parseColor);
    const colors: Record<string, Value> = {};
    for (const [name, value] of this.textSlots.values) {
      const own = value ?? text;
      colors[name] = this.faint.has(name) ? mixColors(own, background, FAINT) : own;
    }
    for (const [name, value] of this.backgroundSlots.values) colors[name] = value ?? background;
    return (this.knownColors = Object.freeze(colors));
  }

  /** Text in colours, by name or as values, and styles: `{fg, bg, bold, dim, italic, underline, inverse, …}`. */
  style(text: string, options: any): string {
    const { fg, bg } = options;
    const isFaint = typeof fg === "string" && this.faint.has(fg);
    const on = typeof fg === "string" ? this.textSlots.sequence(fg) : fg && foregroundAnsi(fg, this.mode);
    const behind =
      typeof bg === "string" ? this.backgroundSlots.sequence(bg) : bg && backgroundAnsi(bg, this.mode);
    return styleTextWithAnsi(text, on, behind, isFaint ? { ...options, dim: true } : options);
  }

  /** Text in a colour. */
  fg(color: string, text: string): string {
    const on = this.textSlots.sequence(color);
    return this.faint.has(color) ? `${on}\x1b[2m${text}\x1b[22;39m` : `${on}${text}\x1b[39m`;
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

  /** What switches the colour on; for faint colours that too. */
  getFgAnsi(color: string): string {
    const on = this.textSlots.sequence(color);
    return this.faint.has(color) ? `${on}\x1b[2m` : on;
  }

  /** What switches the background on. */
  getBgAnsi(color: string): string {
    return this.backgroundSlots.sequence(color);
  }

  getColorMode(): ColorMode {
    return this.mode;
  }

  /** The editor's border while the model thinks that much. */
  getThinkingBorderColor(level: string): (text: string) => string {
    const name = `thinking${level.charAt(0).toUpperCase()}${level.slice(1)}`;
    return (text) => this.fg(this.textSlots.sequences.has(name) ? name : "thinkingOff", text);
  }

  /** The editor's border while a command is typed. */
  getBashModeBorderColor(): (text: string) => string {
    return (text) => this.fg("bashMode", text);
  }
}

/** The background that colours of this lightness are meant for. */
function appearanceOf(text: number | undefined, background: number | undefined): Appearance {
  if (background !== undefined) return background < (text ?? 0.5) ? "dark" : "light";
  return text === undefined || text > 0.5 ? "dark" : "light";
}

/** The theme that counts now, and the number tau knows it by. */
let current: Theme | undefined;
let serial = 0;

/** A theme of tau's as an object. */
export function themeFrom(data: ThemeData): Theme {
  return new Theme(data.fg, data.bg, getTerminalColorMode(), {
    name: data.name,
    sourcePath: data.path ?? undefined,
    sourceInfo: data.sourceInfo ?? undefined,
    appearance: data.appearance ?? undefined,
  });
}

function builtin(name: string): Theme {
  return themeFrom(ops.builtinTheme(name)!);
}

/** The number of the theme that counts now. */
export function currentSerial(): number {
  return serial;
}

/** Takes over the theme that the session uses. */
export function useTheme(data: ThemeData): void {
  current = themeFrom(data);
  serial = data.serial;
}

/** Makes a built-in theme the current one, until the session uses another: `dark`, or `light` by name. */
export function initTheme(name?: string, _watch?: boolean): void {
  current = builtin(name === "light" ? "light" : "dark");
}

/** Makes a theme the current one, for everything that is drawn; gives why that cannot be. */
export function showTheme(id: number, call: number, theme: Theme): string | undefined {
  const shown = ops.uiShowTheme(id, call, theme.name, theme.appearance, Theme.given(theme));
  if (typeof shown === "string") return shown;
  current = theme;
  serial = shown;
  return undefined;
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
