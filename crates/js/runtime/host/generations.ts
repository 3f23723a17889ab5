// Which `pi` the code of an extension has now: factories run again when a session is replaced.

/** The number of the latest `pi` of each set of modules. */
const latest = new Map<number, number>();

/** Notes the `pi` that is made for these modules; gives the one before. */
export function begin(modules: number, pi: number): number | undefined {
  const before = latest.get(modules);
  latest.set(modules, pi);
  return before;
}

/** The `pi` whose handlers are called when an extension of these modules is. */
export function piOf(modules: number): number {
  return latest.get(modules) ?? modules;
}
