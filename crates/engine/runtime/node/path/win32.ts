// node:path/win32.
import path from "../path.ts";

const flavour = path.win32;

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
  posix,
  win32,
  _makeLong,
} = flavour;
export default flavour;
