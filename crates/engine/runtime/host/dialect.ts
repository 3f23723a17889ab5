// What an extension's dialect means for its `pi` and its contexts; the table of dialects has the rules.
import { ops } from "tau:ops";
import { Map, mapGet, mapSet } from "../internal/primordials.ts";

export type Dialect = {
  /** Whether the factory must be the default export. */
  defaultOnly: boolean;
  /** What is wrong with a module without a factory. */
  noFactory: string;
  /** Whether components for dialogs get the keybindings only when they take four arguments. */
  keybindingsIfAsked: boolean;
  /** Whether programs that were run tell whether they were killed. */
  tellsKilled: boolean;
  /** Whether its modules see `Bun`. */
  bun: boolean;
  /** Reasons of `session` events that the source mentions and that only some hooks know. */
  mentioned: string[];
  /** What a dialog gives that was closed without an answer. */
  closed?: null;
};

const known = new Map<number, Dialect>();

/** The rules of the dialect of an extension. */
export function dialectOf(id: number): Dialect {
  let dialect = mapGet(known, id);
  if (!dialect) mapSet(known, id, (dialect = ops.extDialect(id) as Dialect));
  return dialect;
}
