// FNV-1a over a typed encoding of any value, in 64 bits.

const offset = 14695981039346656037n;
const prime = 1099511628211n;
const mask = (1n << 64n) - 1n;
const marks = [
  "Array", "BigInt", "Boolean", "Date", "Constructor", "Function", "Null", "Number", "Object", "RegExp", "String",
  "Symbol", "TypeArray", "Undefined",
];
const mark: Record<string, number> = Object.fromEntries(marks.map((name, code) => [name, code]));

/** The names of all properties up to (not including) `Object.prototype`. */
function names(value: unknown): string[] {
  const found = new Set<string>();
  for (let at = value; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const key of Reflect.ownKeys(at)) if (typeof key === "string" && key !== "constructor") found.add(key);
  }
  return [...found].sort();
}

const isClass = (value: unknown) => /^class\b/.test(Function.prototype.toString.call(value));

/** Feeds every byte that describes `value` to `byte`. */
function feed(value: unknown, byte: (code: number) => void) {
  const bytes = (codes: Uint8Array) => codes.forEach((code) => byte(code));
  const visit = (item: any) => {
    if (item === null) return byte(mark.Null);
    switch (typeof item) {
      case "undefined": return byte(mark.Undefined);
      case "boolean":
        byte(mark.Boolean);
        return byte(item ? 1 : 0);
      case "bigint":
      case "number": {
        const view = new DataView(new ArrayBuffer(8));
        if (typeof item === "number") view.setFloat64(0, item, true);
        else view.setBigInt64(0, item);
        byte(typeof item === "number" ? mark.Number : mark.BigInt);
        return bytes(new Uint8Array(view.buffer));
      }
      case "string":
        byte(mark.String);
        return bytes(new TextEncoder().encode(item));
      case "symbol":
        byte(mark.Symbol);
        return visit(item.toString());
      case "function":
        byte(isClass(item) ? mark.Constructor : mark.Function);
        return visit(item.toString());
    }
    if (ArrayBuffer.isView(item)) {
      byte(mark.TypeArray);
      return bytes(new Uint8Array(item.buffer));
    }
    if (item instanceof Date) {
      byte(mark.Date);
      return visit(item.getTime());
    }
    if (item instanceof RegExp) {
      byte(mark.RegExp);
      return visit(item.toString());
    }
    if (Array.isArray(item)) {
      byte(mark.Array);
      return item.forEach(visit);
    }
    byte(mark.Object);
    for (const name of names(item)) {
      visit(name);
      visit(item[name]);
    }
  };
  visit(value);
}

/** The hash as a number. */
export function HashCode(value: unknown): bigint {
  let hash = offset;
  feed(value, (code) => {
    hash = ((hash ^ BigInt(code)) * prime) & mask;
  });
  return hash;
}

/** The hash in 16 hexadecimal digits. */
export const Hash = (value: unknown): string => HashCode(value).toString(16).padStart(16, "0");
