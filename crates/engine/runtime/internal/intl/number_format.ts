// Intl.NumberFormat.
import { roundDigits, shift, splitDecimal, toDecimal } from "./decimal.ts";
import type { Decimal } from "./decimal.ts";
import { intlClass, option, optionsOf, profileOf, resolveLocale } from "./locale.ts";
import type { Profile } from "./locale.ts";
import { currencyDigits, currencyName, currencySymbol, isUnit, unitText } from "./units.ts";

/** A piece of formatted text with its meaning. */
export interface Part {
  type: string;
  value: string;
}

const ROUNDING_MODES = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"];
const COMPACT = [
  ["K", "thousand"],
  ["M", "million"],
  ["B", "billion"],
  ["T", "trillion"],
];

function integerOption(options: any, name: string, min: number, max: number): number | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  const number = Math.floor(Number(value));
  if (!(number >= min && number <= max)) throw new RangeError(`${name} value is out of range.`);
  return number;
}

interface Settings {
  locale: string;
  style: string;
  currency?: string;
  currencyDisplay: string;
  currencySign: string;
  unit?: string;
  unitDisplay: string;
  notation: string;
  compactDisplay: string;
  signDisplay: string;
  useGrouping: string | false;
  minimumIntegerDigits: number;
  minimumFractionDigits?: number;
  maximumFractionDigits?: number;
  minimumSignificantDigits?: number;
  maximumSignificantDigits?: number;
  roundingMode: string;
  trailingZeroDisplay: string;
  /** Compact numbers without digit options: two digits, or all of the integer. */
  compactRounding: boolean;
}

function groupingOption(options: any, notation: string): string | false {
  const fallback = notation === "compact" ? "min2" : "auto";
  const value = options.useGrouping;
  if (value === undefined || value === "true") return fallback;
  if (value === false || value === "false") return false;
  if (value === true) return "always";
  return option(options, "useGrouping", ["min2", "auto", "always"], fallback);
}

function readDigits(settings: Settings, options: unknown): void {
  const { style, notation } = settings;
  settings.minimumIntegerDigits = integerOption(options, "minimumIntegerDigits", 1, 21) ?? 1;
  const minSignificant = integerOption(options, "minimumSignificantDigits", 1, 21);
  const maxSignificant = integerOption(options, "maximumSignificantDigits", minSignificant ?? 1, 21);
  if (minSignificant !== undefined || maxSignificant !== undefined) {
    settings.minimumSignificantDigits = minSignificant ?? 1;
    settings.maximumSignificantDigits = maxSignificant ?? 21;
    return;
  }
  let min = integerOption(options, "minimumFractionDigits", 0, 100);
  let max = integerOption(options, "maximumFractionDigits", 0, 100);
  if (notation === "compact" && min === undefined && max === undefined) {
    settings.compactRounding = true;
    settings.minimumFractionDigits = settings.maximumFractionDigits = 0;
    settings.minimumSignificantDigits = 1;
    settings.maximumSignificantDigits = 2;
    return;
  }
  const money = style === "currency" && notation === "standard" ? currencyDigits(settings.currency!) : undefined;
  const defaultMin = money ?? 0;
  const defaultMax = money ?? (style === "percent" ? 0 : 3);
  if (min === undefined && max !== undefined) min = Math.min(defaultMin, max);
  else if (max === undefined && min !== undefined) max = Math.max(defaultMax, min);
  min ??= defaultMin;
  max ??= defaultMax;
  if (min > max) throw new RangeError("maximumFractionDigits value is out of range.");
  settings.minimumFractionDigits = min;
  settings.maximumFractionDigits = max;
}

