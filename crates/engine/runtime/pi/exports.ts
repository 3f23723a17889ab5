// How a package of pi exports its names: extensions import these packages at start-up and use two or three names of
// two hundred, so neither a name nor the module that has it costs anything before the name is used.
import { importNow, lateNames, unavailable } from "../internal/loader.ts";

/**
 * Gives the module `self` the names of the table: module path from `pi/` → names, separated by white space. Names in
 * `absent` may be imported and passed on; using one says that tau does not have it.
 */
export function lazyExports(self: string, table: Record<string, string>, absent: string): void {
  const find = (name: string) => {
    for (const path in table) {
      if (!hasWord(table[path], name)) continue;
      const module = path.startsWith("../") ? `tau:${path.slice(3)}` : `tau:pi/${path}`;
      return () => importNow(module)[name];
    }
    return hasWord(absent, name) ? () => unavailable(name) : undefined;
  };
  const all = () => [...Object.values(table), absent].join(" ").trim().split(/\s+/);
  lateNames(self, find, all);
}

/** Whether a text has a word; nobody splits the text before all of its words are wanted. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isEdge(text, at - 1) && isEdge(text, at + word.length)) return word !== "";
  }
  return false;
}

/** Whether a word ends before this place; outside of the text it does. */
function isEdge(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return !(code > 32);
}
