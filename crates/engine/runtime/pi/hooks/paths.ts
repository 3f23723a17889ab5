// Paths of hooks as people write them, and the folders they are in.
import { readdirSync, statSync } from "../../node/fs.ts";
import { homedir } from "../../node/os.ts";
import { isAbsolute, join, resolve } from "../../node/path.ts";

/** Spaces that come along when a path is copied from a page. */
const SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/** The absolute path that somebody means. */
export function resolveHookPath(path: string, cwd: string): string {
  const plain = path.replace(SPACES, " ");
  const expanded = plain === "~" || plain.startsWith("~/") ? join(homedir(), plain.slice(1)) : plain;
  return isAbsolute(expanded) ? expanded : resolve(cwd, expanded);
}

/** The files of a folder by name, in the order of code points; none when there is no such folder. */
export function filesIn(folder: string): string[] {
  try {
    const isFile = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true;
    return readdirSync(folder).filter((name: string) => !name.startsWith(".") && isFile(name)).sort();
  } catch {
    return [];
  }
}
