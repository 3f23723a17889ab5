// Which `pi` the code of an extension has now: factories run again when a session is replaced.

import { Map, mapGet, mapSet } from "../internal/primordials.ts";

/** The number of the latest `pi` of each set of modules. */
const latest = new Map<number, number>();

/** Notes the `pi` that is made for these modules; gives the one before. */
export function begin(modules: number, pi: number): number | undefined {
  const before = mapGet(latest, modules);
  mapSet(latest, modules, pi);
  return before;
}

/** The `pi` whose handlers are called when an extension of these modules is. */
export function piOf(modules: number): number {
  return mapGet(latest, modules) ?? modules;
}
