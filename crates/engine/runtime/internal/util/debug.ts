// Output for developers: NODE_DEBUG sections and deprecations.
import { ops } from "tau:ops";
import { lazyModule } from "../lazy.ts";
import { validateString } from "../validators.ts";

const formatModule = lazyModule("internal/format.ts");

function sectionEnabled(section: string): boolean {
  const wanted = globalThis.process.env.NODE_DEBUG;
  if (!wanted) return false;
  return wanted.split(",").some((pattern: string) => {
    const source = pattern.trim().replace(/[|\\{}()[\]^$+?.]/g, "\\$&").replaceAll("*", ".*");
    return new RegExp(`^${source}$`, "i").test(section);
  });
}

/** `util.debuglog`: a function that prints when `NODE_DEBUG` names the section. */
export function debuglog(set: string, onEnabled?: (log: Function) => void): any {
  const section = set.toUpperCase();
  let enabled: boolean | undefined;
  const test = (): boolean => (enabled ??= sectionEnabled(section));
  const log = (...args: unknown[]): void => {
    if (!test()) return;
    if (onEnabled) {
      const tell = onEnabled;
      onEnabled = undefined;
      tell(log);
    }
    ops.consoleWrite("debug", `${section} ${globalThis.process.pid}: ${formatModule().formatValues({}, args)}`);
  };
  Object.defineProperty(log, "enabled", { get: test, configurable: true, enumerable: true });
  return log;
}

export const debug = debuglog;

const warned = new Set<string>();

/** `util.deprecate`: the same function, with a warning on its first call. */
export function deprecate(fn: any, message: string, code?: string): any {
  if (globalThis.process.noDeprecation === true) return fn;
  if (code !== undefined) validateString(code, "code");
  let told = false;
  function deprecated(this: unknown, ...args: unknown[]): unknown {
    if (!told) {
      told = true;
      if (code === undefined || !warned.has(code)) {
        if (code !== undefined) warned.add(code);
        globalThis.process.emitWarning(message, "DeprecationWarning", code, deprecated);
      }
    }
    return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args);
  }
  Object.setPrototypeOf(deprecated, fn);
  if (fn.prototype) deprecated.prototype = fn.prototype;
  Object.defineProperty(deprecated, "length", { value: fn.length, configurable: true });
  return deprecated;
}
