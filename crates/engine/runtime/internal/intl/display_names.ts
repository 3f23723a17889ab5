// Intl.DisplayNames and Intl.Locale: names of codes as far as they are known here.
import { canonicalLocale, intlClass, option, optionsOf, resolveLocale } from "./locale.ts";
import { currencyName } from "./units.ts";

const LANGUAGES: Record<string, string> = {
  ar: "Arabic", cs: "Czech", da: "Danish", de: "German", el: "Greek", en: "English", es: "Spanish", fi: "Finnish", fr: "French",
  he: "Hebrew", hi: "Hindi", hu: "Hungarian", id: "Indonesian", it: "Italian", ja: "Japanese", ko: "Korean", nb: "Norwegian Bokmål",
  nl: "Dutch", no: "Norwegian", pl: "Polish", pt: "Portuguese", ro: "Romanian", ru: "Russian", sv: "Swedish", th: "Thai",
  tr: "Turkish", uk: "Ukrainian", vi: "Vietnamese", zh: "Chinese",
};
const REGIONS: Record<string, string> = {
  AT: "Austria", AU: "Australia", BE: "Belgium", BR: "Brazil", CA: "Canada", CH: "Switzerland", CN: "China", DE: "Germany",
  DK: "Denmark", ES: "Spain", FI: "Finland", FR: "France", GB: "United Kingdom", IE: "Ireland", IL: "Israel", IN: "India",
  IT: "Italy", JP: "Japan", KR: "South Korea", MX: "Mexico", NL: "Netherlands", NO: "Norway", NZ: "New Zealand", PL: "Poland",
  PT: "Portugal", RU: "Russia", SE: "Sweden", SG: "Singapore", TR: "Türkiye", UA: "Ukraine", US: "United States", ZA: "South Africa",
};

/** Names of languages, regions and currencies. */
class DisplayNamesClass {
  #locale: string;
  #type: string;
  #style: string;
  #fallback: string;

  constructor(locales: unknown, given: unknown) {
    if (given === undefined) throw new TypeError("Cannot convert undefined or null to object");
    const options = optionsOf(given);
    this.#locale = resolveLocale(locales);
    this.#style = option(options, "style", ["narrow", "short", "long"], "long");
    this.#type = option(options, "type", ["language", "region", "script", "currency", "calendar", "dateTimeField"], undefined as any);
    if (this.#type === undefined) throw new TypeError("Required option \"type\" must not be undefined");
    this.#fallback = option(options, "fallback", ["code", "none"], "code");
  }

  of(code: unknown): string | undefined {
    const text = String(code);
    let name: string | undefined;
    if (this.#type === "region") name = REGIONS[text.toUpperCase()];
    else if (this.#type === "currency") {
      const known = currencyName(text.toUpperCase());
      name = known === text.toUpperCase() ? undefined : known;
    } else if (this.#type === "language") {
      const [language, region] = canonicalLocale(text).split("-");
      name = LANGUAGES[language] && (region === undefined ? LANGUAGES[language] : `${LANGUAGES[language]} (${REGIONS[region] ?? region})`);
    }
    return name ?? (this.#fallback === "code" ? text : undefined);
  }

  resolvedOptions(): any {
    return { locale: this.#locale, style: this.#style, type: this.#type, fallback: this.#fallback };
  }
}
Object.defineProperty(DisplayNamesClass, "name", { value: "DisplayNames", configurable: true });

export const DisplayNames = intlClass(DisplayNamesClass, false);

/** A locale name taken apart. */
class LocaleClass {
  #tag: string;

  constructor(tag: unknown) {
    this.#tag = tag instanceof LocaleClass ? tag.toString() : canonicalLocale(tag);
  }

  get baseName(): string {
    return this.#tag.replace(/-[a-z]-.*$/, "");
  }

  get language(): string {
    return this.#tag.split("-")[0];
  }

  get script(): string | undefined {
    return this.baseName.split("-").slice(1).find((part) => part.length === 4 && /^[A-Z]/.test(part));
  }

  get region(): string | undefined {
    return this.baseName.split("-").slice(1).find((part) => /^(?:[A-Z]{2}|\d{3})$/.test(part));
  }

  maximize(): LocaleClass {
    return this.#tag === "en" ? new LocaleClass("en-Latn-US") : this;
  }

  minimize(): LocaleClass {
    return /^en(?:-Latn)?(?:-US)?$/.test(this.#tag) ? new LocaleClass("en") : this;
  }

  toString(): string {
    return this.#tag;
  }
}
Object.defineProperty(LocaleClass, "name", { value: "Locale", configurable: true });
Object.defineProperty(LocaleClass.prototype, Symbol.toStringTag, { value: "Intl.Locale", configurable: true });

export const Locale = LocaleClass;
