// Exports that load the module they come from on first use, for Node modules whose parts are rarely used together.
import { importNow } from "./loader.ts";

/**
 * Gives the runtime module `path` the exports of other runtime modules: `table` says which module has which names.
 * Returns an object with the same names, for the default export; there they can be replaced.
 */
export function lazyExports(path: string, table: Record<string, string[]>): any {
  const names = importNow(`tau:${path}`);
  const all: any = {};
  for (const [module, exports] of Object.entries(table)) {
    for (const name of exports) {
      const load = () => importNow(`tau:${module}`)[name];
      Object.defineProperty(names, name, { enumerable: true, configurable: true, get: load });
      const settle = (value: any) => {
        Object.defineProperty(all, name, { enumerable: true, configurable: true, writable: true, value });
        return value;
      };
      Object.defineProperty(all, name, { enumerable: true, configurable: true, get: () => settle(load()), set: settle });
    }
  }
  return all;
}
