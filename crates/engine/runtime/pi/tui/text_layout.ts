// Measuring and cutting styled text. Plain ASCII, which is most of what components handle, is dealt with here; the
// rest is Rust's.
import { ops } from "tau:ops";

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Columns that `text` takes in a terminal; escape sequences take none. */
export function visibleWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : ops.viewWidth(text);
}

/** `text` in at most `maxWidth` columns, cut with `ellipsis` where needed, and padded to exactly that on request. */
export function truncateToWidth(text: string, maxWidth: number, ellipsis = "...", pad = false): string {
  if (maxWidth <= 0) return "";
  if (text.length <= maxWidth && PRINTABLE_ASCII.test(text)) {
    return pad ? text + " ".repeat(maxWidth - text.length) : text;
  }
  return ops.viewTruncate(text, maxWidth, ellipsis, pad);
}

/** `text` as lines of at most `width` columns; styles go on over the line breaks. */
export function wrapTextWithAnsi(text: string, width: number): string[] {
  if (!text) return [""];
  if (text.length <= width && PRINTABLE_ASCII.test(text)) return [text];
  return ops.viewWrap(text, width);
}

/** The part of `line` from column `start` on; `strict` leaves out a wide character that reaches over its end. */
export function sliceByColumn(line: string, start: number, length: number, strict = false): string {
  if (start < 0) {
    length += start;
    start = 0;
  }
  if (length <= 0) return "";
  return PRINTABLE_ASCII.test(line) ? line.slice(start, start + length) : ops.viewSlice(line, start, length, strict);
}

/** `text` without escape sequences. */
export function stripTerminalSequences(text: string): string {
  return text.includes("\x1b") ? ops.viewStrip(text) : text;
}

/** The address of the hyperlink that covers a column of `line`. */
export function getOsc8LinkAtColumn(line: string, column: number): string | undefined {
  return column >= 0 && line.includes("\x1b]8;") ? ops.viewLinkAt(line, column) : undefined;
}

/** Lays `overlay` over `width` columns of `base`, from column `start` on. */
export function overlayLine(base: string, overlay: string, start: number, width: number, total: number): string {
  return ops.viewComposite(base, overlay, start, width, total);
}

/** The user-perceived characters of `text`. */
export function graphemes(text: string): string[] {
  return PRINTABLE_ASCII.test(text) ? text.split("") : ops.viewUnits(text);
}

/** The first user-perceived character of `text`; empty for empty text. */
export function firstGrapheme(text: string): string {
  return graphemes(text)[0] ?? "";
}

/** The last user-perceived character of `text`; empty for empty text. */
export function lastGrapheme(text: string): string {
  return graphemes(text).at(-1) ?? "";
}

/** A line padded to `width` columns, with a background over all of it. */
export function withBackground(line: string, width: number, background?: (text: string) => string): string {
  const padded = line + " ".repeat(Math.max(0, width - visibleWidth(line)));
  return background ? background(padded) : padded;
}
