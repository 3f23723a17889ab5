// Where things are, and which version extensions see.
import { ops } from "tau:ops";
import { join, resolve } from "../../node/path/posix.ts";

/** The version of pi that tau speaks for. */
export const VERSION = "1.5.2";
/** The folder of a project's configuration. */
export const CONFIG_DIR_NAME = ".pi";
/** The version of the session format. */
export const CURRENT_SESSION_VERSION = 3;

/** The user's home directory. */
export function homeDir(): string {
  return ops.envGet("HOME") || "/";
}

/** A path with a leading `~` written out. */
export function expandTilde(path: string): string {
  if (path === "~") return homeDir();
  return path.startsWith("~/") ? homeDir() + path.slice(1) : path;
}

/** The folder of the user's configuration. */
export function getAgentDir(): string {
  const named = ops.envGet("PI_CODING_AGENT_DIR");
  return named ? expandTilde(named) : join(homeDir(), CONFIG_DIR_NAME, "agent");
}

/** The folder in which the manual and the examples are. */
export function getPackageDir(): string {
  const named = ops.envGet("PI_PACKAGE_DIR");
  return named ? expandTilde(named) : join(getAgentDir(), "tau-docs", ops.piVersion);
}

/** The manual's first page. */
export function getReadmePath(): string {
  return resolve(join(getPackageDir(), "README.md"));
}

/** The manual. */
export function getDocsPath(): string {
  return resolve(join(getPackageDir(), "docs"));
}

/** The examples. */
export function getExamplesPath(): string {
  return resolve(join(getPackageDir(), "examples"));
}

/** Says where something comes from that was not discovered but made. */
export function createSyntheticSourceInfo(path: string, options: any): any {
  return {
    path,
    source: options.source,
    scope: options.scope ?? "temporary",
    origin: options.origin ?? "top-level",
    baseDir: options.baseDir,
  };
}
