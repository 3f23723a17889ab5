// Where hooks of oh-my-pi are: what the registry has, those of more weight first; files beside its folders; then what was
// named.
import { ops } from "tau:ops";
import { homedir } from "../../node/os.ts";
import { join } from "../../node/path.ts";
import { once } from "./discover_original.ts";
import { type Loaded, loadFor } from "./load.ts";
import { filesIn } from "./paths.ts";

/** Loads the hooks that are found, then those that are configured; each file once. */
export function discoverAndLoadHooks(configuredPaths: string[] = [], cwd: string): Promise<Loaded> {
  const extension = ops.currentExtension();
  const found = ops.piHooks(cwd, homedir()) as string[];
  return loadFor(extension, once([...found, ...direct(cwd), ...configuredPaths], cwd), cwd);
}

/** Modules that stand in the folders of hooks themselves, by the names that the agent has had. */
function direct(cwd: string): string[] {
  const names = [".omp", ".pi", ".pisces"];
  const folders = [...names.map((name) => join(cwd, name)), ...names.map((name) => join(homedir(), name, "agent"))];
  const modules = (folder: string) => filesIn(folder).filter((name) => /\.[tj]s$/.test(name));
  return folders.map((folder) => join(folder, "hooks")).flatMap((folder) => modules(folder).map((name) => join(folder, name)));
}
