// node:fs. What only some programs need is loaded on first use.
import { ops } from "tau:ops";
import { validateFunction } from "../internal/validators.ts";
import { lazyModule } from "../internal/lazy.ts";
import { kPromisify } from "../internal/symbols.ts";
import { nextTick } from "../internal/tick.ts";
import { toPath, toSeconds } from "../internal/fs/args.ts";
import { constants } from "../internal/fs/constants.ts";
import {
  appendFileSync, readFileLater, readFileSync, writeFileLater, writeFileSync,
} from "../internal/fs/content.ts";
import { callbackForm, settle, splitCallback, syncForm } from "../internal/fs/forms.ts";
import { lazyClass } from "../internal/fs/lazy_class.ts";
import { promises } from "../internal/fs/promises.ts";
import { Dirent, Stats } from "../internal/fs/stats.ts";
import { byFd, byName, realpath as realpaths, statSyncForm } from "../internal/fs/table.ts";
import {
  checkVector, readAsync, reading, readSync, readvAsync, readvSync, writeAsync, writeSync, writevAsync, writevSync,
  writing,
} from "../internal/fs/transfer.ts";

const copies = lazyModule("internal/fs/cp.ts");
const dirs = lazyModule("internal/fs/dir.ts");
const globs = lazyModule("internal/fs/glob.ts");
const streams = lazyModule("internal/fs/streams.ts");
const watches = lazyModule("internal/fs/watch.ts");
const blobs = lazyModule("web/blob.ts");

const fs: Record<string, any> = {};

for (const table of [byName, byFd]) {
  for (const name in table) {
    fs[name] = callbackForm(table[name]);
    fs[`${name}Sync`] = syncForm(table[name]);
  }
}
fs.statSync = statSyncForm(fs.statSync);
fs.lstatSync = statSyncForm(fs.lstatSync);
fs.realpath = Object.assign(callbackForm(realpaths.walk), { native: callbackForm(realpaths.native) });
fs.realpathSync = Object.assign(syncForm(realpaths.walk), { native: syncForm(realpaths.native) });

/** A callback form whose arguments are checked at once and whose work is a function. */
function later(check: (...args: any[]) => () => Promise<any>): (...args: any[]) => void {
  return (...args) => {
    const [callback, rest] = splitCallback(args);
    settle(check(...rest)(), callback);
  };
}

function existsSync(path: unknown): boolean {
  try {
    return ops.fsExists(toPath(path));
  } catch {
    return false;
  }
}

function exists(path: unknown, callback: (exists: boolean) => void): void {
  validateFunction(callback, "cb");
  const answer = existsSync(path);
  nextTick(callback, answer);
}
Object.defineProperty(exists, kPromisify, { value: async (path: unknown) => existsSync(path) });

/** Callback forms that tell a count and what it was about; promisified they give both by name. */
function counted(name: string, what: string, start: (...args: any[]) => [Promise<number>, any]): (...args: any[]) => void {
  const form = (...args: any[]) => {
    const [callback, rest] = splitCallback(args);
    const [promise, about] = start(...rest);
    settle(promise, callback, (count) => [count, about]);
  };
  const byPromise = async (...args: any[]) => {
    const [promise, about] = start(...args);
    return { [name]: await promise, [what]: about };
  };
  return Object.defineProperty(form, kPromisify, { value: byPromise });
}

