/** The `FormData` global, and its encoding as `multipart/form-data`. */

import { codeTypeError } from "../internal/errors.ts";
import { kInspect } from "../internal/symbols.ts";
import { Blob, File, fileOf } from "./blob.ts";
import { TextDecoder, TextEncoder } from "./encoding.ts";

type Value = string | File;
interface Entry {
  name: string;
  value: Value;
}

export class FormData {
  #entries: Entry[] = [];

  constructor(form?: undefined) {
    if (form !== undefined) {
      throw codeTypeError("ERR_INVALID_ARG_TYPE", "FormData constructor: Argument 1 could not be converted to: undefined.");
    }
  }

  append(name: string, value: unknown, filename?: string): void {
    this.#entries.push(entry(name, value, filename, arguments.length, "append"));
  }

  set(name: string, value: unknown, filename?: string): void {
    const created = entry(name, value, filename, arguments.length, "set");
    const index = this.#entries.findIndex((item) => item.name === created.name);
    if (index < 0) {
      this.#entries.push(created);
      return;
    }
    this.#entries = this.#entries.filter((item, at) => at <= index || item.name !== created.name);
    this.#entries[index] = created;
  }

  delete(name: string): void {
    const key = wellFormed(name);
    this.#entries = this.#entries.filter((item) => item.name !== key);
  }

  get(name: string): Value | null {
    const key = wellFormed(name);
    return this.#entries.find((item) => item.name === key)?.value ?? null;
  }

  getAll(name: string): Value[] {
    const key = wellFormed(name);
    return this.#entries.filter((item) => item.name === key).map((item) => item.value);
  }

  has(name: string): boolean {
    const key = wellFormed(name);
    return this.#entries.some((item) => item.name === key);
  }

  forEach(callback: (value: Value, name: string, form: FormData) => void, thisArg?: unknown): void {
    if (typeof callback !== "function") {
      throw new TypeError("Failed to execute 'forEach' on 'FormData': parameter 1 is not of type 'Function'.");
    }
    for (const [name, value] of this) callback.call(thisArg, value, name, this);
  }

  *entries(): IterableIterator<[string, Value]> {
    // By index: entries that are appended while iterating are seen.
    for (let index = 0; index < this.#entries.length; index += 1) {
      const { name, value } = this.#entries[index]!;
      yield [name, value];
    }
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): IterableIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): IterableIterator<[string, Value]> {
    return this.entries();
  }

  [kInspect](_depth: number, _options: unknown, inspect: any): string {
    return `FormData ${inspect(Object.fromEntries(this))}`;
  }
}
Object.defineProperty(FormData.prototype, Symbol.toStringTag, { value: "FormData", configurable: true });

function wellFormed(text: unknown): string {
  return (`${text}` as any).toWellFormed();
}

function entry(name: unknown, value: unknown, filename: unknown, count: number, method: string): Entry {
  if (count < 2) throw new TypeError(`FormData.${method}: 2 arguments required, but only ${count} present.`);
  if (value instanceof Blob) {
    const called = filename === undefined ? (value instanceof File ? value.name : "blob") : wellFormed(filename);
    const file = value instanceof File && filename === undefined ? value : fileOf(value, called);
    return { name: wellFormed(name), value: file };
  }
  if (count > 2 && filename !== undefined) {
    throw new TypeError(`FormData.${method}: Argument 2 could not be converted to: Blob.`);
  }
  return { name: wellFormed(name), value: wellFormed(value) };
}

// Encoding

const escapeName = (text: string) => text.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");
const crlf = (text: string) => text.replace(/\r\n|\r|\n/g, "\r\n");

/** `form` as `multipart/form-data`: the body and the type that names its boundary. */
export function encodeMultipart(form: FormData): { blob: Blob; type: string } {
  const boundary = `----formdata-tau-${Array.from({ length: 12 }, () => Math.floor(Math.random() * 10)).join("")}`;
  const parts: any[] = [];
  for (const [name, value] of form) {
    let head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(crlf(name))}"`;
    if (typeof value === "string") {
      parts.push(`${head}\r\n\r\n${crlf(value)}\r\n`);
    } else {
      head += `; filename="${escapeName(value.name)}"\r\nContent-Type: ${value.type || "application/octet-stream"}`;
      parts.push(`${head}\r\n\r\n`, value, "\r\n");
    }
  }
  parts.push(`--${boundary}--\r\n`);
  const type = `multipart/form-data; boundary=${boundary}`;
  return { blob: new Blob(parts), type };
}

// Decoding

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const last = bytes.length - wanted.length;
  for (let at = bytes.indexOf(wanted[0]!, from); at >= 0 && at <= last; at = bytes.indexOf(wanted[0]!, at + 1)) {
    let matched = 1;
    while (matched < wanted.length && bytes[at + matched] === wanted[matched]) matched += 1;
    if (matched === wanted.length) return at;
  }
  return -1;
}

/** The form in a `multipart/form-data` body. Throws a `TypeError` when it is not one. */
export function decodeMultipart(bytes: Uint8Array, boundary: string): FormData {
  const broken = () => new TypeError("Failed to parse body as FormData.");
  const form = new FormData();
  const delimiter = new TextEncoder().encode(`--${boundary}`);
  const between = new TextEncoder().encode(`\r\n--${boundary}`);
  const blank = new Uint8Array([13, 10, 13, 10]);
  let at = indexOf(bytes, delimiter, 0);
  if (at < 0) throw broken();
  at += delimiter.length;
  for (;;) {
    if (bytes[at] === 0x2d && bytes[at + 1] === 0x2d) return form;
    if (bytes[at] !== 13 || bytes[at + 1] !== 10) throw broken();
    const headEnd = indexOf(bytes, blank, at);
    if (headEnd < 0) throw broken();
    const head = new TextDecoder().decode(bytes.subarray(at + 2, headEnd));
    const end = indexOf(bytes, between, headEnd + 2);
    if (end < 0) throw broken();
    const body = bytes.subarray(Math.min(headEnd + 4, end), end);
    const disposition = header(head, "content-disposition");
    const name = parameter(disposition, "name");
    if (!/^form-data\b/i.test(disposition) || name === undefined) throw broken();
    const filename = parameter(disposition, "filename");
    if (filename === undefined) form.append(name, new TextDecoder("utf-8", { ignoreBOM: true }).decode(body));
    else form.append(name, new File([body], filename, { type: header(head, "content-type") || "text/plain" }));
    at = end + between.length;
  }
}

function header(head: string, name: string): string {
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":");
    if (line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return "";
}

function parameter(disposition: string, name: string): string | undefined {
  const quoted = new RegExp(`;\\s*${name}="([^"]*)"`, "i").exec(disposition);
  if (quoted) return quoted[1]!.replace(/%0A/gi, "\n").replace(/%0D/gi, "\r").replace(/%22/g, '"');
  return new RegExp(`;\\s*${name}=([^;]*)`, "i").exec(disposition)?.[1]?.trim();
}
