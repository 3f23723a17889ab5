// Intl.Collator: the order of words in English, for other scripts that of their characters.
import { intlClass, option, optionsOf, resolveLocale } from "./locale.ts";

// The order of what is no letter; letters come after digits.
const MARKS = "\t\n\v\f\r\u0085\u2028\u2029 \u00a0_-–—,;:!?.¡¿'‘’\"“”()[]{}«»§¶@*/\\&#%†‡•`´¨^¯°©®+±÷×<=>|¦~¤¢$£¥€";
const LETTERS = 1000;
const DIGITS = 900;

const EXPANSIONS: Record<string, string> = {
  ß: "ss", ẞ: "SS", æ: "ae", Æ: "AE", œ: "oe", Œ: "OE", ø: "o\u0338", Ø: "O\u0338", ł: "l\u0335", Ł: "L\u0335", đ: "d\u0335", Đ: "D\u0335", þ: "th", ﬁ: "fi", ﬂ: "fl",
};

let ascii: Uint16Array | undefined;

function asciiWeights(): Uint16Array {
  if (ascii !== undefined) return ascii;
  ascii = new Uint16Array(128);
  for (let code = 0; code < 128; code++) ascii[code] = primaryOf(String.fromCharCode(code));
  return ascii;
}

// Control characters weigh nothing.
function primaryOf(char: string): number {
  const code = char.codePointAt(0)!;
  if (code >= 0x30 && code <= 0x39) return DIGITS + code - 0x30;
  const lower = char.toLowerCase();
  if (lower >= "a" && lower <= "z" && lower.length === 1) return LETTERS + lower.charCodeAt(0) - 0x61;
  const mark = MARKS.indexOf(char);
  if (mark !== -1) return mark + 1;
  if (code < 0x20 || code === 0x7f) return 0;
  if (/\p{P}/u.test(char)) return 200;
  if (/\p{S}/u.test(char)) return 400;
  return LETTERS + 26 + (lower.codePointAt(0) ?? code);
}

interface Key {
  primary: (number | string)[];
  secondary: string[];
  tertiary: number[];
}

/** Compares strings. */
class CollatorClass {
  #locale: string;
  #usage: string;
  #sensitivity: string;
  #ignorePunctuation: boolean;
  #numeric: boolean;
  #caseFirst: string;
  #bound: ((left: string, right: string) => number) | undefined;
  #keys = new Map<string, Key>();

  constructor(locales?: unknown, given?: unknown) {
    const options = optionsOf(given);
    this.#locale = resolveLocale(locales);
    const extension = typeof locales === "string" ? locales : "";
    this.#usage = option(options, "usage", ["sort", "search"], "sort");
    this.#sensitivity = option(options, "sensitivity", ["base", "accent", "case", "variant"], "variant");
    this.#ignorePunctuation = option(options, "ignorePunctuation", undefined, false);
    this.#numeric = option(options, "numeric", undefined, /-u(?:-\w+)*-kn(?!-false)/.test(extension));
    this.#caseFirst = option(options, "caseFirst", ["upper", "lower", "false"], "false");
  }

  get compare(): (left: string, right: string) => number {
    return (this.#bound ??= (left, right) => this.#compare(String(left), String(right)));
  }

  resolvedOptions(): any {
    return {
      locale: this.#locale,
      usage: this.#usage,
      sensitivity: this.#sensitivity,
      ignorePunctuation: this.#ignorePunctuation,
      collation: "default",
      numeric: this.#numeric,
      caseFirst: this.#caseFirst,
    };
  }

  #compare(left: string, right: string): number {
    if (left === right) return 0;
    if (!this.#numeric && !this.#ignorePunctuation) {
      const quick = this.#compareAscii(left, right);
      if (quick !== undefined) return quick;
    }
    return this.#compareKeys(this.#keyOf(left), this.#keyOf(right));
  }

