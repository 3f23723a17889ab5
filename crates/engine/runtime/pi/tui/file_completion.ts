// The files that complete a path.
import { lazyModule } from "../../internal/lazy.ts";
import { hasSeparator } from "./completion_patterns.ts";

const fs = lazyModule("node/fs.ts");
const os = lazyModule("node/os.ts");
const path = lazyModule("node/path.ts");
const childProcess = lazyModule("node/child_process.ts");

const MAX_FOUND = 100;
const MAX_SHOWN = 20;

type Item = { value: string; label: string; description?: string };
type Prefix = { raw: string; isAttachment: boolean; isQuoted: boolean };
type Entry = { path: string; isDirectory: boolean };

const slashes = (text: string) => text.replaceAll("\\", "/");

/** A typed path without its marks: `@` for attachments and an opening quote. */
function parse(prefix: string): Prefix {
  const isAttachment = prefix.startsWith("@");
  const rest = isAttachment ? prefix.slice(1) : prefix;
  const isQuoted = rest.startsWith('"');
  return { raw: isQuoted ? rest.slice(1) : rest, isAttachment, isQuoted };
}

function marked(name: string, { isAttachment, isQuoted }: Prefix): string {
  const text = isQuoted || hasSeparator(name) ? `"${name}"` : name;
  return isAttachment ? `@${text}` : text;
}

function expandHome(name: string): string {
  if (name !== "~" && !name.startsWith("~/")) return name;
  const expanded = path().join(os().homedir(), name.slice(2));
  return name.endsWith("/") && !expanded.endsWith("/") ? `${expanded}/` : expanded;
}

function isDirectory(name: string): boolean {
  try {
    return fs().statSync(name).isDirectory();
  } catch {
    return false;
  }
}

/** The entries of the folder that `prefix` names whose names begin as typed; folders first. */
export function listFiles(basePath: string, prefix: string): Item[] {
  const parsed = parse(prefix);
  const { raw } = parsed;
  // The typed folder stays as typed; only where it is looked for is expanded.
  const slash = raw.lastIndexOf("/") + 1;
  let typedFolder = raw.slice(0, slash);
  let begin = raw.slice(slash);
  if (raw === "~") [typedFolder, begin] = ["~/", ""];
  const expanded = expandHome(typedFolder);
  const folder = expanded.startsWith("/") ? expanded : path().join(basePath, expanded);
  const wanted = begin.toLowerCase();
  try {
    return fs()
      .readdirSync(folder, { withFileTypes: true })
      .filter((entry: any) => entry.name.toLowerCase().startsWith(wanted))
      .map((entry: any) => {
        const full = path().join(folder, entry.name);
        const slash = entry.isDirectory() || (entry.isSymbolicLink() && isDirectory(full)) ? "/" : "";
        const shown = slashes(typedFolder + entry.name) + slash;
        return { value: marked(shown, parsed), label: entry.name + slash };
      })
      .sort((a: Item, b: Item) => {
        const folders = Number(b.label.endsWith("/")) - Number(a.label.endsWith("/"));
        return folders || a.label.localeCompare(b.label);
      });
  } catch {
    return [];
  }
}

/** The files and folders under a path that fit an attachment as typed, best first. Without `fd` there are none. */
export async function findFiles(
  basePath: string, fdPath: string | null, prefix: string, signal: AbortSignal,
): Promise<Item[]> {
  if (!fdPath || signal.aborted) return [];
  const parsed = parse(prefix);
  const scope = scopeOf(basePath, slashes(parsed.raw));
  const folder = scope?.folder ?? basePath;
  const query = scope?.query ?? parsed.raw;
  const near = await runFd(fdPath, folder, query, signal, ["--max-depth", "1"]);
  const far = await runFd(fdPath, folder, query, signal, []);
  if (signal.aborted) return [];
  const entries = [...new Map([...near, ...far].map((entry) => [entry.path, entry])).values()];
  return entries
    .map((entry) => ({ entry, score: query ? score(entry, query.toLowerCase()) : 1 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || comparePaths(a.entry.path, b.entry.path))
    .slice(0, MAX_SHOWN)
    .map(({ entry }) => {
      const name = entry.isDirectory ? entry.path.slice(0, -1) : entry.path;
      const shown = scope ? scope.typed + slashes(name) : name;
      const slash = entry.isDirectory ? "/" : "";
      return { value: marked(shown + slash, { ...parsed, isAttachment: true }), label: path().basename(name) + slash, description: shown };
    });
}

/** With a folder typed that exists, the search goes on in it. */
function scopeOf(basePath: string, raw: string): { folder: string; query: string; typed: string } | undefined {
  const slash = raw.lastIndexOf("/") + 1;
  if (slash === 0) return undefined;
  const typed = raw.slice(0, slash);
  const expanded = expandHome(typed);
  const folder = expanded.startsWith("/") ? expanded : path().join(basePath, expanded);
  return isDirectory(folder) ? { folder, query: raw.slice(slash), typed } : undefined;
}

function runFd(fdPath: string, folder: string, query: string, signal: AbortSignal, more: string[]): Promise<Entry[]> {
  const args = ["--base-directory", folder, "--max-results", String(MAX_FOUND), "--type", "f", "--type", "d"];
  args.push("--follow", "--hidden", "--exclude", ".git", "--exclude", ".git/*", "--exclude", ".git/**", ...more);
  if (slashes(query).includes("/")) args.push("--full-path");
  if (query) args.push(fdPattern(slashes(query)));
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve([]);
      return;
    }
    const child = childProcess().spawn(fdPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    const abort = () => child.exitCode === null && child.kill("SIGKILL");
    signal.addEventListener("abort", abort, { once: true });
    const finish = (entries: Entry[]) => {
      signal.removeEventListener("abort", abort);
      resolve(entries);
    };
    let output = "";
    child.stdout.setEncoding("utf-8");
    child.stdout.on("data", (chunk: string) => (output += chunk));
    child.on("error", () => finish([]));
    child.on("close", (code: number) => finish(signal.aborted || code !== 0 ? [] : entriesOf(output)));
  });
}

function entriesOf(output: string): Entry[] {
  return output
    .split("\n")
    .filter(Boolean)
    .map((line) => ({ path: slashes(line), isDirectory: /[\\/]$/.test(line) }))
    .filter((entry) => !/(^|\/)\.git(\/|$)/.test(entry.path));
}

/** `fd` takes a pattern: a typed path matches between separators of any kind. */
function fdPattern(query: string): string {
  if (!query.includes("/")) return query;
  const parts = query.split("/").filter(Boolean);
  if (parts.length === 0) return query;
  const separator = "[\\\\/]";
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(separator);
  return query.endsWith("/") ? pattern + separator : pattern;
}

/** How well an entry fits: by its name before its path, and folders a little better. */
function score(entry: Entry, query: string): number {
  const name = path().basename(entry.path).toLowerCase();
  let score = 0;
  if (name === query) score = 100;
  else if (name.startsWith(query)) score = 80;
  else if (name.includes(query)) score = 50;
  else if (entry.path.toLowerCase().includes(query)) score = 30;
  return score > 0 && entry.isDirectory ? score + 10 : score;
}

function comparePaths(a: string, b: string): number {
  const depth = (text: string) => text.split("/").filter(Boolean).length;
  return depth(a) - depth(b) || a.length - b.length || a.localeCompare(b);
}
