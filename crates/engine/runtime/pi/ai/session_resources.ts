// What has to be tidied up when a session ends.

const cleanups = new Set<(sessionId?: string) => void>();

/** Adds something to tidy up; gives what takes it back. */
export function registerSessionResourceCleanup(cleanup: (sessionId?: string) => void): () => void {
  cleanups.add(cleanup);
  return () => void cleanups.delete(cleanup);
}

/** Tidies up; all are called, and what they throw comes together at the end. */
export function cleanupSessionResources(sessionId?: string): void {
  const errors: unknown[] = [];
  for (const cleanup of cleanups) {
    try {
      cleanup(sessionId);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "Failed to cleanup session resources");
}