  // Plain letters and digits need no keys; undefined where they are not enough.
  #compareAscii(left: string, right: string): number | undefined {
    const weights = asciiWeights();
    const length = Math.min(left.length, right.length);
    let cased = 0;
    let decided = 0;
    for (let i = 0; i < length; i++) {
      const a = left.charCodeAt(i);
      const b = right.charCodeAt(i);
      if (a > 127 || b > 127) return undefined;
      if (a === b) continue;
      const difference = weights[a] - weights[b];
      if (weights[a] === 0 || weights[b] === 0) return undefined;
      if (difference !== 0) {
        decided = difference;
        break;
      }
      if (cased === 0) cased = a > b ? -1 : 1;
    }
    if (decided === 0 && left.length !== right.length) {
      const tail = (left.length > right.length ? left : right).charCodeAt(length);
      if (tail > 127 || weights[tail] === 0) return undefined;
      decided = left.length - right.length;
    } else if (decided !== 0) {
      // A mark behind a different letter does not change the order of the letters.
      return Math.sign(decided);
    }
    if (decided !== 0) return Math.sign(decided);
    if (this.#sensitivity === "base" || this.#sensitivity === "accent") return 0;
    return this.#caseFirst === "upper" ? -cased : cased;
  }

  #keyOf(text: string): Key {
    const known = this.#keys.get(text);
    if (known !== undefined) return known;
    const key: Key = { primary: [], secondary: [], tertiary: [] };
    const plain = text.replace(/[ßẞæÆœŒøØłŁđĐþﬁﬂ]/g, (char) => EXPANSIONS[char]);
    for (const match of plain.normalize("NFD").matchAll(/(\d+)|([^])(\p{M}*)/gsu)) {
      const [, digits, char, marks = ""] = match;
      if (digits !== undefined) {
        const trimmed = digits.replace(/^0+(?=\d)/, "");
        if (this.#numeric) key.primary.push(`${String(trimmed.length).padStart(5, "0")}${trimmed}`);
        else for (const digit of digits) key.primary.push(primaryOf(digit));
        const count = this.#numeric ? 1 : digits.length;
        for (let i = 0; i < count; i++) this.#addTail(key, "", 0);
        continue;
      }
      const weight = primaryOf(char);
      if (weight === 0) continue;
      if (this.#ignorePunctuation && weight < 400 && /[\s\p{P}]/u.test(char)) continue;
      key.primary.push(weight);
      this.#addTail(key, marks, char === char.toLowerCase() ? 0 : 1);
    }
    // Ligatures stand after the letters they are made of.
    if (plain !== text) key.secondary.push("+");
    if (this.#keys.size > 2000) this.#keys.clear();
    this.#keys.set(text, key);
    return key;
  }

  #addTail(key: Key, marks: string, upper: number): void {
    key.secondary.push(marks);
    key.tertiary.push(upper);
  }

  #compareKeys(a: Key, b: Key): number {
    const primary = compareLists(a.primary, b.primary, comparePrimary);
    if (primary !== 0 || this.#sensitivity === "base") return primary;
    if (this.#sensitivity !== "case") {
      const secondary = compareLists(a.secondary, b.secondary, (x, y) => (x < y ? -1 : x > y ? 1 : 0));
      if (secondary !== 0 || this.#sensitivity === "accent") return secondary;
    }
    const tertiary = compareLists(a.tertiary, b.tertiary, (x, y) => x - y);
    return this.#caseFirst === "upper" ? -tertiary : tertiary;
  }
}
Object.defineProperty(CollatorClass, "name", { value: "Collator", configurable: true });

// Numbers compared by value stand where digits stand.
function comparePrimary(x: number | string, y: number | string): number {
  if (typeof x === "string") return typeof y === "string" ? (x < y ? -1 : x > y ? 1 : 0) : y >= LETTERS ? -1 : 1;
  if (typeof y === "string") return x >= LETTERS ? 1 : -1;
  return x - y;
}

function compareLists<T>(a: readonly T[], b: readonly T[], compare: (x: T, y: T) => number): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compare(a[i], b[i]);
    if (order !== 0) return Math.sign(order);
  }
  return Math.sign(a.length - b.length);
}

export const Collator = intlClass(CollatorClass, true);

const cached = new Map<string, CollatorClass>();

/** `String.prototype.localeCompare`. */
export function localeCompare(left: string, right: string, locales?: unknown, options?: unknown): number {
  const id = locales === undefined && options === undefined ? "" : JSON.stringify([locales, options]);
  let collator = cached.get(id);
  if (collator === undefined) {
    if (cached.size > 50) cached.clear();
    cached.set(id, (collator = new CollatorClass(locales, options)));
  }
  return collator.compare(left, right);
}
