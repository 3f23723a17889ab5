// node:path. The POSIX flavour is the module itself.
import { posix } from "../internal/path_posix.ts";
import { win32 } from "../internal/path_win32.ts";

posix.posix = win32.posix = posix;
posix.win32 = win32.win32 = win32;

export const {
  resolve,
  normalize,
  isAbsolute,
  join,
  relative,
  toNamespacedPath,
  dirname,
  basename,
  extname,
  format,
  parse,
  matchesGlob,
  sep,
  delimiter,
  _makeLong,
} = posix;
export { posix, win32 };
export default posix;
