// Modules that are needed only on some calls are loaded on the first such call.
import { importNow } from "./loader.ts";

/**
 * Returns a function that loads the runtime's module `path` (such as `internal/inspect.ts`) on its
 * first call and answers with the module's exports.
 */
export function lazyModule(path: string): () => any {
  let exports: any;
  return () => (exports ??= importNow(`tau:${path}`));
}