function readSettings(locales: unknown, given: unknown): Settings {
  const options = optionsOf(given);
  const settings: Settings = {
    locale: resolveLocale(locales),
    style: option(options, "style", ["decimal", "percent", "currency", "unit"], "decimal"),
    currencyDisplay: option(options, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol"),
    currencySign: option(options, "currencySign", ["standard", "accounting"], "standard"),
    unitDisplay: option(options, "unitDisplay", ["short", "narrow", "long"], "short"),
    notation: option(options, "notation", ["standard", "scientific", "engineering", "compact"], "standard"),
    compactDisplay: option(options, "compactDisplay", ["short", "long"], "short"),
    signDisplay: option(options, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto"),
    useGrouping: false,
    minimumIntegerDigits: 1,
    roundingMode: option(options, "roundingMode", ROUNDING_MODES, "halfExpand"),
    trailingZeroDisplay: option(options, "trailingZeroDisplay", ["auto", "stripIfInteger"], "auto"),
    compactRounding: false,
  };
  settings.useGrouping = groupingOption(options, settings.notation);
  if (options.currency !== undefined) {
    const code = String(options.currency);
    if (!/^[A-Za-z]{3}$/.test(code)) throw new RangeError(`Invalid currency code : ${code}`);
    settings.currency = code.toUpperCase();
  } else if (settings.style === "currency") throw new TypeError("Currency code is required with currency style.");
  if (options.unit !== undefined) {
    settings.unit = String(options.unit);
    if (!isUnit(settings.unit)) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${settings.unit}'`);
  } else if (settings.style === "unit") throw new TypeError("Unit is required with unit style.");
  readDigits(settings, options);
  return settings;
}

/** Formats numbers. */
class NumberFormatClass {
  #settings: Settings;
  #profile: Profile;
  #bound: ((value: unknown) => string) | undefined;

  constructor(locales?: unknown, options?: unknown) {
    this.#settings = readSettings(locales, options);
    this.#profile = profileOf(this.#settings.locale);
  }

  get format(): (value: unknown) => string {
    return (this.#bound ??= (value) => this.#parts(value).map((part) => part.value).join(""));
  }

  formatToParts(value: unknown): Part[] {
    return this.#parts(value);
  }

  formatRange(start: unknown, end: unknown): string {
    const [from, to] = [this.format(start), this.format(end)];
    return from === to ? `~${from}` : `${from}–${to}`;
  }

  formatRangeToParts(start: unknown, end: unknown): (Part & { source: string })[] {
    const tag = (parts: Part[], source: string) => parts.map((part) => ({ ...part, source }));
    return [
      ...tag(this.#parts(start), "startRange"),
      { type: "literal", value: "–", source: "shared" },
      ...tag(this.#parts(end), "endRange"),
    ];
  }

  resolvedOptions(): any {
    const { compactRounding, ...rest } = this.#settings;
    const { style, notation } = rest;
    const pick = (condition: boolean, ...names: (keyof typeof rest)[]): any =>
      condition ? Object.fromEntries(names.filter((name) => rest[name] !== undefined).map((name) => [name, rest[name]])) : {};
    return {
      locale: rest.locale,
      numberingSystem: "latn",
      style,
      ...pick(style === "currency", "currency", "currencyDisplay", "currencySign"),
      ...pick(style === "unit", "unit", "unitDisplay"),
      ...pick(true, "minimumIntegerDigits", "minimumFractionDigits", "maximumFractionDigits"),
      ...pick(true, "minimumSignificantDigits", "maximumSignificantDigits", "useGrouping", "notation"),
      ...pick(notation === "compact", "compactDisplay"),
      signDisplay: rest.signDisplay,
      roundingIncrement: 1,
      roundingMode: rest.roundingMode,
      roundingPriority: compactRounding ? "morePrecision" : "auto",
      trailingZeroDisplay: rest.trailingZeroDisplay,
    };
  }

  #round(decimal: Decimal): Decimal {
    const { compactRounding, maximumSignificantDigits: significant, maximumFractionDigits: fraction = 0, roundingMode } = this.#settings;
    if (compactRounding) return roundDigits(decimal, Math.max(2, decimal.point), roundingMode);
    if (significant !== undefined) return roundDigits(decimal, significant, roundingMode);
    return roundDigits(decimal, decimal.point + fraction, roundingMode);
  }

  // The number scaled for the notation and rounded, and the power of ten that was taken out.
  #scale(decimal: Decimal): [Decimal, exponent: number] {
    const { notation } = this.#settings;
    if (notation === "standard") return [this.#round(decimal), 0];
    const exponentOf = (point: number): number => {
      if (decimal.digits === "") return 0;
      if (notation === "scientific") return point - 1;
      const thousands = Math.floor((point - 1) / 3) * 3;
      return notation === "engineering" ? thousands : Math.min(Math.max(thousands, 0), 12);
    };
    const exponent = exponentOf(decimal.point);
    const rounded = this.#round(shift(decimal, -exponent));
    // Rounding up may reach the next step: 999,999 is 1M.
    const again = exponentOf(rounded.point + exponent);
    return again === exponent || rounded.digits === "" ? [rounded, exponent] : [this.#round(shift(decimal, -again)), again];
  }

  #digits(decimal: Decimal): [whole: string, fraction: string] {
    const { minimumIntegerDigits, minimumFractionDigits = 0, minimumSignificantDigits, compactRounding, trailingZeroDisplay } = this.#settings;
    let [whole, fraction] = splitDecimal(decimal);
    whole = whole.padStart(minimumIntegerDigits, "0");
    let least = minimumFractionDigits;
    if (minimumSignificantDigits !== undefined && !compactRounding) {
      least = Math.max(minimumSignificantDigits - (decimal.digits === "" ? 1 : decimal.point), 0);
    }
    if (!(trailingZeroDisplay === "stripIfInteger" && fraction === "")) fraction = fraction.padEnd(least, "0");
    return [whole, fraction];
  }

  #numberParts(whole: string, fraction: string): Part[] {
    const { useGrouping } = this.#settings;
    const { group, decimal } = this.#profile;
    const parts: Part[] = [];
    const grouped = useGrouping !== false && whole.length > (useGrouping === "min2" ? 4 : 3);
    if (!grouped) parts.push({ type: "integer", value: whole });
    else {
      const head = whole.length % 3 || 3;
      parts.push({ type: "integer", value: whole.slice(0, head) });
      for (let i = head; i < whole.length; i += 3) {
        parts.push({ type: "group", value: group }, { type: "integer", value: whole.slice(i, i + 3) });
      }
    }
    if (fraction !== "") parts.push({ type: "decimal", value: decimal }, { type: "fraction", value: fraction });
    return parts;
  }

  #parts(input: unknown): Part[] {
    const settings = this.#settings;
    const value = typeof input === "bigint" ? input : typeof input === "string" && /^[-+]?\d+(\.\d+)?$/.test(input) ? input : Number(input);
    let parts: Part[];
    let negative: boolean;
    let zero = false;
    let plural = true;
    if (typeof value === "number" && !Number.isFinite(value)) {
      negative = value < 0;
      parts = [Number.isNaN(value) ? { type: "nan", value: "NaN" } : { type: "infinity", value: "∞" }];
    } else {
      const read = toDecimal(value);
      const [rounded, exponent] = this.#scale(settings.style === "percent" ? shift(read, 2) : read);
      negative = read.negative;
      zero = rounded.digits === "";
      const [whole, fraction] = this.#digits(rounded);
      plural = !(whole === "1" && fraction === "");
      parts = this.#numberParts(whole, fraction);
      this.#addExponent(parts, exponent);
    }
    this.#addStyle(parts, plural);
    return this.#withSign(parts, negative, zero);
  }

  #addExponent(parts: Part[], exponent: number): void {
    const { notation, compactDisplay } = this.#settings;
    if (notation === "compact") {
      if (exponent === 0) return;
      const [short, long] = COMPACT[exponent / 3 - 1];
      if (compactDisplay === "long") parts.push({ type: "literal", value: " " }, { type: "compact", value: long });
      else parts.push({ type: "compact", value: short });
    } else if (notation !== "standard") {
      parts.push({ type: "exponentSeparator", value: "E" });
      if (exponent < 0) parts.push({ type: "exponentMinusSign", value: "-" });
      parts.push({ type: "exponentInteger", value: String(Math.abs(exponent)) });
    }
  }

  #addStyle(parts: Part[], plural: boolean): void {
    const { style, currency, currencyDisplay, unit, unitDisplay } = this.#settings;
    if (style === "percent") parts.push({ type: "percentSign", value: "%" });
    else if (style === "unit") {
      const text = unitText(unit!, unitDisplay, plural);
      if (text.startsWith(" ")) parts.push({ type: "literal", value: " " });
      parts.push({ type: unit === "percent" && unitDisplay !== "long" ? "percentSign" : "unit", value: text.trimStart() });
    } else if (style === "currency") {
      if (currencyDisplay === "name") {
        parts.push({ type: "literal", value: " " }, { type: "currency", value: currencyName(currency!) });
        return;
      }
      const symbol = currencySymbol(currency!, currencyDisplay);
      if (symbol.endsWith("\u00a0")) parts.unshift({ type: "currency", value: symbol.slice(0, -1) }, { type: "literal", value: "\u00a0" });
      else parts.unshift({ type: "currency", value: symbol });
    }
  }

  #withSign(parts: Part[], negative: boolean, zero: boolean): Part[] {
    const { signDisplay, style, currencySign } = this.#settings;
    const shown =
      signDisplay === "never" ? "" :
      negative ? (zero && (signDisplay === "exceptZero" || signDisplay === "negative") ? "" : "-") :
      signDisplay === "always" || (signDisplay === "exceptZero" && !zero) ? "+" : "";
    if (shown === "") return parts;
    if (shown === "-" && style === "currency" && currencySign === "accounting") {
      return [{ type: "literal", value: "(" }, ...parts, { type: "literal", value: ")" }];
    }
    return [{ type: shown === "-" ? "minusSign" : "plusSign", value: shown }, ...parts];
  }
}
Object.defineProperty(NumberFormatClass, "name", { value: "NumberFormat", configurable: true });

export const NumberFormat = intlClass(NumberFormatClass, true);

let plain: NumberFormatClass | undefined;

/** `Number.prototype.toLocaleString` and its like for BigInt. */
export function numberToLocaleString(value: number | bigint, locales?: unknown, options?: unknown): string {
  if (locales === undefined && options === undefined) return (plain ??= new NumberFormatClass()).format(value);
  return new NumberFormatClass(locales, options).format(value);
}
