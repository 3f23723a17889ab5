// Changes of one file, one after another.
import { ops } from "tau:ops";

/**
 * Runs `work` when nothing else is changing the file, this session's own tools included. Links to a file count as
 * the file.
 */
export async function withFileMutationQueue<T>(filePath: string, work: () => Promise<T>): Promise<T> {
  const lock = await ops.piMutationLock(filePath);
  try {
    return await work();
  } finally {
    ops.resourceClose(lock);
  }
}
