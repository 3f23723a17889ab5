// JSON that comes in pieces, such as the arguments of a tool call: each character is read once.
import { parseToolCallArguments } from "./json.ts";

type Path = (string | number)[];
/** What a piece of text did to the value. */
export type JsonChange =
  | { kind: "set"; path: Path; value: any }
  | { kind: "append"; path: Path; text: string };

/** An object or array that is not closed. `key` is the member whose value comes, `expects` what may come. */
type Open = {
  value: any;
  path: Path | undefined;
  key: string | undefined;
  expects: "key" | "colon" | "value" | "comma";
};

/** Where a value goes: a place in the innermost container, the root, or nowhere. */
type Place = { at: string | number | undefined; path: Path | undefined };

/** Below this depth a container is told once, when it is closed. */
const REPORTED_DEPTH = 32;
/** A snapshot may copy this much for each piece of text, and for each of its characters. */
const ALLOWANCE = 256;
const ALLOWANCE_PER_CHARACTER = 8;
/** A number that is longer shows when it ends. */
const LONGEST_CUT_NUMBER = 64;
const ESCAPES: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "/": "/" };
const WORDS: Record<string, any> = { true: true, false: false, null: null };
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Puts a value into a container, whatever the key is called. */
function put(container: unknown, at: string | number, value: unknown): void {
  Object.defineProperty(container, at, { value, enumerable: true, writable: true, configurable: true });
}

/** Reads JSON in pieces and shows the value so far; it takes what models write and never throws. */
export class StreamingJsonParser {
  #root: any = undefined;
  #done = false;
  #open: Open[] = [];
  /** The text that is being read, as a key or at a place. */
  #text: { value: string; key: boolean; place: Place; escape: string; told: boolean } | undefined;
  /** The number or word that is being read. */
  #word = "";
  #wordPlace: Place | undefined;
  #changes: JsonChange[] = [];
  #allowance = 0;
  #size = 0;
  #changed = false;
  #shown: any = undefined;

  /** Reads the next piece; gives what it changed, in order. */
  append(piece: string): readonly JsonChange[] {
    this.#allowance += ALLOWANCE + ALLOWANCE_PER_CHARACTER * piece.length;
    this.#changes = [];
    let at = 0;
    while (at < piece.length && !this.#done) {
      if (this.#text) at = this.#readText(piece, at);
      else if (/[\s,:{}[\]"]/.test(piece[at])) {
        this.#endWord();
        if (!this.#done) this.#mark(piece[at]);
        at++;
      } else at = this.#readWord(piece, at);
    }
    // A text that has begun is there, empty as it is.
    if (this.#text && !this.#text.key && !this.#text.told) {
      this.#tell(this.#text.place, this.#text.value);
      this.#text.told = true;
    }
    return this.#changes;
  }

  /** The value so far, which does not change afterwards; undefined before it begins. Of huge values an older one. */
  snapshot(): any {
    const cost = this.#size + 1;
    if (!this.#changed || cost > this.#allowance) return this.#shown;
    this.#allowance -= cost;
    this.#changed = false;
    const cut = this.#cutWord();
    if (this.#open.length === 0) return (this.#shown = cut ? cut.value : this.#root);
    let shown: any;
    for (let depth = this.#open.length - 1; depth >= 0; depth--) {
      const { value, key } = this.#open[depth];
      const copy = Array.isArray(value) ? value.slice() : Object.defineProperties({}, Object.getOwnPropertyDescriptors(value));
      if (depth === this.#open.length - 1) {
        if (cut && this.#wordPlace!.at !== undefined) put(copy, this.#wordPlace!.at, cut.value);
      } else {
        const child = this.#open[depth + 1];
        const last = Array.isArray(value) ? value.length - 1 : key;
        if (last !== undefined && value[last] === child.value) put(copy, last, shown);
      }
      shown = copy;
    }
    return (this.#shown = shown);
  }

  #mark(character: string): void {
    const top = this.#open.at(-1);
    if (character === '"') this.#beginText(top);
    else if (character === "{" || character === "[") this.#beginContainer(character === "{" ? {} : []);
    else if (character === "}" || character === "]") this.#endContainer();
    else if (!top) return;
    else if (character === ":" && top.expects === "colon") top.expects = "value";
    else if (character === ",") this.#next(top);
  }

  #next(top: Open): void {
    top.key = undefined;
    top.expects = Array.isArray(top.value) ? "value" : "key";
  }

  /** Where a value that begins now goes; a comma or colon may be missing. */
  #place(): Place {
    const top = this.#open.at(-1);
    if (!top) return { at: undefined, path: this.#root === undefined ? [] : undefined };
    const at = Array.isArray(top.value) ? top.value.length : top.key;
    if (at === undefined || (top.expects === "comma" && !Array.isArray(top.value))) return { at: undefined, path: undefined };
    const tells = top.path !== undefined && top.path.length < REPORTED_DEPTH;
    return { at, path: tells ? [...top.path!, at] : undefined };
  }

  #store({ at, path }: Place, value: unknown): void {
    const top = this.#open.at(-1);
    if (!top && path) this.#root = value;
    else if (top && at !== undefined) {
      if (!Object.hasOwn(top.value, at)) this.#size++;
      put(top.value, at, value);
    } else return;
    this.#changed = true;
  }

  #tell({ path }: Place, value: unknown): void {
    if (path) this.#changes.push({ kind: "set", path, value });
  }

  #ended(): void {
    const top = this.#open.at(-1);
    if (top) top.expects = "comma";
    else if (this.#root !== undefined) this.#done = true;
  }

  #beginText(top: Open | undefined): void {
    if (top?.expects === "comma") this.#next(top);
    const key = top !== undefined && top.expects === "key";
    const place = key ? { at: undefined, path: undefined } : this.#place();
    this.#text = { value: "", key, place, escape: "", told: false };
    if (!key) this.#store(place, "");
  }

  #readText(piece: string, start: number): number {
    const text = this.#text!;
    let added = "";
    let at = start;
    for (; at < piece.length; at++) {
      const character = piece[at];
      if (text.escape !== "") {
        const { done, made } = unescape(text.escape + character);
        text.escape = done ? "" : text.escape + character;
        if (!done) continue;
        added += made;
        // What does not belong to the escape is read as it is.
        if (made.length > 1 && made.endsWith(character)) {
          added = added.slice(0, -1);
          at--;
        }
      } else if (character === "\\") text.escape = "\\";
      else if (character === '"') break;
      else added += character;
    }
    this.#grow(added);
    if (at < piece.length) {
      at++;
      this.#endText();
    }
    return at;
  }

  #grow(added: string): void {
    const text = this.#text!;
    if (added === "") return;
    text.value += added;
    if (text.key) return;
    this.#store(text.place, text.value);
    if (!text.told) this.#tell(text.place, text.value);
    else if (text.place.path) this.#changes.push({ kind: "append", path: text.place.path, text: added });
    text.told = true;
  }

