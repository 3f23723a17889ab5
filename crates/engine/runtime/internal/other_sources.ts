// Time and chance of a run that can be repeated, in the place of the system's. Runs only in an engine that was given some,
// before anything of an extension.
import { ops } from "tau:ops";

/** Puts `Date` and `Math.random` on what the engine was given. */
export function useSources(clock: boolean, random: boolean): void {
  if (clock) replaceDate();
  if (random) Object.defineProperty(Math, "random", { ...hidden, value: () => ops.chance() });
}

const hidden = { writable: true, configurable: true, enumerable: false };

function replaceDate(): void {
  const Native: any = Date;
  const now = () => ops.clockNow();
  const Other: any = function (...args: any[]) {
    if (!new.target) return new Native(now()).toString();
    return Reflect.construct(Native, args.length === 0 ? [now()] : args, new.target);
  };
  Object.defineProperties(Other, {
    name: { value: "Date", configurable: true },
    length: { value: 7, configurable: true },
    prototype: { value: Native.prototype },
    now: { ...hidden, value: now },
    parse: { ...hidden, value: Native.parse },
    UTC: { ...hidden, value: Native.UTC },
  });
  Object.defineProperty(Native.prototype, "constructor", { ...hidden, value: Other });
  Object.defineProperty(globalThis, "Date", { ...hidden, value: Other });
}
