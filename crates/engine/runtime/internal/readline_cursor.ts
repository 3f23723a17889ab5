/** Moving the cursor and clearing parts of the screen with ANSI sequences. */

import { codeTypeError, invalidArgValue } from "./errors.ts";
import { nextTick } from "./tick.ts";
import { validateFunction } from "./validators.ts";

type Callback = (error?: unknown) => void;

function send(stream: any, text: string, callback?: Callback): boolean {
  if (callback !== undefined) validateFunction(callback, "callback");
  if (text === "" || stream === null || stream === undefined) {
    if (callback) nextTick(callback, null);
    return true;
  }
  return stream.write(text, callback);
}

/** The sequences themselves. */
export const sequences = {
  cursorTo(x: unknown, y?: unknown): string {
    if (typeof x !== "number") throw codeTypeError("ERR_INVALID_CURSOR_POS", "Cannot set cursor row without setting its column");
    return typeof y === "number" ? `\x1b[${y + 1};${x + 1}H` : `\x1b[${x + 1}G`;
  },
  moveCursor(dx: number, dy: number): string {
    const column = dx < 0 ? `\x1b[${-dx}D` : dx > 0 ? `\x1b[${dx}C` : "";
    const row = dy < 0 ? `\x1b[${-dy}A` : dy > 0 ? `\x1b[${dy}B` : "";
    return column + row;
  },
  /** -1: left of the cursor, 1: right of it, 0: the whole line. */
  clearLine(direction: number): string {
    return direction < 0 ? "\x1b[1K" : direction > 0 ? "\x1b[0K" : "\x1b[2K";
  },
  clearScreenDown: "\x1b[0J",
};

export function cursorTo(stream: unknown, x: number, y?: any, callback?: Callback): boolean {
  if (typeof y === "function") [y, callback] = [undefined, y];
  if (Number.isNaN(x)) throw invalidArgValue("x", x);
  if (Number.isNaN(y)) throw invalidArgValue("y", y);
  if (typeof x !== "number" && typeof y !== "number") return send(stream, "", callback);
  return send(stream, sequences.cursorTo(x, y), callback);
}

export function moveCursor(stream: unknown, dx: number, dy: number, callback?: Callback): boolean {
  return send(stream, sequences.moveCursor(dx, dy), callback);
}

export function clearLine(stream: unknown, direction: number, callback?: Callback): boolean {
  return send(stream, sequences.clearLine(direction), callback);
}

export function clearScreenDown(stream: unknown, callback?: Callback): boolean {
  return send(stream, sequences.clearScreenDown, callback);
}
