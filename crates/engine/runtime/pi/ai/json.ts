// JSON as models write it: cut off in the middle, or with characters that have no place in it.
import { ops } from "tau:ops";

const ESCAPABLE = '"\\/bfnrt';

/** Mends texts within JSON: control characters are escaped, and backslashes that escape nothing. */
export function repairJson(json: string): string {
  let out = "";
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') inText = !inText;
    if (!inText || character === '"') {
      out += character;
    } else if (character === "\\") {
      const next = json[at + 1];
      const isUnicode = next === "u" && /^[0-9a-f]{4}$/i.test(json.slice(at + 2, at + 6));
      if (next !== undefined && (isUnicode || ESCAPABLE.includes(next))) {
        out += character + next;
        at++;
      } else {
        out += "\\\\";
      }
    } else {
      out += character < " " ? JSON.stringify(character).slice(1, -1) : character;
    }
  }
  return out;
}

/** Parses JSON, mended when it has to be. */
export function parseJsonWithRepair(json: string): any {
  try {
    return JSON.parse(json);
  } catch (error) {
    const repaired = repairJson(json);
    if (repaired === json) throw error;
    return JSON.parse(repaired);
  }
}

/** The arguments of a finished tool call; what is no JSON object gives none, and says what came instead. */
export function parseToolCallArguments(json: string | undefined): { arguments: any; argumentsError?: string } {
  if (!json?.trim()) return { arguments: {} };
  try {
    const parsed = parseJsonWithRepair(json);
    if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) {
      throw new Error("Tool arguments must be a JSON object");
    }
    return { arguments: parsed };
  } catch (error: any) {
    return { arguments: {}, argumentsError: `${error.message}\n\nReceived arguments:\n${ops.piBothEnds(json)}` };
  }
}

/** What there is of JSON that is still coming; an empty object when that is nothing. */
export function parseStreamingJson(partialJson: string | undefined): any {
  if (!partialJson?.trim()) return {};
  try {
    return parseJsonWithRepair(partialJson);
  } catch {
    return new Partial(repairCut(partialJson)).parse() ?? {};
  }
}

/** As {@link repairJson}, but an escape that is cut off at the end is left out. */
function repairCut(json: string): string {
  const trailing = /\\+$/.exec(json)?.[0].length ?? 0;
  const cut = json.replace(/\\u[0-9a-f]{0,3}$/i, "");
  return repairJson(trailing % 2 === 1 ? json.slice(0, -1) : cut);
}

/** Reads JSON as far as it goes. */
class Partial {
  #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): any {
    const value = this.#value();
    return value === CUT ? undefined : value;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #take(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #value(): any {
    this.#space();
    const first = this.#text[this.#at];
    if (first === "{") return this.#object();
    if (first === "[") return this.#array();
    if (first === '"') return this.#string();
    const word = /^[-+.\w]*/.exec(this.#text.slice(this.#at))?.[0] ?? "";
    this.#at += word.length;
    return literal(word, this.#at >= this.#text.length);
  }

  #object(): any {
    const result: any = {};
    this.#at++;
    while (!this.#take("}")) {
      this.#space();
      if (this.#text[this.#at] !== '"') return result;
      const key = this.#string();
      if (!this.#take(":")) return result;
      const value = this.#value();
      if (value === CUT) return result;
      Object.defineProperty(result, key, { value, enumerable: true, writable: true, configurable: true });
      if (!this.#take(",") && this.#text[this.#at] !== "}") return result;
    }
    return result;
  }

  #array(): any[] {
    const result: any[] = [];
    this.#at++;
    while (!this.#take("]")) {
      const value = this.#value();
      if (value === CUT) return result;
      result.push(value);
      if (!this.#take(",") && this.#text[this.#at] !== "]") return result;
    }
    return result;
  }

  #string(): string {
    const start = this.#at++;
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"')
      this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    const whole = this.#text[this.#at] === '"';
    const text = this.#text.slice(start, whole ? ++this.#at : this.#text.length) + (whole ? "" : '"');
    try {
      return JSON.parse(text);
    } catch {
      return text.slice(1, -1);
    }
  }
}

const CUT = Symbol("cut");

/** A number or a word; one that is cut off but can only become one thing counts as that. */
function literal(word: string, atEnd: boolean): any {
  const words: [string, any][] = [
    ["true", true],
    ["false", false],
    ["null", null],
  ];
  for (const [name, value] of words) if (word === name || (atEnd && word && name.startsWith(word))) return value;
  const digits = atEnd ? word.replace(/[-+.eE]+$/, "") : word;
  return digits !== "" && Number.isFinite(Number(digits)) ? Number(digits) : CUT;
}
