// Intl: English (with the numeric dates and numbers of some other locales). Every class is loaded on first use.
import { ops } from "tau:ops";
import { lazyModule } from "./lazy.ts";

const locales = lazyModule("internal/intl/locale.ts");
const units = lazyModule("internal/intl/units.ts");

const CLASSES: [name: string, module: string][] = [
  ["Collator", "collator"],
  ["DateTimeFormat", "date_time_format"],
  ["DisplayNames", "display_names"],
  ["ListFormat", "list_format"],
  ["Locale", "display_names"],
  ["NumberFormat", "number_format"],
  ["PluralRules", "plural_rules"],
  ["RelativeTimeFormat", "relative_time_format"],
  ["Segmenter", "segmenter"],
];

/** The `Intl` object. */
export const Intl: any = Object.defineProperty({}, Symbol.toStringTag, { value: "Intl", configurable: true });

function define(name: string, value: unknown): void {
  Object.defineProperty(Intl, name, { value, writable: true, enumerable: false, configurable: true });
}

for (const [name, module] of CLASSES) {
  const load = (lazyModule as (path: string) => () => any)(`internal/intl/${module}.ts`);
  Object.defineProperty(Intl, name, {
    configurable: true,
    enumerable: false,
    get() {
      const value = load()[name];
      define(name, value);
      return value;
    },
    set(value) {
      define(name, value);
    },
  });
}

define("getCanonicalLocales", function getCanonicalLocales(list?: unknown): string[] {
  return locales().localeList(list);
});

define("supportedValuesOf", function supportedValuesOf(key: string): string[] {
  switch (`${key}`) {
    case "calendar":
      return ["gregory"];
    case "collation":
      return ["default"];
    case "currency":
      return units().currencyCodes();
    case "numberingSystem":
      return ["latn"];
    case "timeZone":
      return ops.intlTimeZones();
    case "unit":
      return units().unitNames();
  }
  throw new RangeError(`Invalid key : ${key}`);
});
