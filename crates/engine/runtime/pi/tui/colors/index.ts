// Colours as values: made, read, mixed, and written for a terminal.
import { hasTrueColor } from "../capabilities.ts";
import { degrees, labOf, labOfOkhsl, okhslLightness, okhslOf, screenOf } from "./oklab.ts";
import { nearestIndexed, rgbOfIndexed } from "./palette.ts";

/** What a terminal shows: every colour, or the palette of 256. */
export type ColorMode = "truecolor" | "256color";
/** A colour. */
export type Color =
  | { kind: "rgb"; r: number; g: number; b: number }
  | { kind: "indexed"; index: number }
  | { kind: "oklch"; l: number; c: number; h: number };

function within(name: string, value: number, most: number): number {
  if (!Number.isFinite(value)) throw new Error(`${name} must be finite`);
  if (value < 0 || value > most) throw new Error(`${name} must be between 0 and ${most}: ${value}`);
  return value;
}

function hue(value: number): number {
  if (!Number.isFinite(value)) throw new Error("h must be finite");
  return ((value % 360) + 360) % 360;
}

/** A colour of red, green and blue, each 0 to 255. */
export function rgbColor(r: number, g: number, b: number): Color {
  const part = (name: string, value: number) => Math.round(within(name, value, 255));
  return { kind: "rgb", r: part("r", r), g: part("g", g), b: part("b", b) };
}

/** A colour of the palette of 256. */
export function indexedColor(index: number): Color {
  if (!Number.isInteger(index) || index < 0 || index > 255) {
    throw new Error(`ANSI color index must be an integer from 0 to 255: ${index}`);
  }
  return { kind: "indexed", index };
}

/** A colour of lightness (0 to 1), chroma and hue (degrees). */
export function oklchColor(l: number, c: number, h: number): Color {
  within("l", l, 1);
  if (!Number.isFinite(c)) throw new Error("c must be finite");
  if (c < 0) throw new Error(`c must not be negative: ${c}`);
  return { kind: "oklch", l, c, h: hue(h) };
}

/** A colour of hue (degrees), saturation and lightness (0 to 1), within what screens show. */
export function okhslColor(h: number, s: number, l: number): Color {
  return { kind: "rgb", ...named(screenOf(labOfOkhsl(hue(h), within("s", s, 1), within("l", l, 1)))) };
}

const named = ([r, g, b]: number[]) => ({ r, g, b });

/** Reads `#rrggbb`, `#rgb`, a number of the palette, `oklch(L C H)` or `okhsl(H S L)`. */
export function parseColor(value: string | number): Color {
  if (typeof value === "number") return indexedColor(value);
  const invalid = () => new Error(`Invalid color value: ${value}`);
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value)?.[1];
  if (hex) {
    const parts = hex.length === 3 ? [...hex].map((digit) => digit + digit) : hex.match(/../g)!;
    return { kind: "rgb", ...named(parts.map((part) => parseInt(part, 16))) };
  }
  const call = /^(oklch|okhsl)\(\s*(\S+)\s+(\S+)\s+(\S+?)\s*\)$/i.exec(value);
  if (!call) throw invalid();
  const number = (text: string, angle: boolean) => {
    const match = (angle ? /^([+-]?(?:\d+\.?\d*|\.\d+))(deg)?$/i : /^([+-]?(?:\d+\.?\d*|\.\d+))(%)?$/).exec(text);
    if (!match) throw invalid();
    return !angle && match[2] ? Number(match[1]) / 100 : Number(match[1]);
  };
  const [, name, ...texts] = call;
  if (name.toLowerCase() === "oklch") {
    return oklchColor(number(texts[0], false), number(texts[1], false), number(texts[2], true));
  }
  return okhslColor(number(texts[0], true), number(texts[1], false), number(texts[2], false));
}

/** Red, green and blue, each 0 to 255. */
export function colorToRgb(color: Color): { r: number; g: number; b: number } {
  if (color.kind === "indexed") return named(rgbOfIndexed(color.index));
  if (color.kind === "oklch") return named(screenOf(labOfLch(color)));
  return { r: color.r, g: color.g, b: color.b };
}

function labOfLch({ l, c, h }: { l: number; c: number; h: number }): [number, number, number] {
  const angle = (h * Math.PI) / 180;
  return [l, c * Math.cos(angle), c * Math.sin(angle)];
}

/** `#rrggbb`. */
export function colorToHex(color: Color): string {
  const { r, g, b } = colorToRgb(color);
  return `#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** Lightness, chroma and hue. */
export function colorToOklch(color: Color): { l: number; c: number; h: number } {
  if (color.kind === "oklch") return { l: color.l, c: color.c, h: color.h };
  const { r, g, b } = colorToRgb(color);
  const [l, x, y] = labOf(r, g, b);
  return { l, c: Math.hypot(x, y), h: degrees(x, y) };
}

/** Hue, saturation and lightness, within what screens show. */
export function colorToOkhsl(color: Color): { h: number; s: number; l: number } {
  const { r, g, b } = colorToRgb(color);
  return okhslOf(labOf(r, g, b));
}

/** The lightness of Okhsl for one of Oklab, both 0 to 1. */
export function oklabToOkhslLightness(lightness: number): number {
  return okhslLightness(lightness);
}

/** Below this chroma a colour is a gray, and its hue says nothing. */
const GRAY = 1e-7;

/** A colour between two: `amount` 0 is the first one, 1 the second. Hues take the shorter way round. */
export function mixColors(first: Color, second: Color, amount: number, space: "oklch" | "srgb" = "oklch"): Color {
  within("amount", amount, 1);
  const between = (from: number, to: number) => from + (to - from) * amount;
  if (space === "srgb") {
    const [a, b] = [colorToRgb(first), colorToRgb(second)];
    return rgbColor(between(a.r, b.r), between(a.g, b.g), between(a.b, b.b));
  }
  const [a, b] = [colorToOklch(first), colorToOklch(second)];
  const from = a.c < GRAY ? b.h : a.h;
  const to = b.c < GRAY ? from : b.h;
  const way = ((((to - from + 180) % 360) + 360) % 360) - 180;
  return oklchColor(between(a.l, b.l), between(a.c, b.c), from + way * amount);
}

/** How many colours the terminal shows, as far as the environment says. */
export function getTerminalColorMode(capabilities?: { trueColor: boolean }): ColorMode {
  return (capabilities ? capabilities.trueColor : hasTrueColor()) ? "truecolor" : "256color";
}

/** Whether the terminal is the one that macOS comes with. */
export function isAppleTerminalSession(): boolean {
  return process.platform === "darwin" && process.env.TERM_PROGRAM === "Apple_Terminal";
}

/** What switches a colour on, for text. */
export function foregroundAnsi(color: Color, mode: ColorMode): string {
  return sequence(38, color, mode);
}

/** What switches a colour on, behind text. */
export function backgroundAnsi(color: Color, mode: ColorMode): string {
  return sequence(48, color, mode);
}

const KINDS = ["rgb", "indexed", "oklch"];

function sequence(base: 38 | 48, color: Color, mode: ColorMode): string {
  if (!KINDS.includes(color?.kind)) {
    throw new TypeError(`not a color: ${JSON.stringify(color)}; parseColor() makes one`);
  }
  if (color.kind === "indexed") return `\x1b[${base};5;${color.index}m`;
  const { r, g, b } = colorToRgb(color);
  return mode === "truecolor" ? `\x1b[${base};2;${r};${g};${b}m` : `\x1b[${base};5;${nearestIndexed([r, g, b])}m`;
}
