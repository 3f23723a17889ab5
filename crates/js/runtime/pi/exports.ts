// How a package of pi exports its names: extensions import these packages at start-up and use two or three names of
// two hundred, so a module of the runtime is loaded when one of its names is first used.
import { importNow, unavailable } from "../internal/loader.ts";

/**
 * Gives the module `self` the names of the table: module path from `pi/` → names, separated by white space. Names in
 * `absent` may be imported and passed on; using one says that tau does not have it.
 */
export function lazyExports(self: string, table: Record<string, string>, absent: string): void {
  const exports = importNow(self);
  for (const path in table) {
    const module = path.startsWith("../") ? `tau:${path.slice(3)}` : `tau:pi/${path}`;
    for (const name of words(table[path])) define(exports, name, () => importNow(module)[name]);
  }
  for (const name of words(absent)) define(exports, name, () => unavailable(name));
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function define(exports: any, name: string, load: () => any): void {
  Object.defineProperty(exports, name, {
    enumerable: true,
    configurable: true,
    get() {
      const value = load();
      // A module in a cycle may not have got to this name yet.
      if (value !== undefined) Object.defineProperty(exports, name, { enumerable: true, configurable: true, value });
      return value;
    },
  });
}
