/** The functions of `node:fs/promises`. */

import { lazyModule } from "../lazy.ts";
import { methodNotImplemented } from "../errors.ts";
import { constants } from "./constants.ts";
import { readFileLater, writeFileLater } from "./content.ts";
import { callAsync, promiseForm } from "./forms.ts";
import { byFd, byName, realpath } from "./table.ts";

const handles = lazyModule("internal/fs/handle.ts");
const copies = lazyModule("internal/fs/cp.ts");
const dirs = lazyModule("internal/fs/dir.ts");
const globs = lazyModule("internal/fs/glob.ts");
const watches = lazyModule("internal/fs/watch.ts");

/** `fs.promises`. */
export const promises: Record<string, any> = {};
for (const name in byName) promises[name] = promiseForm(byName[name]);

Object.assign(promises, {
  async lchmod() {
    throw methodNotImplemented("lchmod()");
  },
  realpath: promiseForm(realpath.native),
  async truncate(path: any, len?: any) {
    return callAsync(byName.truncate(path?.fd ?? path, len));
  },
  async open(path: unknown, flags?: unknown, mode?: unknown) {
    return new (handles().FileHandle)(await callAsync(byFd.open(path, flags, mode)));
  },
  async readFile(path: unknown, options?: unknown) {
    return readFileLater(path, options)();
  },
  async writeFile(path: unknown, data: unknown, options?: unknown) {
    return writeFileLater(path, data, options, "w", true)();
  },
  async appendFile(path: unknown, data: unknown, options?: unknown) {
    return writeFileLater(path, data, options, "a", true)();
  },
  async cp(src: unknown, dest: unknown, options?: unknown) {
    return copies().cpLater(src, dest, options)();
  },
  async opendir(path: unknown, options?: unknown) {
    return dirs().opendirLater(path, options)();
  },
  watch(path: unknown, options?: unknown) {
    return watches().watchChanges(path, options);
  },
  glob(pattern: unknown, options?: unknown) {
    return globs().globLater(pattern, options);
  },
  constants,
});
