// Paths with `\`, drive letters and UNC shares.
import { extensionOf, foldSegments, formatParts, globMatches, withoutSuffix } from "./path_common.ts";
import type { ParsedPath, PathModule } from "./path_common.ts";
import { validateString } from "./validators.ts";

function isSlash(char: string | undefined): boolean {
  return char === "/" || char === "\\";
}

function isDrive(path: string): boolean {
  return /^[A-Za-z]:/.test(path);
}

interface Root {
  /** `C:` or `\\server\share`, normalized; empty without one. */
  device: string;
  /** Whether the path starts at the top of the device. */
  rooted: boolean;
  /** How much of the path is the root, as written. */
  length: number;
}

function rootOf(path: string): Root {
  if (isSlash(path[0])) {
    const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
    if (share === null) return { device: "", rooted: true, length: 1 };
    const [whole, server, name] = share;
    const length = whole.length + (isSlash(path[whole.length]) ? 1 : 0);
    return { device: `\\\\${server}\\${name}`, rooted: true, length };
  }
  if (isDrive(path)) {
    const rooted = isSlash(path[2]);
    return { device: path.slice(0, 2), rooted, length: rooted ? 3 : 2 };
  }
  return { device: "", rooted: false, length: 0 };
}

function split(path: string): string[] {
  return path.split(/[\\/]/);
}

function normalize(path: string): string {
  validateString(path, "path");
  if (path === "") return ".";
  const { device, rooted, length } = rootOf(path);
  const rest = path.slice(length);
  let body = foldSegments(split(rest), !rooted).join("\\");
  if (body === "" && !rooted) body = ".";
  if (body !== "" && isSlash(rest[rest.length - 1])) body += "\\";
  // A segment such as `x:` must not turn into a drive.
  if (device === "" && !rooted && (isDrive(body) || /:(?:[\\/]|$)/.test(path))) body = `.\\${body}`;
  return `${device}${rooted ? "\\" : ""}${body}`;
}

function workingDirectory(device: string): string {
  const { process } = globalThis;
  if (device === "") return process.cwd();
  const cwd = process.env[`=${device}`] || process.cwd();
  const foreign = cwd.slice(0, 2).toLowerCase() !== device.toLowerCase() && cwd[2] === "\\";
  return foreign ? `${device}\\` : cwd;
}

function resolve(...paths: string[]): string {
  let device = "";
  let tail = "";
  let rooted = false;
  for (let i = paths.length - 1; i >= -1 && !(rooted && device !== ""); i--) {
    const path = i >= 0 ? paths[i] : workingDirectory(device);
    if (i >= 0) validateString(path, `paths[${i}]`);
    if (path === "") continue;
    const root = rootOf(path);
    if (root.device !== "") {
      if (device === "") device = root.device;
      else if (device.toLowerCase() !== root.device.toLowerCase()) continue;
    }
    if (rooted) continue;
    tail = `${path.slice(root.length)}\\${tail}`;
    rooted = root.rooted;
  }
  const body = foldSegments(split(tail), !rooted).join("\\");
  if (rooted) return `${device}\\${body}`;
  return `${device}${body}` || ".";
}

function isAbsolute(path: string): boolean {
  validateString(path, "path");
  return isSlash(path[0]) || (isDrive(path) && isSlash(path[2]));
}

function join(...paths: string[]): string {
  const used: string[] = [];
  for (const path of paths) {
    validateString(path, "path");
    if (path !== "") used.push(path);
  }
  if (used.length === 0) return ".";
  let joined = used.join("\\");
  // Only a first part that is itself `\\name` may make a share; other doubled slashes are one.
  if (!/^[\\/]{2}[^\\/]/.test(used[0])) joined = joined.replace(/^[\\/]{2,}/, "\\");
  return normalize(joined);
}

function relative(from: string, to: string): string {
  validateString(from, "from");
  validateString(to, "to");
  if (from === to) return "";
  const fromFull = resolve(from);
  const toFull = resolve(to);
  if (fromFull.toLowerCase() === toFull.toLowerCase()) return "";
  const fromParts = fromFull.split("\\").filter(Boolean);
  const toParts = toFull.split("\\").filter(Boolean);
  let common = 0;
  while (
    common < fromParts.length &&
    common < toParts.length &&
    fromParts[common].toLowerCase() === toParts[common].toLowerCase()
  ) {
    common++;
  }
  if (common === 0 && fromParts.length > 0 && toParts.length > 0) return toFull;
  return [...fromParts.slice(common).map(() => ".."), ...toParts.slice(common)].join("\\");
}

function toNamespacedPath(path: string): string {
  if (typeof path !== "string" || path === "") return path;
  const full = resolve(path);
  if (full.length <= 2) return path;
  if (/^\\\\[?.]\\/.test(full)) return full;
  if (full.startsWith("\\\\")) return `\\\\?\\UNC\\${full.slice(2)}`;
  if (/^[A-Za-z]:\\/.test(full)) return `\\\\?\\${full}`;
  return full;
}

// Where the last name of `path` starts and ends, leaving the root alone.
function lastName(path: string, rootLength: number): [start: number, end: number] {
  let end = path.length;
  while (end > rootLength && isSlash(path[end - 1])) end--;
  let start = end;
  while (start > rootLength && !isSlash(path[start - 1])) start--;
  return [start, end];
}

function dirname(path: string): string {
  validateString(path, "path");
  if (path === "") return ".";
  const { length } = rootOf(path);
  const [start, end] = lastName(path, length);
  if (start === end) return path.slice(0, Math.max(length, end)) || ".";
  if (start === length) return length === 0 ? "." : path.slice(0, length);
  return path.slice(0, start - 1);
}

function basename(path: string, suffix?: string): string {
  if (suffix !== undefined) validateString(suffix, "suffix");
  validateString(path, "path");
  if (suffix === path) return "";
  const [start, end] = lastName(path, isDrive(path) ? 2 : 0);
  return withoutSuffix(path.slice(start, end), suffix);
}

function extname(path: string): string {
  validateString(path, "path");
  return extensionOf(basename(path));
}

function format(parts: Partial<ParsedPath>): string {
  return formatParts("\\", parts);
}

function parse(path: string): ParsedPath {
  validateString(path, "path");
  const { length } = rootOf(path);
  const root = path.slice(0, length);
  const [start, end] = lastName(path, length);
  const base = path.slice(start, end);
  const ext = extensionOf(base);
  const dir = start > length ? path.slice(0, start - 1) : root;
  return { root, dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) };
}

function matchesGlob(path: string, pattern: string): boolean {
  validateString(path, "path");
  return globMatches(path.replaceAll("\\", "/"), pattern);
}

/** The Windows flavour; `posix` and `win32` are attached in `node/path.ts`. */
export const win32 = {
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
  sep: "\\",
  delimiter: ";",
  win32: null,
  posix: null,
  _makeLong: toNamespacedPath,
} as unknown as PathModule;
