// Exports that cost nothing until somebody calls them.

/**
 * An object whose every property is a function that loads a module through `load` on its first
 * call and passes the call on to the export of the same name. Meant to be destructured.
 */
export function forwarders<Module extends object>(load: () => Module): Module {
  return new Proxy(Object.create(null), {
    get: (_target, name) =>
      function (this: any, ...args: any[]) {
        return (load() as any)[name].apply(this, args);
      },
  });
}

/**
 * An object whose every property is a function that throws its own name: names which the published
 * package has and which are not available here.
 */
export function absentNames(module: string): any {
  return new Proxy(Object.create(null), {
    get: (_target, name) =>
      function () {
        throw new Error(`${String(name)} of ${module} is not available in tau`);
      },
  });
}

/** A plain object whose named properties are read from a module that loads on the first read. */
export function lazyObject(load: () => any, names: string): any {
  const result: any = {};
  for (const name of names.split(" ")) {
    Object.defineProperty(result, name, { enumerable: true, configurable: true, get: () => load()[name] });
  }
  return result;
}
