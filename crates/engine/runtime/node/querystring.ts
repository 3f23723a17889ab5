// node:querystring.
import { codeError } from "../internal/errors.ts";
import { Buffer } from "../internal/buffer/class.ts";

function escape(text: unknown): string {
  const value = typeof text === "string" ? text : typeof text === "object" ? String(text) : `${text as any}`;
  if (!value.isWellFormed()) throw codeError("ERR_INVALID_URI", "URI malformed", URIError);
  return encodeURIComponent(value);
}

/** Percent escapes become bytes; what is no escape stays (`+` becomes a space when asked for). */
function unescapeBuffer(text: string, decodeSpaces = false): any {
  const bytes = Buffer.from(text, "utf8");
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const char = bytes[i];
    if (char === 0x25) {
      const digits = String.fromCharCode(bytes[i + 1], bytes[i + 2]);
      if (i + 2 < bytes.length && /^[0-9a-fA-F]{2}$/.test(digits)) {
        bytes[length++] = Number.parseInt(digits, 16);
        i += 2;
        continue;
      }
    }
    bytes[length++] = decodeSpaces && char === 0x2b ? 0x20 : char;
  }
  return bytes.subarray(0, length);
}

function unescape(text: string, decodeSpaces?: boolean): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescapeBuffer(text, decodeSpaces).toString();
  }
}

function primitive(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? `${value}` : "";
  if (typeof value === "bigint") return `${value}`;
  if (typeof value === "boolean") return value ? "true" : "false";
  return "";
}

function stringify(obj: any, sep?: string | null, eq?: string | null, options?: any): string {
  if (obj === null || typeof obj !== "object") return "";
  const separator = sep || "&";
  const equals = eq || "=";
  const encode = typeof options?.encodeURIComponent === "function" ? options.encodeURIComponent : module.escape;
  const fields: string[] = [];
  for (const key of Object.keys(obj)) {
    const name = `${encode(primitive(key))}${equals}`;
    const value = obj[key];
    if (Array.isArray(value)) for (const item of value) fields.push(name + encode(primitive(item)));
    else fields.push(name + encode(primitive(value)));
  }
  return fields.join(separator);
}

function parse(text: string, sep?: string | null, eq?: string | null, options?: any): Record<string, any> {
  const result: Record<string, any> = Object.create(null);
  if (typeof text !== "string" || text.length === 0) return result;
  const separator = sep || "&";
  const equals = eq || "=";
  const max = typeof options?.maxKeys === "number" ? options.maxKeys : 1000;
  const own = typeof options?.decodeURIComponent === "function" ? options.decodeURIComponent : module.unescape;
  const decode = (part: string): string => {
    const spaced = part.replaceAll("+", "%20");
    if (!spaced.includes("%") && own === unescape) return spaced;
    try {
      return own(spaced);
    } catch {
      return unescape(spaced, true);
    }
  };
  let count = 0;
  for (const field of text.split(separator)) {
    if (max > 0 && count >= max) break;
    // Empty fields count towards the limit only when something stands in them.
    if (field === "") continue;
    count++;
    const at = field.indexOf(equals);
    const name = decode(at === -1 ? field : field.slice(0, at));
    const value = at === -1 ? "" : decode(field.slice(at + equals.length));
    if (!(name in result)) result[name] = value;
    else if (Array.isArray(result[name])) result[name].push(value);
    else result[name] = [result[name], value];
  }
  return result;
}

const encode = stringify;
const decode = parse;

// Programs may replace `escape` and `unescape` here, so the functions above look them up.
const module: any = { unescapeBuffer, unescape, escape, stringify, encode, parse, decode };

export { decode, encode, escape, parse, stringify, unescape, unescapeBuffer };
export default module;
