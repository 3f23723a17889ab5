/** `fs.glob`: finding files by patterns. One walk serves all forms: it yields folders to list. */

import { ops } from "tau:ops";
import { invalidArgType } from "../errors.ts";
import { validateObject, validateString } from "../validators.ts";
import { toPath } from "./args.ts";
import { Dirent } from "./stats.ts";

/** A part of a pattern between slashes: a name, any number of folders, or an expression for names. */
type Part = string | RegExp | typeof ANY_DEPTH;
const ANY_DEPTH = Symbol("**");

/** Names and kinds of a folder's entries, by name. */
type Entries = Map<string, number>;
type Walk = Generator<string, void, Entries>;

const DIRECTORY = 2;
const LINK = 3;

/** `a{b,c}` means `ab` and `ac`. */
function expand(pattern: string): string[] {
  let depth = 0;
  let start = -1;
  const cuts: number[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") at++;
    else if (char === "{" && depth++ === 0) [start, cuts.length] = [at, 0];
    else if (char === "," && depth === 1) cuts.push(at);
    else if (char === "}" && depth > 0 && --depth === 0 && cuts.length > 0) {
      const bounds = [start, ...cuts, at];
      const rest = pattern.slice(at + 1);
      return bounds.slice(1).flatMap((end, index) =>
        expand(pattern.slice(0, start) + pattern.slice(bounds[index] + 1, end) + rest));
    }
  }
  return [pattern];
}

