// MIME types as values.
import { codeTypeError } from "../errors.ts";

const TOKEN = /^[!#$%&'*+\-.^_`|~A-Za-z0-9]+$/;
const QUOTED_CHARS = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

function invalid(production: string, text: string, index = -1): Error {
  const at = index === -1 ? "" : ` at ${index}`;
  return codeTypeError("ERR_INVALID_MIME_SYNTAX", `The MIME syntax for a ${production} in ${JSON.stringify(text)} is invalid${at}`);
}

function badIndex(text: string, pattern: RegExp): number {
  for (let i = 0; i < text.length; i++) if (!pattern.test(text[i])) return i;
  return -1;
}

/** The parameters of a MIME type, in order. */
export class MIMEParams {
  #entries = new Map<string, string>();

  /** Reads `; name=value` parameters; what is malformed is left out. */
  static parse(text: string): MIMEParams {
    const params = new MIMEParams();
    const pattern = /;?[\t\n\r ]*([^;=]*)(?:=("(?:[^"\\]|\\[^])*"?[^;]*|[^;]*))?/y;
    let match;
    while (pattern.lastIndex < text.length && (match = pattern.exec(text)) !== null && match[0] !== "") {
      const name = match[1].toLowerCase();
      let value = match[2];
      if (value === undefined) continue;
      if (value.startsWith('"')) value = /^"((?:[^"\\]|\\[^])*)/.exec(value)![1].replace(/\\([^])/g, "$1");
      else {
        value = value.replace(/[\t\n\r ]+$/, "");
        if (value === "") continue;
      }
      if (TOKEN.test(name) && QUOTED_CHARS.test(value) && !params.has(name)) params.#entries.set(name, value);
    }
    return params;
  }

  delete(name: string): void {
    this.#entries.delete(`${name}`);
  }

  get(name: string): string | null {
    return this.#entries.get(`${name}`) ?? null;
  }

  has(name: string): boolean {
    return this.#entries.has(`${name}`);
  }

  set(name: string, value: string): void {
    const key = `${name}`;
    const text = `${value}`;
    if (!TOKEN.test(key)) throw invalid("parameter name", key, badIndex(key, TOKEN));
    if (!QUOTED_CHARS.test(text)) throw invalid("parameter value", text, badIndex(text, QUOTED_CHARS));
    this.#entries.set(key, text);
  }

  entries(): IterableIterator<[string, string]> {
    return this.#entries.entries();
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  values(): IterableIterator<string> {
    return this.#entries.values();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#entries.entries();
  }

  toString(): string {
    return [...this.#entries]
      .map(([name, value]) => `${name}=${TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`}`)
      .join(";");
  }

  toJSON(): string {
    return this.toString();
  }
}

/** A MIME type with its parameters. */
export class MIMEType {
  #type: string;
  #subtype: string;
  #params: MIMEParams;

  constructor(input: string) {
    const text = `${input}`;
    const trimmed = text.replace(/^[\t\n\r ]+/, "");
    const slash = trimmed.indexOf("/");
    const type = slash === -1 ? "" : trimmed.slice(0, slash);
    if (!TOKEN.test(type)) throw invalid("type", text);
    const rest = trimmed.slice(slash + 1);
    const semicolon = rest.indexOf(";");
    const subtype = (semicolon === -1 ? rest : rest.slice(0, semicolon)).replace(/[\t\n\r ]+$/, "");
    if (!TOKEN.test(subtype)) throw invalid("subtype", text);
    this.#type = type.toLowerCase();
    this.#subtype = subtype.toLowerCase();
    this.#params = MIMEParams.parse(semicolon === -1 ? "" : rest.slice(semicolon + 1));
  }

  get type(): string {
    return this.#type;
  }

  set type(value: string) {
    const text = `${value}`;
    if (!TOKEN.test(text)) throw invalid("type", text, badIndex(text, TOKEN));
    this.#type = text.toLowerCase();
  }

  get subtype(): string {
    return this.#subtype;
  }

  set subtype(value: string) {
    const text = `${value}`;
    if (!TOKEN.test(text)) throw invalid("subtype", text, badIndex(text, TOKEN));
    this.#subtype = text.toLowerCase();
  }

  get essence(): string {
    return `${this.#type}/${this.#subtype}`;
  }

  get params(): MIMEParams {
    return this.#params;
  }

  toString(): string {
    const params = this.#params.toString();
    return params === "" ? this.essence : `${this.essence};${params}`;
  }

  toJSON(): string {
    return this.toString();
  }
}
