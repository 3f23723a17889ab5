// URLSearchParams.
import { ops } from "tau:ops";
import { codeTypeError, invalidArgType, invalidThis, missingArgs } from "../internal/errors.ts";

const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

type Pair = [name: string, value: string];

function decode(text: string): string {
  const spaced = text.replaceAll("+", " ");
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // Malformed escapes stay, malformed UTF-8 becomes U+FFFD.
    return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => ops.utf8Decode(ops.hexDecode(run.replaceAll("%", "")), false));
  }
}

function encode(text: string): string {
  return encodeURIComponent(text)
    .replaceAll("%20", "+")
    .replace(/[!'()~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function parse(text: string): Pair[] {
  const pairs: Pair[] = [];
  for (const part of text.split("&")) {
    if (part === "") continue;
    const at = part.indexOf("=");
    pairs.push(at === -1 ? [decode(part), ""] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]);
  }
  return pairs;
}

// Every name and value is a string without lone surrogates.
function text(value: unknown): string {
  return `${value}`.toWellFormed();
}

/** Called when the parameters change; connects them with their URL. */
export const onChange = new WeakMap<URLSearchParams, (query: string) => void>();

/** Replaces all parameters without telling the URL. */
export let reload: (params: URLSearchParams, query: string) => void;

const ArrayIteratorPrototype = Object.getPrototypeOf([][Symbol.iterator]());
const IteratorPrototype = Object.getPrototypeOf(ArrayIteratorPrototype);
const SearchParamsIterator = Object.create(IteratorPrototype, {
  next: {
    writable: true,
    enumerable: true,
    configurable: true,
    value: function next(this: any) {
      const state = states.get(this);
      if (state === undefined) throw invalidThis("URLSearchParamsIterator");
      const pair = state.pairs()[state.index];
      if (pair === undefined) return { value: undefined, done: true };
      state.index++;
      return { value: state.pick(pair), done: false };
    },
  },
  [Symbol.toStringTag]: { value: "URLSearchParams Iterator", configurable: true },
});
const states = new WeakMap<object, { pairs: () => Pair[]; index: number; pick: (pair: Pair) => unknown }>();

export interface URLSearchParams {
  [Symbol.iterator](): IterableIterator<[name: string, value: string]>;
}

/** The query of a URL as a list of names and values. */
export class URLSearchParams {
  #pairs: Pair[] = [];

  static {
    reload = (params, query) => {
      params.#pairs = parse(query);
    };
  }

  constructor(init: any = undefined) {
    if (init === undefined || init === null) return;
    if (typeof init !== "object" && typeof init !== "function") {
      const query = text(init);
      this.#pairs = parse(query[0] === "?" ? query.slice(1) : query);
      return;
    }
    const method = init[Symbol.iterator];
    if (method === this[Symbol.iterator] && #pairs in init) {
      this.#pairs = init.#pairs.map(([name, value]: Pair) => [name, value]);
    } else if (method !== null && method !== undefined) {
      if (typeof method !== "function") throw codeTypeError("ERR_ARG_NOT_ITERABLE", "Query pairs must be iterable");
      for (const pair of init) {
        if (pair === null || typeof pair !== "object" || typeof pair[Symbol.iterator] !== "function") {
          throw codeTypeError("ERR_INVALID_TUPLE", "Each query pair must be an iterable [name, value] tuple");
        }
        const items = [...pair];
        if (items.length !== 2) {
          throw codeTypeError("ERR_INVALID_TUPLE", "Each query pair must be an iterable [name, value] tuple");
        }
        this.#pairs.push([text(items[0]), text(items[1])]);
      }
    } else {
      const seen = new Map<string, Pair>();
      for (const key of Reflect.ownKeys(init)) {
        if (typeof key !== "string" || !Object.prototype.propertyIsEnumerable.call(init, key)) continue;
        const name = text(key);
        const known = seen.get(name);
        if (known !== undefined) known[1] = text(init[key]);
        else {
          const pair: Pair = [name, text(init[key])];
          seen.set(name, pair);
          this.#pairs.push(pair);
        }
      }
    }
  }

  #changed(): void {
    onChange.get(this)?.(this.toString());
  }

  #iterate(pick: (pair: Pair) => unknown): any {
    const iterator = Object.create(SearchParamsIterator);
    states.set(iterator, { pairs: () => this.#pairs, index: 0, pick });
    return iterator;
  }

  get size(): number {
    return this.#pairs.length;
  }

  append(name: string, value: string): void {
    if (arguments.length < 2) throw missingArgs("name", "value");
    this.#pairs.push([text(name), text(value)]);
    this.#changed();
  }

  delete(name: string, value: string | undefined = undefined): void {
    if (arguments.length < 1) throw missingArgs("name");
    const wanted = text(name);
    const only = value === undefined ? undefined : text(value);
    this.#pairs = this.#pairs.filter((pair) => pair[0] !== wanted || (only !== undefined && pair[1] !== only));
    this.#changed();
  }

  get(name: string): string | null {
    if (arguments.length < 1) throw missingArgs("name");
    const wanted = text(name);
    return this.#pairs.find((pair) => pair[0] === wanted)?.[1] ?? null;
  }

  getAll(name: string): string[] {
    if (arguments.length < 1) throw missingArgs("name");
    const wanted = text(name);
    return this.#pairs.filter((pair) => pair[0] === wanted).map((pair) => pair[1]);
  }

  has(name: string, value: string | undefined = undefined): boolean {
    if (arguments.length < 1) throw missingArgs("name");
    const wanted = text(name);
    const only = value === undefined ? undefined : text(value);
    return this.#pairs.some((pair) => pair[0] === wanted && (only === undefined || pair[1] === only));
  }

  set(name: string, value: string): void {
    if (arguments.length < 2) throw missingArgs("name", "value");
    const wanted = text(name);
    const at = this.#pairs.findIndex((pair) => pair[0] === wanted);
    if (at === -1) this.#pairs.push([wanted, text(value)]);
    else {
      this.#pairs[at][1] = text(value);
      this.#pairs = this.#pairs.filter((pair, i) => i <= at || pair[0] !== wanted);
    }
    this.#changed();
  }

  sort(): void {
    // The order of strings by `<` is that of their UTF-16 units, as the standard wants it.
    this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    this.#changed();
  }

  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, thisArg: unknown = undefined): void {
    if (typeof callback !== "function") throw invalidArgType("callback", "Function", callback);
    for (let i = 0; i < this.#pairs.length; i++) callback.call(thisArg, this.#pairs[i][1], this.#pairs[i][0], this);
  }

  entries(): any {
    return this.#iterate((pair) => [pair[0], pair[1]]);
  }

  keys(): any {
    return this.#iterate((pair) => pair[0]);
  }

  values(): any {
    return this.#iterate((pair) => pair[1]);
  }

  toString(): string {
    return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  }

  [inspectCustom](depth: number, options: any, inspect: any): string {
    if (typeof depth === "number" && depth < 0) return options.stylize("[Object]", "special");
    const shown = this.#pairs.map(([name, value]) => `${inspect(name, options)} => ${inspect(value, options)}`);
    const length = shown.reduce((sum, part) => sum + part.length + 2, -2);
    if (shown.length === 0) return "URLSearchParams {}";
    if (length > options.breakLength) return `URLSearchParams {\n  ${shown.join(",\n  ")} }`;
    return `URLSearchParams { ${shown.join(", ")} }`;
  }
}

Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, {
  value: URLSearchParams.prototype.entries,
  writable: true,
  configurable: true,
});
Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, { value: "URLSearchParams", configurable: true });
for (const name of "append delete get getAll has set sort entries forEach keys values toString size".split(" ")) {
  Object.defineProperty(URLSearchParams.prototype, name, { enumerable: true });
}