Object.assign(fs, {
  existsSync, exists, readFileSync, writeFileSync, appendFileSync, readSync, writeSync, readvSync, writevSync,
  readFile: later(readFileLater),
  writeFile: later((path, data, options) => writeFileLater(path, data, options, "w", false)),
  appendFile: later((path, data, options) => writeFileLater(path, data, options, "a", false)),
  read: counted("bytesRead", "buffer", (fd, ...args) => {
    const wanted = reading(fd, args);
    return [readAsync(wanted), wanted.buffer];
  }),
  write: counted("bytesWritten", "buffer", (fd, ...args) => {
    const wanted = writing(fd, args);
    return [writeAsync(wanted), wanted.given];
  }),
  readv: counted("bytesRead", "buffers", (fd, buffers, position) => {
    checkVector(fd, buffers);
    return [readvAsync(fd, buffers, position), buffers];
  }),
  writev: counted("bytesWritten", "buffers", (fd, buffers, position) => {
    checkVector(fd, buffers);
    return [writevAsync(fd, buffers, position), buffers];
  }),
  cpSync: (src: unknown, dest: unknown, options?: unknown) => copies().cpSync(src, dest, options),
  cp: later((src, dest, options) => copies().cpLater(src, dest, options)),
  opendirSync: (path: unknown, options?: unknown) => dirs().opendirSync(path, options),
  opendir: later((path, options) => dirs().opendirLater(path, options)),
  globSync: (pattern: unknown, options?: unknown) => globs().globSync(pattern, options),
  glob: later((pattern, options) => () => Array.fromAsync(globs().globLater(pattern, options))),
  watch: (path: unknown, options?: unknown, listener?: unknown) => watches().watch(path, options, listener),
  watchFile: (path: unknown, options?: unknown, listener?: unknown) => watches().watchFile(path, options, listener),
  unwatchFile: (path: unknown, listener?: unknown) => watches().unwatchFile(path, listener),
  createReadStream: (path: unknown, options?: unknown) => new (streams().ReadStream)(path, options),
  createWriteStream: (path: unknown, options?: unknown) => new (streams().WriteStream)(path, options),
  async openAsBlob(path: unknown, options: any = {}) {
    return new (blobs().Blob)([await promises.readFile(path)], { type: options.type ?? "" });
  },
  Dirent, Stats,
  Dir: lazyClass("Dir", () => dirs().Dir),
  ReadStream: lazyClass("ReadStream", () => streams().ReadStream),
  WriteStream: lazyClass("WriteStream", () => streams().WriteStream),
  FSWatcher: lazyClass("FSWatcher", () => watches().FSWatcher),
  _toUnixTimestamp: toSeconds,
  F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1,
  constants, promises,
});
fs.FileReadStream = fs.ReadStream;
fs.FileWriteStream = fs.WriteStream;

// Errors and stacks name functions by what they are called.
for (const name in fs) {
  const value = fs[name];
  if (typeof value === "function" && !/^[A-Z]/.test(name)) Object.defineProperty(value, "name", { value: name });
}

export const {
  access, accessSync, appendFile, chmod, chmodSync, chown, chownSync, close, closeSync, copyFile, copyFileSync, cp,
  cpSync, createReadStream, createWriteStream, Dir, F_OK, fchmod, fchmodSync, fchown, fchownSync, fdatasync,
  fdatasyncSync, FileReadStream, FileWriteStream, FSWatcher, fstat, fstatSync, fsync, fsyncSync, ftruncate,
  ftruncateSync, futimes, futimesSync, glob, globSync, lchown, lchownSync, link, linkSync, lstat, lstatSync, lutimes,
  lutimesSync, mkdir, mkdirSync, mkdtemp, mkdtempSync, open, openAsBlob, openSync, opendir, opendirSync, R_OK, read,
  readdir, readdirSync, readFile, readlink, readlinkSync, ReadStream, readv, realpath, realpathSync, rename,
  renameSync, rm, rmdir, rmdirSync, rmSync, stat, statfs, statfsSync, statSync, symlink, symlinkSync, truncate,
  truncateSync, unlink, unlinkSync, unwatchFile, utimes, utimesSync, W_OK, watch, watchFile, write, writeFile,
  WriteStream, writev, X_OK, _toUnixTimestamp,
} = fs;
export {
  appendFileSync, constants, Dirent, exists, existsSync, promises, readFileSync, readSync, readvSync, Stats,
  writeFileSync, writeSync, writevSync,
};

export default fs;
