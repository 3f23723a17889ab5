// node:path/posix.
import path from "../path.ts";

const flavour = path.posix;

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
