// What the two path flavours share: resolving `.` and `..`, splitting names, shapes of results.
import { validateObject, validateString } from "./validators.ts";

/** The result of `path.parse`. */
export interface ParsedPath {
  root: string;
  dir: string;
  base: string;
  ext: string;
  name: string;
}

/** A flavour of `node:path`. */
export interface PathModule {
  sep: "/" | "\\";
  delimiter: ":" | ";";
  resolve(...paths: string[]): string;
  normalize(path: string): string;
  isAbsolute(path: string): boolean;
  join(...paths: string[]): string;
  relative(from: string, to: string): string;
  toNamespacedPath(path: string): string;
  dirname(path: string): string;
  basename(path: string, suffix?: string): string;
  extname(path: string): string;
  format(parts: Partial<ParsedPath>): string;
  parse(path: string): ParsedPath;
  matchesGlob(path: string, pattern: string): boolean;
  posix: PathModule;
  win32: PathModule;
  _makeLong(path: string): string;
}

/**
 * Drops empty and `.` segments and lets `..` take away the segment before it. What `..` cannot take
 * away stays when `climbing` (relative paths) and is dropped otherwise.
 */
export function foldSegments(segments: string[], climbing: boolean): string[] {
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept[kept.length - 1] !== "..") kept.pop();
    else if (climbing) kept.push(segment);
  }
  return kept;
}

/** The extension of a file name with its dot, or "" (`.bashrc` and `..` have none). */
export function extensionOf(base: string): string {
  const dot = base.lastIndexOf(".");
  return dot <= 0 || base === ".." ? "" : base.slice(dot);
}

/** `base` without `suffix`, unless the suffix is all of it. */
export function withoutSuffix(base: string, suffix: string | undefined): string {
  return suffix && suffix !== base && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
}

/** `path.format` for a flavour's separator. */
export function formatParts(sep: string, parts: Partial<ParsedPath>): string {
  validateObject(parts, "pathObject");
  const dir = parts.dir || parts.root;
  const ext = parts.ext ? `${parts.ext.startsWith(".") ? "" : "."}${parts.ext}` : "";
  const base = parts.base || `${parts.name || ""}${ext}`;
  if (!dir) return base;
  return dir === parts.root ? `${dir}${base}` : `${dir}${sep}${base}`;
}

function classSource(pattern: string, start: number): { source: string; next: number } | undefined {
  const end = pattern.indexOf("]", start + 2);
  if (end === -1) return undefined;
  const negated = pattern[start + 1] === "!" || pattern[start + 1] === "^";
  const body = pattern.slice(start + (negated ? 2 : 1), end).replace(/[\\[\]^]/g, "\\$&");
  return { source: `[${negated ? "^" : ""}${body}]`, next: end + 1 };
}

/** Whether `path` (separators already `/`) matches a glob with `*`, `**`, `?`, `[…]` and `{a,b}`. */
export function globMatches(path: string, pattern: string): boolean {
  validateString(path, "path");
  validateString(pattern, "pattern");
  let source = "";
  let braces = 0;
  for (let i = 0; i < pattern.length; ) {
    const char = pattern[i];
    if (char === "*" && pattern[i + 1] === "*") {
      const whole = (i === 0 || pattern[i - 1] === "/") && (i + 2 === pattern.length || pattern[i + 2] === "/");
      if (whole && pattern[i + 2] === "/") {
        source += "(?:[^/]+/)*";
        i += 3;
      } else {
        source += whole ? ".*" : "[^/]*";
        i += 2;
      }
      continue;
    }
    const set = char === "[" ? classSource(pattern, i) : undefined;
    if (set !== undefined) {
      source += set.source;
      i = set.next;
      continue;
    }
    if (char === "*") source += "[^/]*";
    else if (char === "?") source += "[^/]";
    else if (char === "{") {
      source += "(?:";
      braces++;
    } else if (char === "}" && braces > 0) {
      source += ")";
      braces--;
    } else if (char === "," && braces > 0) source += "|";
    else source += char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    i++;
  }
  if (braces > 0) return path === pattern;
  return new RegExp(`^${source}$`, "s").test(path);
}
