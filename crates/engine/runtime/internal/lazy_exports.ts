// Exports that load the module they come from on first use, for Node modules whose parts are rarely used together.
import type { Modules } from "../modules.d.ts";
import { importNow } from "./loader.ts";

type Names = { [Path in keyof Modules]?: readonly (keyof Modules[Path])[] };
type NameIn<Listed> = Listed extends readonly (infer Name)[] ? Name : never;
type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;
/** What a table of names comes to: the named exports of all its modules. */
type Exported<Table> = Both<
  { [Path in keyof Table & keyof Modules]: Pick<Modules[Path], NameIn<Table[Path]> & keyof Modules[Path]> }[keyof Table & keyof Modules]
>;

/**
 * Gives the runtime module `path` the exports of other runtime modules: `table` says which module has which names.
 * Returns an object with the same names, for the default export; there they can be replaced.
 */
export function lazyExports<const Table extends Names>(path: keyof Modules, table: Table): Exported<Table> {
  const names = importNow(`tau:${path}`);
  const all: any = {};
  for (const [module, exports] of Object.entries(table as Record<string, readonly string[]>)) {
    for (const name of exports) {
      const load = () => importNow(`tau:${module}`)[name];
      Object.defineProperty(names, name, { enumerable: true, configurable: true, get: load });
      const settle = (value: unknown) => {
        Object.defineProperty(all, name, { enumerable: true, configurable: true, writable: true, value });
        return value;
      };
      Object.defineProperty(all, name, { enumerable: true, configurable: true, get: () => settle(load()), set: settle });
    }
  }
  return all;
}
