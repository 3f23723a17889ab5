// The methods of built-in objects that depend on the locale. They load `Intl` on their first call.
import { lazyModule } from "./lazy.ts";

const numbers = lazyModule("internal/intl/number_format.ts");
const dates = lazyModule("internal/intl/date_time_format.ts");
const collation = lazyModule("internal/intl/collator.ts");

const methods: [prototype: object, methods: Record<string, (...args: any[]) => unknown>][] = [
  [
    Number.prototype,
    {
      toLocaleString(this: number, locales?: unknown, options?: unknown) {
        return numbers().numberToLocaleString(Number.prototype.valueOf.call(this), locales, options);
      },
    },
  ],
  [
    BigInt.prototype,
    {
      toLocaleString(this: bigint, locales?: unknown, options?: unknown) {
        return numbers().numberToLocaleString(BigInt.prototype.valueOf.call(this), locales, options);
      },
    },
  ],
  [
    Date.prototype,
    {
      toLocaleString(this: Date, locales?: unknown, options?: unknown) {
        return dates().dateToLocaleString(this, "any", "all", locales, options);
      },
      toLocaleDateString(this: Date, locales?: unknown, options?: unknown) {
        return dates().dateToLocaleString(this, "date", "date", locales, options);
      },
      toLocaleTimeString(this: Date, locales?: unknown, options?: unknown) {
        return dates().dateToLocaleString(this, "time", "time", locales, options);
      },
    },
  ],
  [
    String.prototype,
    {
      localeCompare(this: string, that: unknown, locales?: unknown, options?: unknown) {
        return collation().localeCompare(`${this}`, `${that}`, locales, options);
      },
    },
  ],
  [
    Array.prototype,
    {
      toLocaleString(this: any[], locales?: unknown, options?: unknown) {
        const items = Array.from(this, (item: any) => (item == null ? "" : String(item.toLocaleString(locales, options))));
        return items.join(",");
      },
    },
  ],
];

/** Puts the methods on the prototypes. */
export function installLocaleMethods(): void {
  for (const [prototype, named] of methods) {
    for (const [name, value] of Object.entries(named)) {
      Object.defineProperty(prototype, name, { value, writable: true, enumerable: false, configurable: true });
    }
  }
}
