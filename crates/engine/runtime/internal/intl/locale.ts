// Locales: names in canonical form, and the few whose numbers and dates differ here from English.

/** What a locale changes about numbers and numeric dates. Words stay English. */
export interface Profile {
  decimal: string;
  group: string;
  /** The order of the parts of a numeric date, and what stands between them. */
  order: "mdy" | "dmy" | "ymd";
  separator: string;
  /** Whether days and months of numeric dates have two digits. */
  padded: boolean;
  hour12: boolean;
  am: string;
  pm: string;
  /** What joins a numeric date and a time. */
  glue: string;
}

const US: Profile = {
  decimal: ".", group: ",", order: "mdy", separator: "/", padded: false, hour12: true, am: "AM", pm: "PM", glue: ", ",
};

const PROFILES: Record<string, Partial<Profile>> = {
  en: {},
  "en-US": {},
  "en-GB": { order: "dmy", padded: true, hour12: false, am: "am", pm: "pm" },
  "en-AU": { order: "dmy", padded: true, am: "am", pm: "pm" },
  "en-NZ": { order: "dmy", padded: false, am: "am", pm: "pm" },
  "en-IE": { order: "dmy", hour12: false, am: "am", pm: "pm" },
  "en-CA": { order: "ymd", separator: "-", padded: true, am: "a.m.", pm: "p.m." },
  sv: { order: "ymd", separator: "-", padded: true, hour12: false, decimal: ",", group: "\u00a0", glue: " " },
  de: { order: "dmy", separator: ".", hour12: false, decimal: ",", group: "." },
  fr: { order: "dmy", padded: true, hour12: false, decimal: ",", group: "\u202f", glue: " " },
  es: { order: "dmy", hour12: false, decimal: ",", group: "." },
  it: { order: "dmy", hour12: false, decimal: ",", group: "." },
  nl: { order: "dmy", separator: "-", hour12: false, decimal: ",", group: "." },
  pt: { order: "dmy", padded: true, hour12: false, decimal: ",", group: "." },
  ja: { order: "ymd", hour12: false, glue: " " },
  zh: { order: "ymd", hour12: false, glue: " " },
};

/** The name in canonical form (`EN-us` is `en-US`); throws a RangeError for what is no locale name. */
export function canonicalLocale(tag: unknown): string {
  if (typeof tag !== "string" && (typeof tag !== "object" || tag === null)) {
    throw new TypeError("Incorrect locale information provided");
  }
  const text = String(tag);
  if (!/^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*$/.test(text)) {
    throw new RangeError(`Incorrect locale information provided`);
  }
  return text
    .split(/[-_]/)
    .map((part, i) => {
      if (i === 0) return part.toLowerCase();
      if (part.length === 4 && /^[A-Za-z]+$/.test(part)) return part[0].toUpperCase() + part.slice(1).toLowerCase();
      return part.length === 2 ? part.toUpperCase() : part.toLowerCase();
    })
    .join("-");
}

/** The canonical names of a locale argument: a name, a list of them, or nothing. */
export function localeList(locales: unknown): string[] {
  if (locales === undefined) return [];
  if (locales === null) throw new TypeError("Cannot convert undefined or null to object");
  const list = typeof locales === "string" || !Array.isArray(locales) ? [locales] : locales;
  return [...new Set(list.map(canonicalLocale))];
}

function lookup(tag: string): Partial<Profile> | undefined {
  return Object.hasOwn(PROFILES, tag) ? PROFILES[tag] : PROFILES[tag.split("-")[0]];
}

/** The locale that serves a request, always `en-US` when none of the wanted ones is known. */
export function resolveLocale(locales: unknown): string {
  for (const tag of localeList(locales)) {
    const plain = tag.replace(/-u-.*$/, "");
    if (lookup(plain) !== undefined) return plain;
  }
  return "en-US";
}

/** The wanted locales that are known. */
export function supportedLocales(locales: unknown): string[] {
  return localeList(locales).filter((tag) => lookup(tag) !== undefined);
}

/** How numbers and dates look in a resolved locale. */
export function profileOf(locale: string): Profile {
  return { ...US, ...lookup(locale) };
}

/** Reads one option: undefined gives `fallback`; throws a RangeError unless it is one of `values`. */
export function option<T>(options: any, name: string, values: readonly T[] | undefined, fallback: T): T {
  const value = options?.[name];
  if (value === undefined) return fallback;
  const text = typeof fallback === "boolean" || (values !== undefined && typeof values[0] === "boolean") ? Boolean(value) : String(value);
  if (values !== undefined && !values.includes(text as T)) {
    throw new RangeError(`Value ${String(value)} out of range for Intl options property ${name}`);
  }
  return text as T;
}

/** Options must be an object or nothing. */
export function optionsOf(options: unknown): any {
  if (options === null) throw new TypeError("Cannot convert undefined or null to object");
  return options ?? {};
}

/** Makes a class callable without `new`, as some of `Intl` are, and names it for `Object.prototype.toString`. */
export function intlClass<T extends { prototype: any; name: string }>(Class: T, callable: boolean): T {
  Object.defineProperty(Class.prototype, Symbol.toStringTag, { value: `Intl.${Class.name}`, configurable: true });
  Object.defineProperty(Class, "supportedLocalesOf", {
    value: (locales: unknown) => supportedLocales(locales),
    writable: true,
    configurable: true,
  });
  if (!callable) return Class;
  return new Proxy(Class as any, { apply: (target, _self, args) => Reflect.construct(target, args) });
}
