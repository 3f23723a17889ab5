/** Every operation of `node:fs` that is one op: how its arguments are checked and what its answer becomes. */

import type { Twin } from "tau:ops";
import { invalidArgType } from "../errors.ts";
import { validateBoolean, validateInteger, validateObject } from "../validators.ts";
import { encodeName, toFd, toFlags, toId, toMode, toOptions, toPath, toSeconds } from "./args.ts";
import type { Call, Prepare } from "./forms.ts";
import { makeListing, makeStatFs, makeStats } from "./stats.ts";

const nothing = () => undefined;

function length(value: any): number {
  validateInteger(value ?? 0, "len");
  return Math.max(0, value ?? 0);
}

function mkdir(path: any, options: any): Call {
  const given = typeof options === "object" && options !== null ? options : { mode: options };
  if (given.recursive !== undefined) validateBoolean(given.recursive, "options.recursive");
  const mode = toMode(given.mode, typeof options === "object" ? "options.mode" : "mode", 0o777);
  const place = toPath(path);
  return given.recursive ? ["fsMkdirAll", [place, mode], (first) => first ?? undefined] : ["fsMkdir", [place, mode], nothing];
}

function rm(path: any, options: any = {}): Call {
  validateObject(options, "options");
  const { recursive = false, force = false, maxRetries = 0, retryDelay = 100 } = options;
  validateBoolean(force, "options.force");
  validateBoolean(recursive, "options.recursive");
  return ["fsRm", [toPath(path), recursive, force, maxRetries, retryDelay], nothing];
}

function readdir(path: any, options: any): Call {
  const given = toOptions(options);
  if (given.recursive != null) validateBoolean(given.recursive, "options.recursive");
  const place = toPath(path);
  return ["fsReaddir", [place, Boolean(given.recursive), "scandir"], (lists) => makeListing(lists, place, given)];
}

function named(op: Twin, path: string, ...args: any[]): (options: any) => Call {
  return (options) => [op, [path, ...args], (name) => encodeName(name, toOptions(options).encoding)];
}

/** Operations on files by name. */
export const byName: Record<string, Prepare> = {
  access: (path, mode = 0) => {
    validateInteger(mode, "mode", 0, 7);
    return ["fsAccess", [toPath(path), mode], nothing];
  },
  chmod: (path, mode) => ["fsChmod", [toPath(path), toMode(mode)], nothing],
  chown: (path, uid, gid) => ["fsChown", [toPath(path), toId(uid, "uid"), toId(gid, "gid"), true], nothing],
  lchown: (path, uid, gid) => ["fsChown", [toPath(path), toId(uid, "uid"), toId(gid, "gid"), false], nothing],
  copyFile: (src, dest, mode = 0) => ["fsCopyFile", [toPath(src, "src"), toPath(dest, "dest"), toMode(mode)], nothing],
  link: (from, to) => ["fsLink", [toPath(from, "existingPath"), toPath(to, "newPath")], nothing],
  lstat: (path, options) => ["fsLstat", [toPath(path)], (numbers) => makeStats(numbers, options?.bigint)],
  lutimes: (path, atime, mtime) => ["fsUtimes", [toPath(path), toSeconds(atime), toSeconds(mtime), false], nothing],
  mkdir,
  mkdtemp: (prefix, options) => named("fsMkdtemp", toPath(prefix, "prefix"))(options),
  readdir,
  readlink: (path, options) => named("fsReadlink", toPath(path))(options),
  rename: (from, to) => ["fsRename", [toPath(from, "oldPath"), toPath(to, "newPath")], nothing],
  rm,
  rmdir: (path, options) =>
    options?.recursive
      ? ["fsRm", [toPath(path), true, false, options.maxRetries ?? 0, options.retryDelay ?? 100], nothing]
      : ["fsRmdir", [toPath(path)], nothing],
  stat: (path, options) => ["fsStat", [toPath(path)], (numbers) => makeStats(numbers, options?.bigint)],
  statfs: (path, options) => ["fsStatfs", [toPath(path)], (numbers) => makeStatFs(numbers, options?.bigint)],
  symlink: (target, path) => ["fsSymlink", [toPath(target, "target"), toPath(path)], nothing],
  truncate: (path, len) => {
    if (typeof path === "number") return byFd.ftruncate(path, len);
    return ["fsTruncate", [toPath(path), length(len)], nothing];
  },
  unlink: (path) => ["fsUnlink", [toPath(path)], nothing],
  utimes: (path, atime, mtime) => ["fsUtimes", [toPath(path), toSeconds(atime), toSeconds(mtime), true], nothing],
};

/** The true name of a file: the walk of the library, or the system's own call. */
export const realpath = {
  walk: ((path, options) => named("fsRealpath", toPath(path), false)(options)) as Prepare,
  native: ((path, options) => named("fsRealpath", toPath(path), true)(options)) as Prepare,
};

/** Operations on open files; the promises have them as methods of `FileHandle`. */
export const byFd: Record<string, Prepare> = {
  open: (path, flags, mode) => ["fsOpen", [toPath(path), toFlags(flags), toMode(mode, "mode", 0o666)]],
  close: (fd) => ["fsClose", [toFd(fd)], nothing],
  fchmod: (fd, mode) => ["fsFchmod", [toFd(fd), toMode(mode)], nothing],
  fchown: (fd, uid, gid) => ["fsFchown", [toFd(fd), toId(uid, "uid"), toId(gid, "gid")], nothing],
  fdatasync: (fd) => ["fsFsync", [toFd(fd), true], nothing],
  fstat: (fd, options) => ["fsFstat", [toFd(fd)], (numbers) => makeStats(numbers, options?.bigint)],
  fsync: (fd) => ["fsFsync", [toFd(fd), false], nothing],
  ftruncate: (fd, len) => ["fsFtruncate", [toFd(fd), length(len)], nothing],
  futimes: (fd, atime, mtime) => ["fsFutimes", [toFd(fd), toSeconds(atime), toSeconds(mtime)], nothing],
};

/** `statSync` and `lstatSync` may be told that a missing file is no error. */
export function statSyncForm(form: (path: any, options?: any) => any): (path: any, options?: any) => any {
  return (path, options) => {
    if (options?.throwIfNoEntry !== false) return form(path, options);
    try {
      return form(path, options);
    } catch (error: any) {
      if (error?.code === "ENOENT" || error?.code === "ENOTDIR") return undefined;
      throw error;
    }
  };
}

/** Checks a list of buffers. */
export function checkBuffers(buffers: any): ArrayBufferView[] {
  if (!Array.isArray(buffers) || !buffers.every((one) => ArrayBuffer.isView(one))) {
    throw invalidArgType("buffers", "ArrayBufferView[]", buffers);
  }
  return buffers;
}
