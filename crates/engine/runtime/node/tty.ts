/** `node:tty`. An extension does not own the terminal, so its streams are plain ones unless it opened a terminal itself. */

import { ops } from "tau:ops";
import { outOfRange } from "../internal/errors.ts";
import { lazyModule } from "../internal/lazy.ts";

const loadStream = lazyModule("node/stream.ts");
const loadReadline = lazyModule("internal/readline_cursor.ts");
const loadFs = lazyModule("node/fs.ts");

/** Whether `fd` is a terminal. */
export function isatty(fd: number): boolean {
  return Number.isInteger(fd) && fd >= 0 && fd <= 2147483647 && ops.isatty(fd);
}

function check(fd: number): void {
  if (!Number.isInteger(fd) || fd < 0) throw outOfRange("fd", "a non-negative integer", fd);
}

/** The input side of a terminal. */
export const ReadStream: any = function (this: any, fd: number, options?: any) {
  check(fd);
  const stream = loadFs().createReadStream("", { fd, ...options });
  stream.isTTY = isatty(fd);
  stream.isRaw = false;
  stream.setRawMode = (mode: boolean) => {
    stream.isRaw = Boolean(mode);
    return stream;
  };
  return stream;
};

/** The output side of a terminal. */
export const WriteStream: any = function (this: any, fd: number) {
  check(fd);
  const { Writable } = loadStream();
  const fs = loadFs();
  const stream = new Writable({
    decodeStrings: true,
    write(chunk: any, _encoding: string, callback: any) {
      fs.write(fd, chunk, (error: any) => callback(error));
    },
  });
  return asTerminal(stream, fd);
};

/** Adds what terminals have beyond streams. */
export function asTerminal(stream: any, fd: number): any {
  stream.fd = fd;
  stream.isTTY = isatty(fd);
  stream.columns = 80;
  stream.rows = 24;
  stream.getWindowSize = () => [stream.columns, stream.rows];
  stream.getColorDepth = getColorDepth;
  stream.hasColors = (count: any = 16) => (typeof count === "number" ? count : 16) <= 2 ** getColorDepth();
  stream.clearLine = (direction: number, callback?: any) => loadReadline().clearLine(stream, direction, callback);
  stream.clearScreenDown = (callback?: any) => loadReadline().clearScreenDown(stream, callback);
  stream.cursorTo = (x: number, y?: any, callback?: any) => loadReadline().cursorTo(stream, x, y, callback);
  stream.moveCursor = (dx: number, dy: number, callback?: any) => loadReadline().moveCursor(stream, dx, dy, callback);
  return stream;
}

/** Bits of colour that the environment promises: 1, 4, 8 or 24. */
function getColorDepth(env: Record<string, string | undefined> = (globalThis as any).process?.env ?? {}): number {
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced === "0" ? 1 : forced === "2" ? 8 : forced === "3" ? 24 : 4;
  if (env.NO_COLOR !== undefined || env.NODE_DISABLE_COLORS !== undefined || env.TERM === "dumb") return 1;
  if (env.COLORTERM === "truecolor" || env.COLORTERM === "24bit") return 24;
  return /-256/.test(env.TERM ?? "") ? 8 : 4;
}

export default { isatty, ReadStream, WriteStream };
