/** `fs.cp`: copies files and trees. One walk serves both forms: it yields calls, and whoever drives it makes them. */

import { codeError } from "../errors.ts";
import { validateBoolean, validateFunction, validateInteger, validateObject } from "../validators.ts";
import { toPath } from "./args.ts";
import { callAsync, callSync, type Call } from "./forms.ts";
import { byName, realpath } from "./table.ts";

/** What a walk asks for: an operation, or the answer of a filter. */
type Step = Call | { filter: any; length?: undefined };
type Walk = Generator<Step, any, any>;

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

function dirname(path: string): string {
  const trimmed = path.replace(/(?<=.)\/+$/, "");
  const at = trimmed.lastIndexOf("/");
  return at < 0 ? "." : at === 0 ? "/" : trimmed.slice(0, at);
}

/** The errors of `cp` say what it refused and why. */
function refusal(code: string, errnoName: string, errno: number, why: string, path: string): Error {
  const lead: Record<string, string> = {
    ERR_FS_CP_EEXIST: "Target already exists",
    ERR_FS_CP_EINVAL: "Invalid src or dest",
    ERR_FS_CP_DIR_TO_NON_DIR: "Cannot overwrite non-directory with directory",
    ERR_FS_CP_NON_DIR_TO_DIR: "Cannot overwrite directory with non-directory",
    ERR_FS_CP_SOCKET: "Cannot copy a socket file",
    ERR_FS_CP_FIFO_PIPE: "Cannot copy a FIFO pipe",
    ERR_FS_EISDIR: "Recursive option not enabled, cannot copy a directory",
  };
  const error = codeError(code, `${lead[code]}: cp returned ${errnoName} (${why}) ${path}`) as any;
  return Object.assign(error, { errno, syscall: "cp", path });
}

function checkOptions(options: any): any {
  validateObject(options ?? {}, "options");
  const given = {
    dereference: false, errorOnExist: false, force: true, preserveTimestamps: false, recursive: false,
    verbatimSymlinks: false, mode: 0, filter: undefined, ...options,
  };
  for (const name of ["dereference", "errorOnExist", "force", "preserveTimestamps", "recursive", "verbatimSymlinks"]) {
    validateBoolean((given as any)[name], `options.${name}`);
  }
  validateInteger(given.mode, "options.mode", 0, 7);
  if (given.filter !== undefined) validateFunction(given.filter, "options.filter");
  return given;
}

function* statOr(path: string, follow: boolean): Walk {
  try {
    return yield (follow ? byName.stat : byName.lstat)(path);
  } catch (error: any) {
    if (error?.code === "ENOENT") return undefined;
    throw error;
  }
}

function* copy(src: string, dest: string, options: any): Walk {
  if (options.filter && !(yield { filter: options.filter(src, dest) })) return;
  const from = yield (options.dereference ? byName.stat : byName.lstat)(src);
  const to = yield* statOr(dest, options.dereference);
  if (to && from.ino === to.ino && from.dev === to.dev) {
    throw refusal("ERR_FS_CP_EINVAL", "EINVAL", 22, "src and dest cannot be the same", dest);
  }
  if (from.isDirectory()) return yield* copyDirectory(src, dest, from, to, options);
  if (to?.isDirectory() && !from.isSymbolicLink()) {
    throw refusal("ERR_FS_CP_NON_DIR_TO_DIR", "ENOTDIR", 20, `cannot overwrite directory ${dest} with non-directory ${src}`, dest);
  }
  if (from.isSocket()) throw refusal("ERR_FS_CP_SOCKET", "EINVAL", 22, `cannot copy a socket file: ${dest}`, dest);
  if (from.isFIFO()) throw refusal("ERR_FS_CP_FIFO_PIPE", "EINVAL", 22, `cannot copy a FIFO pipe: ${dest}`, dest);
  if (from.isSymbolicLink()) return yield* copyLink(src, dest, to, options);
  if (to) {
    if (options.errorOnExist && !options.force) {
      throw refusal("ERR_FS_CP_EEXIST", "EEXIST", 17, `${dest} already exists`, dest);
    }
    if (!options.force) return;
    yield byName.unlink(dest);
  }
  yield byName.copyFile(src, dest, options.mode);
  if (options.preserveTimestamps) yield byName.utimes(dest, from.atimeMs / 1000, from.mtimeMs / 1000);
}

