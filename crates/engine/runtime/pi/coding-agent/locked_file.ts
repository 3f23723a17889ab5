// Files of the user that several programs change: a directory `<file>.lock` says that one of them is at work.
import { ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import { dirname } from "../../node/path/posix.ts";

/** Milliseconds after which a lock belongs to a program that died. */
const STALE = 10_000;
/** How long another program is waited for. */
const PATIENCE = 5_000;
const PAUSE = 10;

/** The text of a file; undefined when there is none. */
export function readText(path: string): string | undefined {
  try {
    return importNow("tau:node/fs.ts").readFileSync(path, "utf8");
  } catch (error: any) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Runs `work` while no other program changes the file. */
export function withFileLock<T>(path: string, work: () => T): T {
  const unlock = lock(path);
  try {
    return work();
  } finally {
    unlock();
  }
}

/** {@link withFileLock} for work that takes its time. */
export async function withFileLockAsync<T>(path: string, work: () => Promise<T>): Promise<T> {
  const unlock = lock(path);
  const fs = importNow("tau:node/fs.ts");
  const refresh = setInterval(() => {
    const now = new Date();
    try {
      fs.utimesSync(`${path}.lock`, now, now);
    } catch {
      // Taken over: nothing to keep any more.
    }
  }, STALE / 2);
  try {
    return await work();
  } finally {
    clearInterval(refresh);
    unlock();
  }
}

function lock(path: string): () => void {
  const fs = importNow("tau:node/fs.ts");
  const folder = `${path}.lock`;
  fs.mkdirSync(dirname(path), { recursive: true });
  for (let waited = 0; ; waited += PAUSE) {
    try {
      fs.mkdirSync(folder);
      return () => fs.rmSync(folder, { recursive: true, force: true });
    } catch (error: any) {
      if (error.code !== "EEXIST") throw error;
    }
    const since = fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > STALE) fs.rmSync(folder, { recursive: true, force: true });
    else if (waited >= PATIENCE) throw new Error(`another program holds the lock ${folder}`);
    else ops.piSleep(PAUSE);
  }
}

/** Replaces a file in one step; `mode` is for a new one. */
export function replaceText(path: string, text: string, mode = 0o644): void {
  const fs = importNow("tau:node/fs.ts");
  fs.mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${ops.pid}.${Date.now().toString(36)}.tmp`;
  fs.writeFileSync(fresh, text, { mode: fs.statSync(path, { throwIfNoEntry: false })?.mode ?? mode });
  fs.renameSync(fresh, path);
}
