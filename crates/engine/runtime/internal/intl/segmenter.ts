// Intl.Segmenter: characters as people see them, words, sentences. The boundaries are found natively.
import { ops } from "tau:ops";
import { intlClass, option, optionsOf, resolveLocale } from "./locale.ts";

interface Segment {
  segment: string;
  index: number;
  input: string;
  isWordLike?: boolean;
}

class Segments {
  #input: string;
  #granularity: string;
  #ends: number[] | undefined;

  constructor(input: string, granularity: string) {
    this.#input = input;
    this.#granularity = granularity;
  }

  // Where segments end; negative for words.
  #boundaries(): number[] {
    return (this.#ends ??= ops.intlSegments(this.#input.toWellFormed(), this.#granularity) as number[]);
  }

  #segment(at: number): Segment {
    const ends = this.#boundaries();
    const index = at === 0 ? 0 : Math.abs(ends[at - 1]);
    const segment: Segment = { segment: this.#input.slice(index, Math.abs(ends[at])), index, input: this.#input };
    if (this.#granularity === "word") segment.isWordLike = ends[at] < 0;
    return segment;
  }

  /** The segment with the UTF-16 unit at `index`. */
  containing(index: unknown = 0): Segment | undefined {
    const at = Math.trunc(Number(index)) || 0;
    if (at < 0 || at >= this.#input.length) return undefined;
    const ends = this.#boundaries();
    let low = 0;
    let high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Math.abs(ends[middle]) > at) high = middle;
      else low = middle + 1;
    }
    return this.#segment(low);
  }

  *[Symbol.iterator](): Generator<Segment> {
    const { length } = this.#boundaries();
    for (let i = 0; i < length; i++) yield this.#segment(i);
  }
}

/** Splits text. */
class SegmenterClass {
  #locale: string;
  #granularity: string;

  constructor(locales?: unknown, given?: unknown) {
    const options = optionsOf(given);
    this.#locale = resolveLocale(locales);
    this.#granularity = option(options, "granularity", ["grapheme", "word", "sentence"], "grapheme");
  }

  segment(input: unknown): Segments {
    return new Segments(`${input}`, this.#granularity);
  }

  resolvedOptions(): any {
    return { locale: this.#locale, granularity: this.#granularity };
  }
}
Object.defineProperty(SegmenterClass, "name", { value: "Segmenter", configurable: true });

export const Segmenter = intlClass(SegmenterClass, false);
