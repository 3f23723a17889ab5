// Intl.ListFormat in English.
import { intlClass, option, optionsOf, resolveLocale } from "./locale.ts";
import type { Part } from "./number_format.ts";

/** Joins words to a list. */
class ListFormatClass {
  #locale: string;
  #type: string;
  #style: string;

  constructor(locales?: unknown, given?: unknown) {
    const options = optionsOf(given);
    this.#locale = resolveLocale(locales);
    this.#type = option(options, "type", ["conjunction", "disjunction", "unit"], "conjunction");
    this.#style = option(options, "style", ["long", "short", "narrow"], "long");
  }

  // What stands between two, between more, and before the last of more.
  #separators(): [pair: string, middle: string, last: string] {
    if (this.#type === "disjunction") return [" or ", ", ", ", or "];
    if (this.#type === "unit") return this.#style === "narrow" ? [" ", " ", " "] : [", ", ", ", ", "];
    if (this.#style === "long") return [" and ", ", ", ", and "];
    return this.#style === "short" ? [" & ", ", ", ", & "] : [", ", ", ", ", "];
  }

  format(list: Iterable<string>): string {
    return this.formatToParts(list).map((part) => part.value).join("");
  }

  formatToParts(list: Iterable<string> = []): Part[] {
    const items = [...list];
    const [pair, middle, last] = this.#separators();
    const parts: Part[] = [];
    items.forEach((item, i) => {
      if (typeof item !== "string") throw new TypeError("Iterable yielded a non-String value");
      if (i > 0) parts.push({ type: "literal", value: items.length === 2 ? pair : i === items.length - 1 ? last : middle });
      parts.push({ type: "element", value: item });
    });
    return parts;
  }

  resolvedOptions(): any {
    return { locale: this.#locale, type: this.#type, style: this.#style };
  }
}
Object.defineProperty(ListFormatClass, "name", { value: "ListFormat", configurable: true });

export const ListFormat = intlClass(ListFormatClass, false);
