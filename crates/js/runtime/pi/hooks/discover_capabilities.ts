// Where hooks of oh-my-pi are: what providers of several tools bring, those of more weight first; then what was named.
import { ops } from "tau:ops";
import { homedir } from "../../node/os.ts";
import { join } from "../../node/path.ts";
import { once } from "./discover_original.ts";
import { type Loaded, loadFor } from "./load.ts";
import { filesIn } from "./paths.ts";

type Item = { type: string; tool: string; name: string; path: string };
const TYPES = ["pre", "post"];

/** Loads the hooks that are found, then those that are configured; each file once. */
export function discoverAndLoadHooks(configuredPaths: string[] = [], cwd: string): Promise<Loaded> {
  const extension = ops.currentExtension();
  const items = [native(cwd), claude(cwd), codex(cwd)].flat();
  // Of items that are for the same purpose the first one counts.
  const keys = new Set<string>();
  const counts = ({ type, tool, name }: Item) => {
    const key = `${type}:${tool}:${name}`;
    return !keys.has(key) && keys.add(key);
  };
  const found = items.filter(counts).map((item) => item.path);
  return loadFor(extension, once([...found, ...direct(cwd), ...configuredPaths], cwd), cwd);
}

/** The folders that the agent has had, by its names; the first that has something counts. */
const NAMES = [".omp", ".pi", ".pisces"];

function native(cwd: string): Item[] {
  const first = (folders: string[]) => folders.map((folder) => typed(folder, /\.[^.]+$/)).find((items) => items.length > 0);
  const project = first(NAMES.map((name) => join(cwd, name, "hooks")));
  const user = first(NAMES.map((name) => join(homedir(), name, "agent", "hooks")));
  return [...(project ?? []), ...(user ?? [])];
}

function claude(cwd: string): Item[] {
  const folders = [join(homedir(), ".claude", "hooks"), join(cwd, ".claude", "hooks")];
  return folders.flatMap((folder) => typed(folder, /\.(sh|bash|zsh|fish)$/));
}

/** Files of the folders `pre` and `post`; a file's tool is its name without what `ending` takes off. */
function typed(folder: string, ending: RegExp): Item[] {
  return TYPES.flatMap((type) => {
    const item = (name: string) => ({ type, tool: name.replace(ending, ""), name, path: join(folder, type, name) });
    return filesIn(join(folder, type)).map(item);
  });
}

function codex(cwd: string): Item[] {
  const folders = [homedir(), cwd].map((root) => join(root, ".codex", "hooks"));
  return folders.flatMap((folder) => {
    const item = (name: string): Item => {
      const base = name.replace(/\.[^.]+$/, "");
      const type = TYPES.find((type) => base.startsWith(`${type}-`));
      return { type: type ?? "pre", tool: type ? base.slice(type.length + 1) : base, name, path: join(folder, name) };
    };
    return modules(folder).map(item);
  });
}

const modules = (folder: string) => filesIn(folder).filter((name) => /\.[tj]s$/.test(name));

/** Modules that stand in the folders of hooks themselves. */
function direct(cwd: string): string[] {
  const folders = [...NAMES.map((name) => join(cwd, name, "hooks")), ...NAMES.map((name) => join(homedir(), name, "agent", "hooks"))];
  return folders.flatMap((folder) => modules(folder).map((name) => join(folder, name)));
}
