// What an extension's dialect means for its `pi` and its contexts; the table of dialects has the rules.
import { type Dialect, ops } from "tau:ops";
import { Map, mapGet, mapSet } from "../internal/primordials.ts";

const known = new Map<number, Dialect>();

/** The rules of the dialect of an extension. */
export function dialectOf(id: number): Dialect {
  let dialect = mapGet(known, id);
  if (!dialect) mapSet(known, id, (dialect = ops.extDialect(id)));
  return dialect;
}
