// Intl.DateTimeFormat.
import { intlClass, option, optionsOf, profileOf, resolveLocale } from "./locale.ts";
import type { Profile } from "./locale.ts";
import type { Part } from "./number_format.ts";
import { canonicalZone, fieldsOf, systemZone, zoneName } from "./zoned.ts";
import type { Fields } from "./zoned.ts";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const TEXT = ["narrow", "short", "long"];
const NUMERIC = ["2-digit", "numeric"];
const STYLES = ["full", "long", "medium", "short"];

/** The parts of date and time that are shown, and how. */
interface Shown {
  weekday?: string;
  era?: string;
  year?: string;
  month?: string;
  day?: string;
  dayPeriod?: string;
  hour?: string;
  minute?: string;
  second?: string;
  fractionalSecondDigits?: number;
  timeZoneName?: string;
}

const DATE_KEYS = ["weekday", "year", "month", "day"] as const;
const TIME_KEYS = ["dayPeriod", "hour", "minute", "second", "fractionalSecondDigits"] as const;

/** Which parts a method needs at least, and which it adds when none is asked for. */
export type Defaults = "date" | "time" | "all";

const DATE_STYLES: Record<string, Shown> = {
  full: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  long: { year: "numeric", month: "long", day: "numeric" },
  medium: { year: "numeric", month: "short", day: "numeric" },
  short: { year: "2-digit", month: "numeric", day: "numeric" },
};
const TIME_STYLES: Record<string, Shown> = {
  full: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "long" },
  long: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
  medium: { hour: "numeric", minute: "2-digit", second: "2-digit" },
  short: { hour: "numeric", minute: "2-digit" },
};

function readShown(options: any): Shown {
  const shown: Shown = {
    weekday: option(options, "weekday", TEXT, undefined as any),
    era: option(options, "era", TEXT, undefined as any),
    year: option(options, "year", NUMERIC, undefined as any),
    month: option(options, "month", [...NUMERIC, ...TEXT], undefined as any),
    day: option(options, "day", NUMERIC, undefined as any),
    dayPeriod: option(options, "dayPeriod", TEXT, undefined as any),
    hour: option(options, "hour", NUMERIC, undefined as any),
    minute: option(options, "minute", NUMERIC, undefined as any),
    second: option(options, "second", NUMERIC, undefined as any),
    timeZoneName: option(
      options,
      "timeZoneName",
      ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"],
      undefined as any,
    ),
  };
  if (options.fractionalSecondDigits !== undefined) {
    const digits = Math.floor(Number(options.fractionalSecondDigits));
    if (!(digits >= 1 && digits <= 3)) throw new RangeError("fractionalSecondDigits value is out of range.");
    shown.fractionalSecondDigits = digits;
  }
  return shown;
}

