// Where the original hooks are: the user's folder, the project's folder, then what was named.
import { ops } from "tau:ops";
import { join } from "../../node/path.ts";
import { getAgentDir } from "../coding-agent/config.ts";
import { type Loaded, loadFor } from "./load.ts";
import { filesIn, resolveHookPath } from "./paths.ts";

/** Loads the hooks of the user, of the project, and those that are configured; each file once. */
export function discoverAndLoadHooks(configuredPaths: string[] = [], cwd: string, agentDir?: string): Promise<Loaded> {
  const extension = ops.currentExtension();
  const folders = [join(agentDir ?? getAgentDir(), "hooks"), join(cwd, ".pi", "hooks")];
  const scripts = (folder: string) => filesIn(folder).filter((name) => name.endsWith(".ts"));
  const found = folders.flatMap((folder) => scripts(folder).map((name) => join(folder, name)));
  return loadFor(extension, once([...found, ...configuredPaths], cwd), cwd);
}

/** Paths that mean the same file only count once. */
export function once(paths: string[], cwd: string): string[] {
  const seen = new Set<string>();
  return paths.filter((path) => {
    const resolved = resolveHookPath(path, cwd);
    return !seen.has(resolved) && seen.add(resolved);
  });
}
