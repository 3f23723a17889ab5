/** `Headers`. */

import { codeTypeError } from "../errors.ts";
import { kInspect } from "../symbols.ts";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const isBadValue = (value: string) => /[\0\r\n]/.test(value) || /[^\0-\xff]/.test(value);

let makeImmutable: (headers: Headers) => void;

export class Headers {
  /** By lower-case name; the name as written comes first, then the values. */
  #map = new Map<string, [string, ...string[]]>();
  #immutable = false;

  static {
    makeImmutable = (headers) => {
      headers.#immutable = true;
    };
  }

  constructor(init?: any) {
    if (init === undefined || init === null) {
      if (init === null) throw invalidInit();
      return;
    }
    if (typeof init !== "object" && typeof init !== "function") throw invalidInit();
    if (init instanceof Headers) {
      for (const [key, entry] of init.#map) this.#map.set(key, [...entry]);
    } else if (typeof init[Symbol.iterator] === "function") {
      for (const pair of init) {
        const list = pair !== null && typeof pair === "object" ? [...pair] : [];
        if (list.length !== 2) {
          throw new TypeError("Headers constructor: expected name/value pair to be length 2, found " + list.length + ".");
        }
        this.append(list[0], list[1]);
      }
    } else {
      for (const key of Reflect.ownKeys(init)) {
        if (typeof key === "symbol") throw new TypeError("Headers constructor: a symbol is no header name.");
        if (Object.getOwnPropertyDescriptor(init, key)?.enumerable) this.append(key, init[key]);
      }
    }
  }

  #check(method: string, name: any, value?: any): [string, string] {
    const key = `${name}`;
    if (!TOKEN.test(key)) throw new TypeError(`Headers.${method}: ${key} is an invalid header name.`);
    const text = value === undefined ? "" : `${value}`.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
    if (isBadValue(text)) throw new TypeError(`Headers.${method}: ${text} is an invalid header value.`);
    if (this.#immutable && (method === "append" || method === "set" || method === "delete")) {
      throw new TypeError("immutable");
    }
    return [key, text];
  }

  append(name: string, value: string): void {
    required("append", arguments.length, 2);
    const [key, text] = this.#check("append", name, `${value}`);
    const known = this.#map.get(key.toLowerCase());
    if (known) known.push(text);
    else this.#map.set(key.toLowerCase(), [key, text]);
  }

  set(name: string, value: string): void {
    required("set", arguments.length, 2);
    const [key, text] = this.#check("set", name, `${value}`);
    this.#map.set(key.toLowerCase(), [key, text]);
  }

  delete(name: string): void {
    required("delete", arguments.length, 1);
    const [key] = this.#check("delete", name);
    this.#map.delete(key.toLowerCase());
  }

  get(name: string): string | null {
    required("get", arguments.length, 1);
    const [key] = this.#check("get", name);
    return joined(this.#map.get(key.toLowerCase())) ?? null;
  }

  has(name: string): boolean {
    required("has", arguments.length, 1);
    const [key] = this.#check("has", name);
    return this.#map.has(key.toLowerCase());
  }

  getSetCookie(): string[] {
    return this.#map.get("set-cookie")?.slice(1) ?? [];
  }

  forEach(callback: (value: string, name: string, headers: Headers) => void, thisArg?: unknown): void {
    if (typeof callback !== "function") {
      throw new TypeError("Failed to execute 'forEach' on 'Headers': parameter 1 is not of type 'Function'.");
    }
    for (const [name, value] of this) callback.call(thisArg, value, name, this);
  }

  #sorted(): [string, string][] {
    const list: [string, string][] = [];
    for (const key of [...this.#map.keys()].sort()) {
      const entry = this.#map.get(key)!;
      // Cookies may hold commas, so they are never joined.
      if (key === "set-cookie") for (const value of entry.slice(1)) list.push([key, value]);
      else list.push([key, joined(entry)!]);
    }
    return list;
  }

  *entries(): IterableIterator<[string, string]> {
    yield* this.#sorted();
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this.#sorted()) yield name;
  }

  *values(): IterableIterator<string> {
    for (const [, value] of this.#sorted()) yield value;
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }

  [kInspect](_depth: number, options: unknown, inspect: any): string {
    return `Headers ${inspect(Object.fromEntries(this.#sorted()), options)}`;
  }
}
Object.defineProperty(Headers.prototype, Symbol.toStringTag, { value: "Headers", configurable: true });

function joined(entry: string[] | undefined): string | undefined {
  if (!entry) return undefined;
  if (entry.length === 2) return entry[1];
  return entry.slice(1).join(entry[0]!.toLowerCase() === "cookie" ? "; " : ", ");
}

function required(method: string, given: number, wanted: number): void {
  if (given >= wanted) return;
  const noun = wanted === 1 ? "argument" : "arguments";
  throw new TypeError(`Headers.${method}: ${wanted} ${noun} required, but${given ? " only" : ""} ${given} found.`);
}

function invalidInit(): Error {
  return codeTypeError(
    "ERR_INVALID_ARG_TYPE",
    'Headers constructor: init given has an unsupported type; expected "Record<string, string>" or a list of pairs.',
  );
}

/** Makes the headers of a finished response read-only. */
export function freeze(headers: Headers): Headers {
  makeImmutable(headers);
  return headers;
}

/** Headers from the wire: no checks, every value kept. */
export function fromWire(pairs: [string, string][]): Headers {
  const headers = new Headers();
  for (const [name, value] of pairs) {
    try {
      headers.append(name, value);
    } catch {
      // A header that could not be set by a script is not shown to one either.
    }
  }
  return freeze(headers);
}
