// Header names and values: what is allowed, and how received ones are put together.
import { codeError, codeTypeError } from "../errors.ts";

const TOKEN = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

export function isToken(text: unknown): boolean {
  return TOKEN.test(`${text}`);
}

export function validateHeaderName(name: unknown, label?: string): void {
  if (typeof name !== "string" || !name || !TOKEN.test(name)) {
    throw codeTypeError("ERR_INVALID_HTTP_TOKEN", `${label || "Header name"} must be a valid HTTP token ["${name}"]`);
  }
}

export function validateHeaderValue(name: string, value: unknown): void {
  if (value === undefined) throw codeTypeError("ERR_HTTP_INVALID_HEADER_VALUE", `Invalid value "${value}" for header "${name}"`);
  if (FORBIDDEN.test(`${value}`)) throw codeTypeError("ERR_INVALID_CHAR", `Invalid character in header content ["${name}"]`);
}

/** Of these the first counts when there are several. */
const SINGLE = new Set([
  "age", "authorization", "content-length", "content-type", "etag", "expires", "from", "host", "if-modified-since",
  "if-unmodified-since", "last-modified", "location", "max-forwards", "proxy-authorization", "referer", "retry-after",
  "server", "user-agent",
]);

/** Received headers by their names in lower case. */
export function joinHeaders(raw: string[], join = false): any {
  const headers: any = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at].toLowerCase();
    const value = raw[at + 1];
    if (name === "set-cookie") (headers[name] ??= []).push(value);
    else if (!Object.hasOwn(headers, name)) headers[name] = value;
    else if (name === "cookie") headers[name] += `; ${value}`;
    else if (join || !SINGLE.has(name)) headers[name] += `, ${value}`;
  }
  return headers;
}

/** Received headers with all values of each. */
export function distinctHeaders(raw: string[]): any {
  const headers: any = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) (headers[raw[at].toLowerCase()] ??= []).push(raw[at + 1]);
  return headers;
}

/** The headers of a message that is to be sent: a value, or several, per name; names keep their spelling. */
export class HeaderStore {
  #map = new Map<string, [string, any]>();

  set(name: string, value: unknown): void {
    this.#map.set(name.toLowerCase(), [name, value]);
  }
  append(name: string, value: unknown): void {
    const known = this.#map.get(name.toLowerCase());
    if (!known) this.set(name, value);
    else known[1] = [known[1], value].flat();
  }
  get(name: string): any {
    return this.#map.get(name.toLowerCase())?.[1];
  }
  has(name: string): boolean {
    return this.#map.has(name.toLowerCase());
  }
  delete(name: string): void {
    this.#map.delete(name.toLowerCase());
  }
  names(): string[] {
    return [...this.#map.keys()];
  }
  rawNames(): string[] {
    return [...this.#map.values()].map(([name]) => name);
  }
  toObject(): any {
    const all = Object.create(null);
    for (const [key, [, value]] of this.#map) all[key] = value;
    return all;
  }
  /** One line per value. */
  lines(): string {
    let text = "";
    for (const [key, [name, value]] of this.#map) {
      if (!Array.isArray(value)) text += `${name}: ${value}\r\n`;
      else if (key === "cookie") text += `${name}: ${value.join("; ")}\r\n`;
      else for (const one of value) text += `${name}: ${one}\r\n`;
    }
    return text;
  }
}

export const headersSent = (what: string): Error =>
  codeError("ERR_HTTP_HEADERS_SENT", `Cannot ${what} headers after they are sent to the client`);