function* copyLink(src: string, dest: string, to: any, options: any): Walk {
  let target: string = yield byName.readlink(src);
  if (!options.verbatimSymlinks && !target.startsWith("/")) {
    const folder = yield realpath.walk(dirname(src));
    target = join(folder, target).replace(/\/\.(?=\/|$)/g, "");
    while (/\/[^/]+\/\.\.(?=\/|$)/.test(target)) target = target.replace(/\/[^/]+\/\.\.(?=\/|$)/, "") || "/";
  }
  if (to) {
    if (!to.isSymbolicLink()) {
      if (options.errorOnExist && !options.force) {
        throw refusal("ERR_FS_CP_EEXIST", "EEXIST", 17, `${dest} already exists`, dest);
      }
      if (!options.force) return;
    }
    yield byName.unlink(dest);
  }
  yield byName.symlink(target, dest);
}

function* copyDirectory(src: string, dest: string, from: any, to: any, options: any): Walk {
  if (!options.recursive) {
    throw refusal("ERR_FS_EISDIR", "EISDIR", 21, `${src} is a directory (not copied)`, src);
  }
  if (to && !to.isDirectory()) {
    throw refusal("ERR_FS_CP_DIR_TO_NON_DIR", "EISDIR", 21, `cannot overwrite non-directory ${dest} with directory ${src}`, dest);
  }
  if (!to) yield byName.mkdir(dest, { mode: 0o777 });
  for (const name of yield byName.readdir(src)) yield* copy(join(src, name), join(dest, name), options);
  if (!to) yield byName.chmod(dest, Number(from.mode) & 0o7777);
  if (options.preserveTimestamps) yield byName.utimes(dest, from.atimeMs / 1000, from.mtimeMs / 1000);
}

function* whole(src: string, dest: string, options: any): Walk {
  const from = yield (options.dereference ? byName.stat : byName.lstat)(src);
  if (from.isDirectory() && options.recursive) {
    // The true name of what exists of the target: a tree cannot be copied into itself.
    let above = dest;
    while (!(yield* statOr(above, true)) && dirname(above) !== above) above = dirname(above);
    const inside = (yield realpath.walk(above)) + "/";
    const self = (yield realpath.walk(src)) + "/";
    const same = yield* statOr(dest, true);
    if (inside.startsWith(self) && !(same && same.ino === from.ino)) {
      const error = codeError("ERR_FS_CP_EINVAL", `Cannot copy ${self} to a subdirectory of self ${dest}`);
      throw error;
    }
  }
  const parent = dirname(dest);
  if (!(yield* statOr(parent, true))) yield byName.mkdir(parent, { recursive: true });
  yield* copy(src, dest, options);
}

export function cpSync(src: any, dest: any, options?: any): void {
  const walk = whole(toPath(src, "src"), toPath(dest, "dest"), checkOptions(options));
  let step = walk.next();
  while (!step.done) {
    let answer;
    try {
      answer = Array.isArray(step.value) ? callSync(step.value) : step.value.filter;
    } catch (error) {
      step = walk.throw(error);
      continue;
    }
    step = walk.next(answer);
  }
}

/** Checks now, copies later. */
export function cpLater(src: any, dest: any, options?: any): () => Promise<void> {
  const walk = whole(toPath(src, "src"), toPath(dest, "dest"), checkOptions(options));
  return async () => {
    let step = walk.next();
    while (!step.done) {
      let answer;
      try {
        answer = Array.isArray(step.value) ? await callAsync(step.value) : await step.value.filter;
      } catch (error) {
        step = walk.throw(error);
        continue;
      }
      step = walk.next(answer);
    }
  };
}
