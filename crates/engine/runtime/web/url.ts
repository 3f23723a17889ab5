// URL. The parsing is native, see the ops.
import { ops } from "tau:ops";
import { codeTypeError, missingArgs } from "../internal/errors.ts";
import { lazyModule } from "../internal/lazy.ts";
import { URLSearchParams, onChange, reload } from "./search_params.ts";

export { URLSearchParams };

const blobModule = lazyModule("web/blob.ts");
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

interface Parts {
  href: string;
  origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
}

function parse(input: string, base: string | undefined): Parts | null | undefined {
  return ops.urlParse(input.toWellFormed(), base?.toWellFormed());
}

/** A parsed URL; see the URL Standard. */
export class URL {
  #parts: Parts;
  #params: URLSearchParams | undefined;

  constructor(input: unknown, base: unknown = undefined) {
    if (arguments.length === 0) throw missingArgs("url");
    const text = `${input}`;
    const baseText = base === undefined ? undefined : `${base}`;
    const parts = parse(text, baseText);
    if (parts == null) {
      const error = codeTypeError("ERR_INVALID_URL", "Invalid URL");
      error.input = text;
      if (baseText !== undefined) error.base = baseText;
      throw error;
    }
    this.#parts = parts;
  }

  /** Whether the constructor would accept these arguments. */
  static canParse(input: unknown, base: unknown = undefined): boolean {
    if (arguments.length === 0) throw missingArgs("url");
    return parse(`${input}`, base === undefined ? undefined : `${base}`) != null;
  }

  /** The URL, or null where the constructor would throw. */
  static parse(input: unknown, base: unknown = undefined): URL | null {
    if (arguments.length === 0) throw missingArgs("url");
    return URL.canParse(input, base) ? new URL(input, base) : null;
  }

  static createObjectURL(blob: any): string {
    return blobModule().createObjectURL(blob);
  }

  static revokeObjectURL(url: string): void {
    blobModule().revokeObjectURL(url);
  }

  #set(part: keyof Parts, value: unknown): void {
    const parts: Parts | null | undefined = ops.urlSet(this.#parts.href, part, `${value}`.toWellFormed());
    if (parts == null) {
      const error = codeTypeError("ERR_INVALID_URL", "Invalid URL");
      error.input = `${value}`;
      throw error;
    }
    const { search } = this.#parts;
    this.#parts = parts;
    if (this.#params !== undefined && (part === "search" || part === "href" || search !== parts.search)) {
      reload(this.#params, parts.search.slice(1));
    }
  }

  get href(): string {
    return this.#parts.href;
  }

  set href(value: string) {
    this.#set("href", value);
  }

  get origin(): string {
    return this.#parts.origin;
  }

  get protocol(): string {
    return this.#parts.protocol;
  }

  set protocol(value: string) {
    this.#set("protocol", value);
  }

  get username(): string {
    return this.#parts.username;
  }

  set username(value: string) {
    this.#set("username", value);
  }

  get password(): string {
    return this.#parts.password;
  }

  set password(value: string) {
    this.#set("password", value);
  }

  get host(): string {
    return this.#parts.host;
  }

  set host(value: string) {
    this.#set("host", value);
  }

  get hostname(): string {
    return this.#parts.hostname;
  }

  set hostname(value: string) {
    this.#set("hostname", value);
  }

  get port(): string {
    return this.#parts.port;
  }

  set port(value: string | number) {
    this.#set("port", value);
  }

  get pathname(): string {
    return this.#parts.pathname;
  }

  set pathname(value: string) {
    this.#set("pathname", value);
  }

  get search(): string {
    return this.#parts.search;
  }

  set search(value: string) {
    this.#set("search", value);
  }

  get searchParams(): URLSearchParams {
    if (this.#params === undefined) {
      this.#params = new URLSearchParams(this.#parts.search);
      onChange.set(this.#params, (query) => {
        this.#parts = ops.urlSet(this.#parts.href, "search", query) ?? this.#parts;
      });
    }
    return this.#params;
  }

  get hash(): string {
    return this.#parts.hash;
  }

  set hash(value: string) {
    this.#set("hash", value);
  }

  toString(): string {
    return this.#parts.href;
  }

  toJSON(): string {
    return this.#parts.href;
  }

  [inspectCustom](depth: number, options: unknown, inspect: any): any {
    if (typeof depth === "number" && depth < 0) return this;
    const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = this;
    const { searchParams } = this;
    const shown = { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash };
    return `${this.constructor.name} ${inspect(shown, options)}`;
  }
}

Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: "URL", configurable: true });
for (const name of [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "searchParams",
  "hash",
  "toString",
  "toJSON",
]) {
  Object.defineProperty(URL.prototype, name, { enumerable: true });
}
for (const name of ["canParse", "parse", "createObjectURL", "revokeObjectURL"]) {
  Object.defineProperty(URL, name, { enumerable: true });
}
