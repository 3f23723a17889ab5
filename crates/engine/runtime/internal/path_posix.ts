// Paths with `/`.
import { extensionOf, foldSegments, formatParts, globMatches, withoutSuffix } from "./path_common.ts";
import type { ParsedPath, PathModule } from "./path_common.ts";
import { validateString } from "./validators.ts";

function normalize(path: string): string {
  validateString(path, "path");
  if (path === "") return ".";
  const absolute = path[0] === "/";
  const body = foldSegments(path.split("/"), !absolute).join("/");
  const tail = path[path.length - 1] === "/" && body !== "" ? "/" : "";
  if (absolute) return `/${body}${tail}`;
  return body === "" ? (path.endsWith("/") ? "./" : ".") : body + tail;
}

function resolve(...paths: string[]): string {
  let joined = "";
  for (let i = paths.length - 1; i >= -1; i--) {
    const path = i >= 0 ? paths[i] : globalThis.process.cwd();
    if (i >= 0) validateString(path, `paths[${i}]`);
    if (path === "") continue;
    joined = joined === "" ? path : `${path}/${joined}`;
    if (path[0] === "/") break;
  }
  const absolute = joined[0] === "/";
  const body = foldSegments(joined.split("/"), !absolute).join("/");
  return absolute ? `/${body}` : body || ".";
}

function isAbsolute(path: string): boolean {
  validateString(path, "path");
  return path[0] === "/";
}

function join(...paths: string[]): string {
  let joined = "";
  for (const path of paths) {
    validateString(path, "path");
    if (path !== "") joined = joined === "" ? path : `${joined}/${path}`;
  }
  return normalize(joined);
}

function relative(from: string, to: string): string {
  validateString(from, "from");
  validateString(to, "to");
  if (from === to) return "";
  const fromFull = resolve(from);
  const toFull = resolve(to);
  if (fromFull === toFull) return "";
  const fromParts = fromFull.split("/").filter(Boolean);
  const toParts = toFull.split("/").filter(Boolean);
  let common = 0;
  while (common < fromParts.length && common < toParts.length && fromParts[common] === toParts[common]) common++;
  return [...fromParts.slice(common).map(() => ".."), ...toParts.slice(common)].join("/");
}

function toNamespacedPath(path: string): string {
  return path;
}

// The end of `path` without trailing slashes.
function trimmedEnd(path: string): number {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  return end;
}

function dirname(path: string): string {
  validateString(path, "path");
  if (path === "") return ".";
  const end = path.lastIndexOf("/", trimmedEnd(path) - 1);
  if (trimmedEnd(path) === 0 || end === 0) return "/";
  if (end === -1) return ".";
  // `//name` keeps both slashes.
  return end === 1 && path[0] === "/" ? "//" : path.slice(0, end);
}

function basename(path: string, suffix?: string): string {
  if (suffix !== undefined) validateString(suffix, "suffix");
  validateString(path, "path");
  if (suffix === path) return "";
  const end = trimmedEnd(path);
  if (end === 0) return "";
  return withoutSuffix(path.slice(path.lastIndexOf("/", end - 1) + 1, end), suffix);
}

function extname(path: string): string {
  validateString(path, "path");
  return extensionOf(basename(path));
}

function format(parts: Partial<ParsedPath>): string {
  return formatParts("/", parts);
}

function parse(path: string): ParsedPath {
  validateString(path, "path");
  const root = path[0] === "/" ? "/" : "";
  const base = basename(path);
  const ext = extensionOf(base);
  const end = trimmedEnd(path);
  const start = end - base.length;
  let dir = root;
  if (base !== "" && start > 1) dir = path.slice(0, start - 1);
  return { root, dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) };
}

function matchesGlob(path: string, pattern: string): boolean {
  return globMatches(path, pattern);
}

/** The POSIX flavour; `posix` and `win32` are attached in `node/path.ts`. */
export const posix = {
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
  sep: "/",
  delimiter: ":",
  win32: null,
  posix: null,
  _makeLong: toNamespacedPath,
} as unknown as PathModule;
