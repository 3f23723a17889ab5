// Modules that are needed only on some calls are loaded on the first such call.
import type { Modules } from "../modules.d.ts";
import { importNow } from "./loader.ts";

/**
 * Returns a function that loads the runtime's module `path` (such as `internal/inspect.ts`) on its
 * first call and answers with the module's exports.
 */
export function lazyModule<Path extends keyof Modules>(path: Path): () => Modules[Path] {
  let exports: Modules[Path] | undefined;
  return () => (exports ??= importNow<Path>(`tau:${path}`));
}