  #endText(): void {
    const text = this.#text!;
    this.#text = undefined;
    if (text.key) {
      const top = this.#open.at(-1)!;
      top.key = text.value;
      top.expects = "colon";
      return;
    }
    if (!text.told) this.#tell(text.place, text.value);
    this.#ended();
  }

  #readWord(piece: string, start: number): number {
    let end = start;
    while (end < piece.length && !/[\s,:{}[\]"]/.test(piece[end])) end++;
    if (this.#word === "") {
      const top = this.#open.at(-1);
      if (top?.expects === "comma" && Array.isArray(top.value)) this.#next(top);
      this.#wordPlace = this.#place();
    }
    this.#word += piece.slice(start, end);
    this.#changed = true;
    return end;
  }

  #endWord(): void {
    if (this.#word === "") return;
    const [word, place] = [this.#word, this.#wordPlace!];
    this.#word = "";
    this.#wordPlace = undefined;
    const value = Object.hasOwn(WORDS, word) ? WORDS[word] : NUMBER.test(word) ? Number(word) : undefined;
    if (value !== undefined) {
      this.#store(place, value);
      this.#tell(place, value);
    }
    this.#ended();
  }

  /** The number or word at the end of the text, as far as it can be told what it is. */
  #cutWord(): { value: any } | undefined {
    const [word, place] = [this.#word, this.#wordPlace];
    if (word === "" || !place || word.length > LONGEST_CUT_NUMBER) return undefined;
    if (place.at === undefined && !place.path) return undefined;
    const name = Object.keys(WORDS).find((name) => name.startsWith(word));
    if (name) return { value: WORDS[name] };
    const digits = word.replace(/[eE][+-]?$/, "");
    return NUMBER.test(digits) ? { value: Number(digits) } : undefined;
  }

  #beginContainer(value: unknown): void {
    const top = this.#open.at(-1);
    if (top?.expects === "comma" && Array.isArray(top.value)) this.#next(top);
    const place = this.#place();
    this.#store(place, value);
    this.#tell(place, Array.isArray(value) ? [] : {});
    const expects = Array.isArray(value) ? "value" : "key";
    this.#open.push({ value, path: place.path, key: undefined, expects });
    this.#changed = true;
  }

  #endContainer(): void {
    const ended = this.#open.pop();
    if (!ended) return;
    this.#size -= Object.keys(ended.value).length;
    this.#changed = true;
    if (ended.path?.length === REPORTED_DEPTH) this.#changes.push({ kind: "set", path: ended.path, value: ended.value });
    this.#ended();
  }
}

/** What an escape means, once enough of it is there. One that means nothing is text. */
function unescape(sequence: string): { done: boolean; made: string } {
  const second = sequence[1];
  if (second !== "u") return { done: true, made: ESCAPES[second] ?? sequence };
  if (sequence.length === 2) return { done: false, made: "" };
  if (!/[0-9a-f]$/i.test(sequence)) return { done: true, made: sequence };
  if (sequence.length < 6) return { done: false, made: "" };
  return { done: true, made: String.fromCharCode(parseInt(sequence.slice(2), 16)) };
}

/** The arguments of one tool call while they come: their text, and what it says so far. */
export class ToolCallArgumentsStream {
  #text = "";
  #parser = new StreamingJsonParser();
  #shown: any = undefined;
  #arguments: any = {};

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  /** Reads the next piece; gives the arguments so far, as a new object when they changed. */
  append(delta: string): any {
    this.#text += delta;
    this.#parser.append(delta);
    return this.#soFar();
  }

  /** Takes the whole text. Where it goes on from the text so far, `delta` is what was missing. */
  replace(text: string): { delta: string | undefined; arguments: any } {
    if (text.startsWith(this.#text)) {
      const delta = text.slice(this.#text.length);
      return { delta, arguments: delta === "" ? this.#soFar() : this.append(delta) };
    }
    this.#text = "";
    this.#parser = new StreamingJsonParser();
    return { delta: undefined, arguments: this.append(text) };
  }

  /** The arguments of the whole text, or what is wrong with them. */
  finish(): { arguments: any; argumentsError?: string } {
    return parseToolCallArguments(this.#text);
  }

  #soFar(): any {
    const shown = this.#parser.snapshot();
    if (shown !== this.#shown) {
      this.#shown = shown;
      this.#arguments = shown && typeof shown === "object" && !Array.isArray(shown) ? shown : {};
    }
    return this.#arguments;
  }
}
