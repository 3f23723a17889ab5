// Instructions for agents that live beside the code, and which of a project's files need trust.
import { ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import { dirname, join, resolve } from "../../node/path/posix.ts";
import { CONFIG_DIR_NAME, homeDir } from "./config.ts";

const CANDIDATES = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...ancestors(parent)];
}

/** The context files of a working directory: the user's own, then from the root down. */
export function loadProjectContextFiles({ cwd = ops.cwd(), agentDir }: any): { path: string; content: string }[] {
  const fs = importNow("tau:node/fs.ts");
  const files: { path: string; content: string }[] = [];
  for (const folder of [resolve(agentDir), ...ancestors(resolve(cwd)).reverse()]) {
    for (const path of CANDIDATES.map((name) => join(folder, name))) {
      if (!fs.statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
      if (files.some((file) => file.path === path)) break;
      try {
        files.push({ path, content: fs.readFileSync(path, "utf8") });
        break;
      } catch {
        // Not readable: the next name may be.
      }
    }
  }
  return files;
}

const NEED_TRUST = ["settings.json", "extensions", "skills", "prompts", "themes", "SYSTEM.md", "APPEND_SYSTEM.md"];

/** Whether a project has files that load only when it is trusted. */
export function hasTrustRequiringProjectResources(cwd: string): boolean {
  const fs = importNow("tau:node/fs.ts");
  const real = (path: string) => (fs.existsSync(path) ? fs.realpathSync(path) : resolve(path));
  const shared = (folder: string) => join(folder, ".agents", "skills");
  const own = shared(real(homeDir()));
  return (
    NEED_TRUST.some((name) => fs.existsSync(join(real(cwd), CONFIG_DIR_NAME, name))) ||
    ancestors(real(cwd)).some((folder) => shared(folder) !== own && fs.existsSync(shared(folder)))
  );
}
