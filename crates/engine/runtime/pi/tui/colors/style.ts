// Text in colours and styles.
import { backgroundAnsi, type Color, type ColorMode, foregroundAnsi } from "./index.ts";

/** Styles of text, each with what switches it on and off, in the order in which they are written. */
const STYLES: [string, number, number][] = [
  ["bold", 1, 22], ["dim", 2, 22], ["italic", 3, 23], ["underline", 4, 24], ["inverse", 7, 27], ["strikethrough", 9, 29],
];

/** Text in colours that are given as escape sequences, and styles: `bold`, `dim`, `italic` and so on. */
export function styleTextWithAnsi(text: string, fg: string | undefined, bg: string | undefined, options: any): string {
  let before = "";
  let after = "";
  const add = (on: string, off: string) => {
    before += on;
    if (!after.startsWith(off)) after = off + after;
  };
  if (fg !== undefined) add(fg, "\x1b[39m");
  if (bg !== undefined) add(bg, "\x1b[49m");
  for (const [name, on, off] of STYLES) {
    if (options?.[name]) add(`\x1b[${on}m`, `\x1b[${off}m`);
  }
  return before + text + after;
}

/** Text in colours and styles. */
export function styleText(text: string, options: any, mode: ColorMode): string {
  const sequence = (of: (color: Color, mode: ColorMode) => string, color?: Color) => color && of(color, mode);
  return styleTextWithAnsi(text, sequence(foregroundAnsi, options?.fg), sequence(backgroundAnsi, options?.bg), options);
}
