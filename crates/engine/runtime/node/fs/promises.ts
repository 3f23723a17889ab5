// node:fs/promises.
import { promises } from "../../internal/fs/promises.ts";

export const {
  access, appendFile, chmod, chown, constants, copyFile, cp, glob, lchmod, lchown, link, lstat, lutimes, mkdir, mkdtemp,
  open, opendir, readFile, readdir, readlink, realpath, rename, rm, rmdir, stat, statfs, symlink, truncate, unlink,
  utimes, watch, writeFile,
} = promises;

export default promises;