/** A part as an expression; `undefined` when it is a plain name. */
function expression(part: string): RegExp | undefined {
  if (!/[*?[\\]/.test(part)) return undefined;
  let source = "";
  for (let at = 0; at < part.length; at++) {
    const char = part[at];
    const end = char === "[" ? part.indexOf("]", at + 2) : -1;
    if (char === "*") source += "[^/]*";
    else if (char === "?") source += "[^/]";
    else if (end > 0) {
      const inner = part.slice(at + 1, end).replace(/\\/g, "\\\\").replace(/^!/, "^");
      source += `[${inner}]`;
      at = end;
    } else source += (char === "\\" ? part[++at] ?? "\\" : char).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  }
  // Hidden files are found only by patterns that say so.
  return new RegExp(`^${part.startsWith(".") ? "" : "(?!\\.)"}${source}$`, "s");
}

function parse(pattern: string): Part[] {
  return pattern.split("/").map((part) => (part === "**" ? ANY_DEPTH : (expression(part) ?? part)));
}

function join(folder: string, name: string): string {
  return folder === "" ? name : folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

class Search {
  /** What was found, and what kind of thing it is. */
  found = new Map<string, number>();
  #excluded: (path: string, name: string) => boolean;

  constructor(excluded: (path: string, name: string) => boolean) {
    this.#excluded = excluded;
  }

  #add(path: string, kind = DIRECTORY): void {
    this.found.set(path === "" ? "." : path, kind);
  }

  /** What of `parts` from `at` on is in `folder`. */
  *walk(folder: string, parts: Part[], at: number): Walk {
    const part = parts[at];
    const last = at === parts.length - 1;
    if (part === undefined) return;
    if (part === "" || part === ".") {
      if (part === "" && at === 0) return yield* this.walk("/", parts, at + 1);
      if (last) return this.#add(folder.length > 1 && folder.endsWith("/") ? folder.slice(0, -1) : folder);
      return yield* this.walk(folder, parts, at + 1);
    }
    if (part === "..") {
      const cut = folder.lastIndexOf("/");
      const above = folder === "" || folder.endsWith("..") ? join(folder, "..") : cut < 0 ? "" : folder.slice(0, cut) || "/";
      if (last) return this.#add(above);
      return yield* this.walk(above, parts, at + 1);
    }
    const entries: Entries = yield folder;
    if (part === ANY_DEPTH) {
      if (last) this.#add(folder);
      else yield* this.walk(folder, parts, at + 1);
      for (const [name, kind] of entries) {
        const path = join(folder, name);
        if (name.startsWith(".") || this.#excluded(path, name)) continue;
        if (kind === DIRECTORY) yield* this.walk(path, parts, at);
        else if (last) this.#add(path, kind);
      }
      return;
    }
    const names = typeof part === "string" ? (entries.has(part) ? [part] : []) : [...entries.keys()].filter((name) => part.test(name));
    for (const name of names) {
      const path = join(folder, name);
      const kind = entries.get(name);
      if (this.#excluded(path, name)) continue;
      if (last) this.#add(path, kind);
      // An expression does not follow links, as in Node; a name that is written out does.
      else if (kind === DIRECTORY || (kind === LINK && typeof part === "string")) yield* this.walk(path, parts, at + 1);
    }
  }
}

interface Settings {
  cwd: string;
  patterns: Part[][];
  search: Search;
  withFileTypes: boolean;
}

function prepare(pattern: any, options: any): Settings {
  const patterns: string[] = Array.isArray(pattern) ? pattern : [pattern];
  for (const one of patterns) validateString(one, "patterns");
  if (options !== undefined && options !== null) validateObject(options, "options");
  const { cwd, exclude, withFileTypes = false } = options ?? {};
  const matchers = Array.isArray(exclude) ? exclude.flatMap(expand).map(wholePath) : [];
  if (exclude !== undefined && typeof exclude !== "function" && !Array.isArray(exclude)) {
    throw invalidArgType("options.exclude", ["Function", "string[]"], exclude);
  }
  const excluded = (path: string, name: string) =>
    typeof exclude === "function" ? Boolean(exclude(name)) : matchers.some((matcher) => matcher.test(path));
  return {
    cwd: cwd === undefined || cwd === null ? "" : toPath(cwd, "options.cwd"),
    patterns: patterns.flatMap(expand).map(parse),
    search: new Search(excluded),
    withFileTypes,
  };
}

/** An expression for a whole path. */
function wholePath(pattern: string): RegExp {
  const parts = pattern.split("/").map((part) => {
    if (part === "**") return "**";
    return expression(part)?.source.slice(1, -1) ?? part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  });
  const source = parts.reduce((text, part, at) => {
    const last = at === parts.length - 1;
    if (part === "**") return text + (last ? ".*" : "(?:[^/]+/)*");
    return text + part + (last ? "" : parts[at + 1] === "**" && at + 1 === parts.length - 1 ? "/?" : "/");
  }, "");
  return new RegExp(`^${source}$`, "s");
}

function results({ search, withFileTypes }: Settings): any[] {
  if (!withFileTypes) return [...search.found.keys()];
  return Array.from(search.found, ([path, kind]) => {
    const cut = path.lastIndexOf("/");
    return new Dirent(path.slice(cut + 1), cut < 0 ? "." : path.slice(0, cut) || "/", kind);
  });
}

function place({ cwd }: Settings, folder: string): string {
  if (folder.startsWith("/") || cwd === "") return folder || ".";
  return join(cwd, folder);
}

const toEntries = ([names, kinds]: [string[], number[], ...unknown[]]): Entries => new Map(names.map((name, at) => [name, kinds[at]]));
const NONE: Entries = new Map();

export function globSync(pattern: any, options?: unknown): any[] {
  const settings = prepare(pattern, options);
  const seen = new Map<string, Entries>();
  for (const parts of settings.patterns) {
    const walk = settings.search.walk("", parts, 0);
    for (let step = walk.next(); !step.done; ) {
      const folder = place(settings, step.value);
      let entries = seen.get(folder);
      if (!entries) {
        try {
          entries = toEntries(ops.fsReaddir(folder, false, "scandir"));
        } catch {
          entries = NONE;
        }
        seen.set(folder, entries);
      }
      step = walk.next(entries);
    }
  }
  return results(settings);
}

/** The form of promises: an asynchronous iterator. */
export async function* globLater(pattern: unknown, options?: unknown): AsyncGenerator<any> {
  const settings = prepare(pattern, options);
  for (const parts of settings.patterns) {
    const walk = settings.search.walk("", parts, 0);
    for (let step = walk.next(); !step.done; ) {
      const listing = ops.fsReaddirAsync(place(settings, step.value), false, "scandir");
      step = walk.next(await listing.then(toEntries, () => NONE));
    }
  }
  yield* results(settings);
}