function addDefaults(shown: Shown, required: Defaults | "any", defaults: Defaults): void {
  const has = (keys: readonly (keyof Shown)[]): boolean => keys.some((key) => shown[key] !== undefined);
  const given = (required !== "time" && has(DATE_KEYS)) || (required !== "date" && has(TIME_KEYS));
  if (given) return;
  if (defaults !== "time") shown.year = shown.month = shown.day = "numeric";
  if (defaults !== "date") shown.hour = shown.minute = shown.second = "numeric";
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** Formats dates and times. */
class DateTimeFormatClass {
  #locale: string;
  #profile: Profile;
  #zone: string;
  #shown: Shown;
  #dateStyle: string | undefined;
  #timeStyle: string | undefined;
  #hourCycle: string;
  #bound: ((date?: any) => string) | undefined;

  constructor(locales?: unknown, given?: unknown, required: Defaults | "any" = "any", defaults: Defaults = "date") {
    const options = optionsOf(given);
    this.#locale = resolveLocale(locales);
    this.#profile = profileOf(this.#locale);
    this.#zone = options.timeZone === undefined ? systemZone() : canonicalZone(options.timeZone);
    this.#shown = readShown(options);
    this.#dateStyle = option(options, "dateStyle", STYLES, undefined as any);
    this.#timeStyle = option(options, "timeStyle", STYLES, undefined as any);
    if (this.#dateStyle !== undefined || this.#timeStyle !== undefined) {
      for (const key of Object.keys(this.#shown) as (keyof Shown)[]) {
        if (this.#shown[key] !== undefined) {
          throw new TypeError(`Can't set option ${key} when ${this.#dateStyle ? "dateStyle" : "timeStyle"} is used`);
        }
      }
      if ((required === "date" && this.#timeStyle !== undefined) || (required === "time" && this.#dateStyle !== undefined)) {
        throw new TypeError(`Invalid option : ${this.#timeStyle !== undefined ? "timeStyle" : "dateStyle"}`);
      }
      this.#shown = {
        ...(this.#dateStyle === undefined ? {} : DATE_STYLES[this.#dateStyle]),
        ...(this.#timeStyle === undefined ? {} : TIME_STYLES[this.#timeStyle]),
      };
      // Dates that begin with the year show all of it.
      if (this.#dateStyle === "short" && this.#profile.order === "ymd") this.#shown.year = "numeric";
    } else addDefaults(this.#shown, required, defaults);
    const hour12 = options.hour12 === undefined ? undefined : Boolean(options.hour12);
    const cycle = option(options, "hourCycle", ["h11", "h12", "h23", "h24"], this.#profile.hour12 ? "h12" : "h23");
    this.#hourCycle = hour12 === undefined ? cycle : hour12 ? "h12" : "h23";
  }

  get format(): (date?: unknown) => string {
    return (this.#bound ??= (date) => this.formatToParts(date).map((part) => part.value).join(""));
  }

  formatToParts(date?: unknown): Part[] {
    const time = date === undefined ? Date.now() : Number(date);
    if (!Number.isFinite(time) || Math.abs(time) > 8.64e15) throw new RangeError("Invalid time value");
    const fields = fieldsOf(time, this.#zone);
    const day = this.#dateParts(fields);
    const clock = this.#timeParts(fields);
    const parts = [...day];
    if (day.length > 0 && clock.length > 0) parts.push({ type: "literal", value: this.#glue() });
    parts.push(...clock);
    const { timeZoneName } = this.#shown;
    if (timeZoneName !== undefined) {
      if (parts.length > 0) parts.push({ type: "literal", value: clock.length > 0 ? " " : ", " });
      parts.push({ type: "timeZoneName", value: zoneName(fields, this.#zone, timeZoneName) });
    }
    return parts;
  }

  formatRange(start: unknown, end: unknown): string {
    const [from, to] = [this.format(start), this.format(end)];
    return from === to ? from : `${from}\u2009–\u2009${to}`;
  }

  formatRangeToParts(start: unknown, end: unknown): (Part & { source: string })[] {
    const tag = (parts: Part[], source: string) => parts.map((part) => ({ ...part, source }));
    if (this.format(start) === this.format(end)) return tag(this.formatToParts(start), "shared");
    return [
      ...tag(this.formatToParts(start), "startRange"),
      { type: "literal", value: "\u2009–\u2009", source: "shared" },
      ...tag(this.formatToParts(end), "endRange"),
    ];
  }

  resolvedOptions(): any {
    const resolved: any = { locale: this.#locale, calendar: "gregory", numberingSystem: "latn", timeZone: this.#zone };
    const shown: any = this.#shown;
    if (shown.hour !== undefined) {
      resolved.hourCycle = this.#hourCycle;
      resolved.hour12 = this.#hourCycle === "h11" || this.#hourCycle === "h12";
    }
    if (this.#dateStyle === undefined && this.#timeStyle === undefined) {
      for (const key of ["weekday", "era", "year", "month", "day", "dayPeriod", "hour", "minute", "second", "fractionalSecondDigits", "timeZoneName"]) {
        if (shown[key] !== undefined) resolved[key] = shown[key];
      }
      if (shown.hour !== undefined && !resolved.hour12) resolved.hour = "2-digit";
      for (const key of ["minute", "second"]) if (shown.hour !== undefined && resolved[key] !== undefined) resolved[key] = "2-digit";
    }
    if (this.#dateStyle !== undefined) resolved.dateStyle = this.#dateStyle;
    if (this.#timeStyle !== undefined) resolved.timeStyle = this.#timeStyle;
    return resolved;
  }

  #glue(): string {
    const { weekday, month, year, day, timeZoneName } = this.#shown;
    if (month === "long") return " at ";
    const weekdayOnly = weekday !== undefined && month === undefined && year === undefined && day === undefined;
    if (weekdayOnly) return timeZoneName === undefined ? " " : ", ";
    return month === "short" || month === "narrow" ? ", " : this.#profile.glue;
  }

  #dateParts(fields: Fields): Part[] {
    const { weekday, era, year, month, day } = this.#shown;
    const parts: Part[] = [];
    const add = (type: string, value: string, before = ""): void => {
      if (before !== "" && parts.length > 0) parts.push({ type: "literal", value: before });
      parts.push({ type, value });
    };
    const textual = month !== undefined && !NUMERIC.includes(month);
    const rest = year !== undefined || month !== undefined || day !== undefined;
    const name = weekday === undefined ? undefined : shorten(DAYS[fields.weekday], weekday);
    const onlyDay = day !== undefined && month === undefined && year === undefined;
    if (name !== undefined && !onlyDay) {
      add("weekday", name);
      if (rest) parts.push({ type: "literal", value: textual && day === undefined && year === undefined ? " " : ", " });
    }
    if (textual) this.#textualDate(parts, fields);
    else this.#numericDate(parts, fields);
    if (name !== undefined && onlyDay) add("weekday", name, " ");
    if (era !== undefined) add("era", era === "long" ? "Anno Domini" : era === "narrow" ? "A" : "AD", " ");
    return parts;
  }

  #year(fields: Fields): string {
    return this.#shown.year === "2-digit" ? two(((fields.year % 100) + 100) % 100) : String(fields.year);
  }

  #textualDate(parts: Part[], fields: Fields): void {
    const { year, month, day } = this.#shown;
    const name: Part = { type: "month", value: shorten(MONTHS[fields.month - 1], month!) };
    const number: Part = { type: "day", value: day === "2-digit" ? two(fields.day) : String(fields.day) };
    const literal = (value: string): Part => ({ type: "literal", value });
    const dayFirst = this.#profile.order === "dmy";
    if (day === undefined) parts.push(name);
    else if (dayFirst) parts.push(number, literal(" "), name);
    else parts.push(name, literal(" "), number);
    if (year !== undefined) {
      parts.push(literal(day === undefined || dayFirst ? " " : ", "), { type: "year", value: this.#year(fields) });
    }
  }

  #numericDate(parts: Part[], fields: Fields): void {
    const { year, month, day } = this.#shown;
    const { order, separator, padded } = this.#profile;
    const full = month !== undefined && (day !== undefined || year !== undefined);
    const digits = (value: number, style: string): string => (style === "2-digit" || (padded && full) ? two(value) : String(value));
    const values: Record<string, Part | undefined> = {
      y: year === undefined ? undefined : { type: "year", value: this.#year(fields) },
      m: month === undefined ? undefined : { type: "month", value: digits(fields.month, month) },
      d: day === undefined ? undefined : { type: "day", value: digits(fields.day, day) },
    };
    if (values.y !== undefined && values.d !== undefined && values.m === undefined) {
      parts.push(values.y, { type: "literal", value: " (day: " }, values.d, { type: "literal", value: ")" });
      return;
    }
    let first = true;
    for (const letter of order) {
      const part = values[letter];
      if (part === undefined) continue;
      if (!first) parts.push({ type: "literal", value: separator });
      parts.push(part);
      first = false;
    }
  }

  #timeParts(fields: Fields): Part[] {
    const { hour, minute, second, fractionalSecondDigits, dayPeriod } = this.#shown;
    const parts: Part[] = [];
    const literal = (value: string): void => {
      if (parts.length > 0) parts.push({ type: "literal", value });
    };
    const half = this.#hourCycle === "h12" || this.#hourCycle === "h11";
    if (hour !== undefined) {
      let value = fields.hour;
      if (this.#hourCycle === "h12") value = value % 12 || 12;
      else if (this.#hourCycle === "h11") value %= 12;
      else if (this.#hourCycle === "h24") value = value || 24;
      parts.push({ type: "hour", value: hour === "2-digit" || !half ? two(value) : String(value) });
    }
    if (minute !== undefined) {
      literal(":");
      // Two digits as soon as there is something next to it.
      const alone = hour === undefined && second === undefined;
      parts.push({ type: "minute", value: alone ? String(fields.minute) : two(fields.minute) });
    }
    if (second !== undefined) {
      literal(":");
      parts.push({ type: "second", value: minute !== undefined ? two(fields.second) : String(fields.second) });
    }
    if (fractionalSecondDigits !== undefined) {
      if (second !== undefined) literal(".");
      parts.push({ type: "fractionalSecond", value: String(fields.millisecond).padStart(3, "0").slice(0, fractionalSecondDigits) });
    }
    if (hour !== undefined && half) {
      literal(" ");
      const period = dayPeriod === undefined ? (fields.hour < 12 ? this.#profile.am : this.#profile.pm) : partOfDay(fields.hour);
      parts.push({ type: "dayPeriod", value: period });
    } else if (dayPeriod !== undefined && hour === undefined) {
      literal(" ");
      parts.push({ type: "dayPeriod", value: partOfDay(fields.hour) });
    }
    return parts;
  }
}
Object.defineProperty(DateTimeFormatClass, "name", { value: "DateTimeFormat", configurable: true });

function partOfDay(hour: number): string {
  if (hour === 12) return "noon";
  if (hour >= 6 && hour < 12) return "in the morning";
  if (hour > 12 && hour < 18) return "in the afternoon";
  return hour >= 18 && hour < 21 ? "in the evening" : "at night";
}

function shorten(name: string, style: string): string {
  return style === "long" ? name : name.slice(0, style === "narrow" ? 1 : 3);
}

export const DateTimeFormat = intlClass(DateTimeFormatClass, true);

const cached = new Map<string, DateTimeFormatClass>();

/** `Date.prototype.toLocaleString`, `…DateString` and `…TimeString`. */
export function dateToLocaleString(date: Date, required: Defaults | "any", defaults: Defaults, locales?: unknown, options?: unknown): string {
  const time = Date.prototype.getTime.call(date);
  if (Number.isNaN(time)) return "Invalid Date";
  const id = `${required}${defaults}${JSON.stringify([locales, options])}`;
  let format = cached.get(id);
  if (format === undefined) {
    if (cached.size > 50) cached.clear();
    cached.set(id, (format = new DateTimeFormatClass(locales, options, required, defaults)));
  }
  return format.format(time);
}
