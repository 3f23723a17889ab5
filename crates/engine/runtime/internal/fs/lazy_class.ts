/** Classes whose modules are loaded when they are first used. */

/**
 * Stands for the class that `load` gives: `new`, calls, `instanceof`, `extends` and static members all reach it.
 */
export function lazyClass<Class extends object>(name: string, load: () => Class): Class {
  const stand = function () {};
  Object.defineProperty(stand, "name", { value: name });
  const proxy: any = new Proxy(stand, {
    apply: (_, __, args) => new (load() as any)(...args),
    construct: (_, args, target) => Reflect.construct(load() as any, args, target === proxy ? (load() as any) : target),
    get: (_, key) => (key === Symbol.hasInstance ? (value: unknown) => value instanceof (load() as any) : Reflect.get(load(), key)),
    set: (_, key, value) => Reflect.set(load(), key, value),
    has: (_, key) => Reflect.has(load(), key),
    getPrototypeOf: () => Reflect.getPrototypeOf(load()),
  });
  return proxy;
}
