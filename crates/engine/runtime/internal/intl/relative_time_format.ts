// Intl.RelativeTimeFormat in English.
import { intlClass, option, optionsOf, resolveLocale } from "./locale.ts";
import { NumberFormat } from "./number_format.ts";
import type { Part } from "./number_format.ts";

// Per unit: short form, narrow form, and how many of it can be said with a word.
const UNITS: Record<string, [short: string, narrow: string]> = {
  second: ["sec.", "s"],
  minute: ["min.", "m"],
  hour: ["hr.", "h"],
  day: ["day", "d"],
  week: ["wk.", "w"],
  month: ["mo.", "mo"],
  quarter: ["qtr.", "q"],
  year: ["yr.", "y"],
};

/** Says how long ago or ahead something is. */
class RelativeTimeFormatClass {
  #locale: string;
  #style: string;
  #numeric: string;
  #numbers: any;

  constructor(locales?: unknown, given?: unknown) {
    const options = optionsOf(given);
    this.#locale = resolveLocale(locales);
    this.#style = option(options, "style", ["long", "short", "narrow"], "long");
    this.#numeric = option(options, "numeric", ["always", "auto"], "always");
    this.#numbers = new NumberFormat(locales);
  }

  format(value: number, unit: string): string {
    return this.formatToParts(value, unit).map((part) => part.value).join("");
  }

  formatToParts(value: number, unit: string): (Part & { unit?: string })[] {
    const amount = Number(value);
    const name = String(unit).replace(/s$/, "");
    if (!Object.hasOwn(UNITS, name)) throw new RangeError(`Invalid unit argument for format() '${unit}'`);
    if (!Number.isFinite(amount)) throw new RangeError("The number value is not finite.");
    if (this.#numeric === "auto") {
      const word = this.#word(amount, name);
      if (word !== undefined) return [{ type: "literal", value: word }];
    }
    const past = amount < 0 || Object.is(amount, -0);
    const number: Part[] = this.#numbers.formatToParts(Math.abs(amount));
    const label = this.#label(name, number.map((part) => part.value).join("") !== "1");
    const parts: (Part & { unit?: string })[] = number.map((part) => ({ ...part, unit: name }));
    if (!past) parts.unshift({ type: "literal", value: "in " });
    parts.push({ type: "literal", value: past ? `${label} ago` : label });
    return parts;
  }

  #label(name: string, plural: boolean): string {
    const [short, narrow] = UNITS[name];
    if (this.#style === "narrow") return narrow;
    if (this.#style === "long" || name === "day") return ` ${name}${plural ? "s" : ""}`;
    return ` ${name === "quarter" && plural ? "qtrs." : short}`;
  }

  #word(amount: number, name: string): string | undefined {
    if (name === "second") return amount === 0 ? "now" : undefined;
    if (name === "day" && Math.abs(amount) <= 1 && Number.isInteger(amount)) return ["yesterday", "today", "tomorrow"][amount + 1];
    const label = this.#style === "long" ? name : UNITS[name][0];
    if (amount === 0) return `this ${name === "hour" || name === "minute" ? name : label}`;
    if (name === "hour" || name === "minute") return undefined;
    if (amount === 1) return `next ${label}`;
    return amount === -1 ? `last ${label}` : undefined;
  }

  resolvedOptions(): any {
    return { locale: this.#locale, style: this.#style, numeric: this.#numeric, numberingSystem: "latn" };
  }
}
Object.defineProperty(RelativeTimeFormatClass, "name", { value: "RelativeTimeFormat", configurable: true });

export const RelativeTimeFormat = intlClass(RelativeTimeFormatClass, false);
