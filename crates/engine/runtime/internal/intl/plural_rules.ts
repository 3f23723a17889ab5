// Intl.PluralRules for English.
import { intlClass, option, optionsOf, resolveLocale } from "./locale.ts";
import { NumberFormat } from "./number_format.ts";

/** Which form of a word goes with a number. */
class PluralRulesClass {
  #locale: string;
  #type: string;
  #digits: any;
  #format: any;

  constructor(locales?: unknown, given?: unknown) {
    const options = optionsOf(given);
    this.#locale = resolveLocale(locales);
    this.#type = option(options, "type", ["cardinal", "ordinal"], "cardinal");
    const { minimumIntegerDigits, minimumFractionDigits, maximumFractionDigits, minimumSignificantDigits, maximumSignificantDigits } = options;
    this.#digits = { minimumIntegerDigits, minimumFractionDigits, maximumFractionDigits, minimumSignificantDigits, maximumSignificantDigits };
    this.#format = new NumberFormat("en-US", { ...this.#digits, useGrouping: false });
  }

  select(value: number): string {
    // What counts is the number as it is shown: `1.0` is no longer one.
    const text: string = this.#format.format(Math.abs(Number(value)));
    if (this.#type === "cardinal") return text === "1" ? "one" : "other";
    if (!/^\d+$/.test(text) || /1[123]$/.test(text)) return "other";
    return ({ 1: "one", 2: "two", 3: "few" } as any)[text[text.length - 1]] ?? "other";
  }

  selectRange(_start: number, end: number): string {
    return this.select(end);
  }

  resolvedOptions(): any {
    const { locale: _locale, numberingSystem: _system, style: _style, useGrouping: _grouping, notation: _notation, signDisplay: _sign, ...rest } =
      this.#format.resolvedOptions();
    const { roundingIncrement, roundingMode, roundingPriority, trailingZeroDisplay, ...digits } = rest;
    return {
      locale: this.#locale,
      type: this.#type,
      ...digits,
      pluralCategories: this.#type === "cardinal" ? ["one", "other"] : ["few", "one", "two", "other"],
      roundingIncrement,
      roundingMode,
      roundingPriority,
      trailingZeroDisplay,
    };
  }
}
Object.defineProperty(PluralRulesClass, "name", { value: "PluralRules", configurable: true });

export const PluralRules = intlClass(PluralRulesClass, false);
