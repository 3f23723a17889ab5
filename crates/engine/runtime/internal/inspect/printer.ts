// Walks a value and renders it.
import { ops } from "tau:ops";
import * as types from "../../node/util/types.ts";
import { fillLate, isLate } from "../late.ts";
import { errorText } from "./errors.ts";
import { layOut } from "./layout.ts";
import { classNameOf, functionHead, prefixOf, tagOf } from "./naming.ts";
import { custom } from "./options.ts";
import type { FullOptions } from "./options.ts";
import { textWidth } from "./width.ts";
import { bigintText, moreText, numberText, primitiveText, quote } from "./primitives.ts";

const isEnumerable = Object.prototype.propertyIsEnumerable;
const hasOwn = Object.prototype.hasOwnProperty;
const IDENTIFIER = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
// An index as arrays have it.
const INDEX = /^(0|[1-9][0-9]*)$/;
const MAX_OUTPUT = 2 ** 27;

// How the entries of an object are written.
type Entries = "object" | "array" | "list";

interface Shape {
  base: string;
  open: string;
  close: string;
  keys: PropertyKey[];
  entries: Entries;
  /** Renders what is no property: elements, contents. */
  contents: (depth: number) => string[];
}

const NOTHING = (): string[] => [];

/** One call of `util.inspect`. */
export class Printer {
  private readonly options: FullOptions;
  private readonly userOptions: object | undefined;
  private readonly inspect: Function;
  private indent = 0;
  private readonly path: object[] = [];
  private circular: Map<object, number> | undefined;
  // The level of the object whose entries were rendered last.
  private level = 0;
  private output = 0;
  private stopped = false;

  constructor(options: FullOptions, userOptions: object | undefined, inspect: Function) {
    this.options = options;
    this.userOptions = userOptions;
    this.inspect = inspect;
  }

  /** Renders `value` found at `depth`; `typed` marks properties of typed arrays. */
  value(value: any, depth: number, typed = false): string {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) {
      return primitiveText(value, this.options, this.indent);
    }
    const original = value;
    const proxy = ops.proxyDetails(value) as [any, any] | undefined;
    if (proxy != null) {
      if (proxy[0] === null || proxy[0] === undefined) return this.style("<Revoked Proxy>", "special");
      if (this.options.showProxy) return this.proxy(proxy, depth);
      value = proxy[0];
      // Proxies of proxies: show what is at the end.
      for (let inner = ops.proxyDetails(value); inner != null; inner = ops.proxyDetails(value)) {
        if (inner[0] == null) return this.style("<Revoked Proxy>", "special");
        value = inner[0];
      }
      fillLate(value);
    }
    if (this.options.customInspect) {
      const text = this.customText(value, original, depth, proxy != null);
      if (text !== undefined) return text;
    }
    if (this.path.includes(value)) {
      this.circular ??= new Map();
      let index = this.circular.get(value);
      if (index === undefined) {
        index = this.circular.size + 1;
        this.circular.set(value, index);
      }
      return this.style(`[Circular *${index}]`, "special");
    }
    return this.object(value, depth, typed);
  }

  private style(text: string, style: string): string {
    return this.options.stylize(text, style);
  }

  private customText(value: any, self: object, depth: number, foreign: boolean): string | undefined {
    const method = value[custom];
    if (typeof method !== "function" || method === this.inspect) return undefined;
    // A prototype shows itself, not as if it were an instance.
    if (Object.getOwnPropertyDescriptor(value, "constructor")?.value?.prototype === value) return undefined;
    const limit = this.options.depth;
    const result = method.call(self, limit === null ? null : limit - depth, this.optionsForCustom(foreign), this.inspect);
    if (result === self) return undefined;
    if (typeof result !== "object") return String(result).replaceAll("\n", `\n${" ".repeat(this.indent)}`);
    return this.value(result, depth);
  }

  private optionsForCustom(_foreign: boolean): object {
    const { stylize, ...rest } = this.options;
    return {
      stylize: (text: unknown, style: string) => stylize(`${text}`, style),
      ...rest,
      ...this.userOptions,
    };
  }

  private proxy(proxy: [any, any], depth: number): string {
    if (this.options.depth !== null && depth > this.options.depth) return this.style("Proxy [Array]", "special");
    this.indent += 2;
    const parts = [this.value(proxy[0], depth + 1), this.value(proxy[1], depth + 1)];
    this.indent -= 2;
    return this.finish({ base: "", open: "Proxy [", close: "]", keys: [], entries: "list", contents: NOTHING }, parts, depth, undefined);
  }

  private object(value: any, depth: number, typed: boolean): string {
    const className = this.className(value, depth);
    const tag = tagOf(value, className, this.options.showHidden);
    const shape = this.shapeOf(value, className, tag, depth, typed);
    if (typeof shape === "string") return shape;
    if (this.options.depth !== null && depth > this.options.depth) {
      const label = prefixOf(className, tag, Array.isArray(value) ? "Array" : "Object").slice(0, -1);
      return this.style(className === null ? label : `[${label}]`, "special");
    }
    this.path.push(value);
    this.level = depth;
    let parts: string[];
    const indent = this.indent;
    try {
      parts = shape.contents(depth + 1);
      for (const key of shape.keys) parts.push(this.property(value, key, depth + 1, shape.entries));
    } catch (error) {
      this.path.pop();
      this.indent = indent;
      if (!(error instanceof RangeError || (error as any)?.name === "InternalError")) throw error;
      const label = prefixOf(className, tag, "Object").slice(0, -1);
      return this.style(
        `[${label}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`,
        "special",
      );
    }
    const reference = this.circular?.get(value);
    if (reference !== undefined) {
      const mark = this.style(`<ref *${reference}>`, "special");
      if (this.options.compact !== true) shape.base = shape.base === "" ? mark : `${mark} ${shape.base}`;
      else shape.open = `${mark} ${shape.open}`;
    }
    this.path.pop();
    const { sorted } = this.options;
    if (sorted) {
      const order = sorted === true ? undefined : sorted;
      if (shape.entries === "object") parts.sort(order);
      else if (shape.keys.length > 1) {
        const own = parts.splice(parts.length - shape.keys.length).sort(order);
        parts.push(...own);
      }
    }
    return this.finish(shape, parts, depth, value);
  }

  private finish(shape: Shape, parts: string[], depth: number, elements: unknown): string {
    const text = layOut(
      {
        base: shape.base,
        open: shape.open,
        close: shape.close,
        parts,
        list: shape.entries === "list",
        elements,
        nesting: this.level - depth,
      },
      this.options,
      this.indent,
    );
    this.output += text.length;
    // Very large results stop descending, as nobody could read them.
    if (this.output > MAX_OUTPUT && !this.stopped) {
      this.stopped = true;
      this.options.depth = -1;
    }
    return text;
  }

  private className(value: object, depth: number): string | null {
    const limit = this.options.depth;
    return classNameOf(value, (proto) =>
      limit !== null && depth > limit ? "Complex prototype" : this.sub({ customInspect: false, depth: -1 }, proto, depth),
    );
  }

  private sub(changes: Partial<FullOptions>, value: unknown, depth: number): string {
    return new Printer({ ...this.options, ...changes }, this.userOptions, this.inspect).value(value, depth);
  }

  private keysOf(value: any): PropertyKey[] {
    const symbols = Object.getOwnPropertySymbols(value);
    if (this.options.showHidden) return [...Object.getOwnPropertyNames(value), ...symbols];
    const names: PropertyKey[] = Object.keys(value);
    if (symbols.length > 0) names.push(...symbols.filter((symbol) => isEnumerable.call(value, symbol)));
    return names;
  }

  private extraKeysOf(value: any): PropertyKey[] {
    if (Array.isArray(value) && !this.options.showHidden) {
      // Elements come first, so a list without other keys has as many keys as elements or fewer.
      const keys = Object.keys(value);
      const named = keys.length > 0 && !INDEX.test(keys[keys.length - 1]) ? keys.filter((key) => !INDEX.test(key)) : [];
      const symbols = Object.getOwnPropertySymbols(value);
      return symbols.length === 0 ? named : [...named, ...symbols.filter((symbol) => isEnumerable.call(value, symbol))];
    }
    return this.keysOf(value).filter((key) => typeof key === "symbol" || !INDEX.test(key as string));
  }

  private shapeOf(value: any, className: string | null, tag: string, depth: number, typed: boolean): Shape | string {
    if (Array.isArray(value)) {
      const prefix = className !== "Array" || tag !== "" ? prefixOf(className, tag, "Array", `(${value.length})`) : "";
      const keys = this.extraKeysOf(value);
      if (value.length === 0 && keys.length === 0) return `${prefix}[]`;
      return this.shape(keys, `${prefix}[`, "]", "list", (inner) => this.elements(value, inner));
    }
    if (typeof value === "function") {
      const keys = this.keysOf(value);
      const base = functionHead(value, className, tag);
      if (keys.length === 0) return this.style(base, "special");
      return { ...this.shape(keys), base };
    }
    const iterable = value[Symbol.iterator] !== undefined || className === null;
    if (iterable) {
      const shape = this.iterableShape(value, className, tag, typed);
      if (shape !== undefined) return shape;
    }
    return this.plainShape(value, className, tag, depth, typed);
  }

  private shape(
    keys: PropertyKey[],
    open = "{",
    close = "}",
    entries: Entries = "object",
    contents: Shape["contents"] = NOTHING,
  ): Shape {
    return { base: "", open, close, keys, entries, contents };
  }

  private iterableShape(value: any, className: string | null, tag: string, _typed: boolean): Shape | string | undefined {
    if (types.isSet(value)) {
      const { size } = new Set(Set.prototype.values.call(value));
      const prefix = prefixOf(className, tag, "Set", `(${size})`);
      const keys = this.keysOf(value);
      if (size === 0 && keys.length === 0) return `${prefix}{}`;
      return this.shape(keys, `${prefix}{`, "}", "object", (inner) => this.setItems(value, inner));
    }
    if (types.isMap(value)) {
      const items = [...Map.prototype.entries.call(value)];
      const prefix = prefixOf(className, tag, "Map", `(${items.length})`);
      const keys = this.keysOf(value);
      if (items.length === 0 && keys.length === 0) return `${prefix}{}`;
      return this.shape(keys, `${prefix}{`, "}", "object", (inner) => this.mapItems(items, inner));
    }
    if (types.isTypedArray(value)) {
      const kind = Object.prototype.toString.call(value).slice(8, -1);
      const prefix = prefixOf(className, tag, kind, `(${value.length})`);
      const keys = this.extraKeysOf(value);
      if (value.length === 0 && keys.length === 0 && !this.options.showHidden) return `${prefix}[]`;
      return this.shape(keys, `${prefix}[`, "]", "list", (inner) => this.typedItems(value, inner));
    }
    if (types.isMapIterator(value) || types.isSetIterator(value)) {
      // The engine does not tell what an iterator will give without using it up.
      return this.shape(this.keysOf(value), `[${tag}] {`, "}", "object", () => []);
    }
    return undefined;
  }

  private plainShape(value: any, className: string | null, tag: string, depth: number, typed: boolean): Shape | string {
    let keys = this.keysOf(value);
    const builtin = Object.prototype.toString.call(value);
    if (builtin === "[object Arguments]" && types.isArgumentsObject(value)) {
      const extra = this.extraKeysOf(value);
      if (value.length === 0 && extra.length === 0) return "[Arguments] []";
      return this.shape(extra, "[Arguments] [", "]", "list", (inner) => this.elements(value, inner));
    }
    if (className === "Object" && builtin === "[object Object]" && !types.isPromise(value)) {
      const open = tag !== "" ? `${prefixOf(className, tag, "Object")}{` : "{";
      return keys.length === 0 ? `${open}}` : this.shape(keys, open);
    }
    if (types.isRegExp(value)) {
      let base = RegExp.prototype.toString.call(className === null ? new RegExp(value) : value);
      const prefix = prefixOf(className, tag, "RegExp");
      if (prefix !== "RegExp ") base = prefix + base;
      if (keys.length === 0 || this.tooDeep(depth)) return this.style(base, "regexp");
      return { ...this.shape(keys), base };
    }
    if (types.isDate(value)) {
      const time = Date.prototype.getTime.call(value);
      let base = Number.isNaN(time) ? Date.prototype.toString.call(value) : Date.prototype.toISOString.call(value);
      const prefix = prefixOf(className, tag, "Date");
      if (prefix !== "Date ") base = prefix + base;
      if (keys.length === 0) return this.style(base, "date");
      return { ...this.shape(keys), base };
    }
    if (types.isNativeError(value) || value instanceof Error) {
      const base = errorText(value, className, tag, keys, this.options, this.indent);
      return keys.length === 0 ? base : { ...this.shape(keys), base };
    }
    if (types.isAnyArrayBuffer(value)) return this.arrayBufferShape(value, className, tag, keys, typed);
    if (types.isDataView(value)) {
      keys = ["byteLength", "byteOffset", "buffer", ...keys];
      return this.shape(keys, `${prefixOf(className, tag, "DataView")}{`);
    }
    const promise = ops.promiseDetails(value) as [string, unknown] | undefined;
    if (promise != null) {
      return this.shape(keys, `${prefixOf(className, tag, "Promise")}{`, "}", "object", (inner) => this.promise(promise, inner));
    }
    for (const [matches, name] of [
      [types.isWeakSet, "WeakSet"],
      [types.isWeakMap, "WeakMap"],
    ] as const) {
      if (!matches(value)) continue;
      return this.shape(keys, `${prefixOf(className, tag, name)}{`, "}", "object", () => [
        this.style("<items unknown>", "special"),
      ]);
    }
    if (typeof WeakRef === "function" && value instanceof WeakRef) {
      return this.shape(keys, `${prefixOf(className, tag, "WeakRef")}{`, "}", "object", (inner) => {
        const target = value.deref();
        return [target === undefined ? this.style("<cleared>", "special") : this.indented(target, inner)];
      });
    }
    if (types.isModuleNamespaceObject(value)) {
      return this.shape(keys, `${prefixOf(className, tag, "Module")}{`);
    }
    if (types.isBoxedPrimitive(value)) return this.boxed(value, className, tag, keys);
    const open = className === "Object" && tag === "" ? "{" : `${prefixOf(className, tag, "Object")}{`;
    return keys.length === 0 ? `${open}}` : this.shape(keys, open);
  }

  private tooDeep(depth: number): boolean {
    return this.options.depth !== null && depth > this.options.depth;
  }

  private boxed(value: any, className: string | null, tag: string, keys: PropertyKey[]): Shape | string {
    const primitive = types.isStringObject(value)
      ? String.prototype.valueOf.call(value)
      : types.isNumberObject(value)
        ? Number.prototype.valueOf.call(value)
        : types.isBooleanObject(value)
          ? Boolean.prototype.valueOf.call(value)
          : types.isBigIntObject(value)
            ? BigInt.prototype.valueOf.call(value)
            : Symbol.prototype.valueOf.call(value);
    const kind = (typeof primitive)[0].toUpperCase() + (typeof primitive).slice(1).replace("int", "Int");
    if (kind === "String") keys = keys.filter((key) => typeof key === "symbol" || !INDEX.test(key as string));
    let base = `[${kind}`;
    if (kind !== className) base += className === null ? " (null prototype)" : ` (${className})`;
    base += `: ${primitiveText(primitive, { ...this.options, stylize: (text: string) => text }, 0)}]`;
    if (tag !== "" && tag !== className) base += ` [${tag}]`;
    if (keys.length === 0) return this.style(base, kind.toLowerCase());
    return { ...this.shape(keys), base };
  }

  private arrayBufferShape(value: any, className: string | null, tag: string, keys: PropertyKey[], typed: boolean): Shape | string {
    const kind = types.isArrayBuffer(value) ? "ArrayBuffer" : "SharedArrayBuffer";
    const prefix = prefixOf(className, tag, kind);
    if (typed && keys.length === 0) {
      return `${prefix}{ [byteLength]: ${this.style(numberText(value.byteLength, this.options.numericSeparator), "number")} }`;
    }
    return this.shape(["byteLength", ...keys], `${prefix}{`, "}", "object", () => {
      let bytes: Uint8Array;
      try {
        bytes = new Uint8Array(value);
      } catch {
        return [this.style("(detached)", "special")];
      }
      const max = Math.min(Math.max(0, this.options.maxArrayLength ?? Infinity), bytes.length);
      return [`${this.style("[Uint8Contents]", "special")}: <${hexBytes(bytes, max)}>`];
    });
  }

  // Renders a value two columns further in.
  private indented(value: unknown, depth: number): string {
    this.indent += 2;
    const text = this.value(value, depth);
    this.indent -= 2;
    return text;
  }

  private promise(details: [string, unknown], depth: number): string[] {
    if (details[0] === "pending") return [this.style("<pending>", "special")];
    const text = this.indented(details[1], depth);
    return [details[0] === "rejected" ? `${this.style("<rejected>", "special")} ${text}` : text];
  }

  private limit(length: number): number {
    return Math.min(Math.max(0, this.options.maxArrayLength ?? Infinity), length);
  }

  private elements(value: ArrayLike<unknown>, depth: number): string[] {
    const parts: string[] = [];
    const max = this.limit(value.length);
    let index = 0;
    while (index < value.length && parts.length < max) {
      if (hasOwn.call(value, index)) {
        parts.push(this.property(value, index, depth, "array"));
        index++;
        continue;
      }
      const start = index;
      while (index < value.length && !hasOwn.call(value, index)) index++;
      const count = index - start;
      parts.push(this.style(`<${count} empty item${count > 1 ? "s" : ""}>`, "undefined"));
    }
    if (index < value.length) parts.push(moreText(value.length - index));
    return parts;
  }

  private setItems(value: Set<unknown>, depth: number): string[] {
    const items = [...Set.prototype.values.call(value)];
    const max = this.limit(items.length);
    const parts = items.slice(0, max).map((item) => this.indented(item, depth));
    if (items.length > max) parts.push(moreText(items.length - max));
    return parts;
  }

  private mapItems(items: [unknown, unknown][], depth: number): string[] {
    const max = this.limit(items.length);
    const parts = items.slice(0, max).map(([key, item]) => `${this.indented(key, depth)} => ${this.indented(item, depth)}`);
    if (items.length > max) parts.push(moreText(items.length - max));
    return parts;
  }

  private typedItems(value: any, depth: number): string[] {
    const max = this.limit(value.length);
    const separators = this.options.numericSeparator;
    const parts: string[] = [];
    for (let i = 0; i < max; i++) {
      const item = value[i];
      parts.push(
        typeof item === "bigint"
          ? this.style(bigintText(item, separators), "bigint")
          : this.style(numberText(item, separators), "number"),
      );
    }
    if (value.length > max) parts.push(moreText(value.length - max));
    if (this.options.showHidden) {
      this.indent += 2;
      for (const key of ["BYTES_PER_ELEMENT", "length", "byteLength", "byteOffset", "buffer"]) {
        parts.push(`[${key}]: ${this.value(value[key], depth, true)}`);
      }
      this.indent -= 2;
    }
    return parts;
  }

  private property(object: any, key: PropertyKey, depth: number, entries: Entries): string {
    // What a class provides, such as the size of a buffer, shows like a hidden property.
    const descriptor = Object.getOwnPropertyDescriptor(object, key) ?? { value: object[key], enumerable: false };
    let text: string;
    let gap = " ";
    if (descriptor.value !== undefined) {
      const step = this.options.compact !== true || entries !== "object" ? 2 : 3;
      this.indent += step;
      text = this.value(descriptor.value, depth);
      if (step === 3 && this.options.breakLength < textWidth(text)) gap = `\n${" ".repeat(this.indent)}`;
      this.indent -= step;
    } else if (descriptor.get !== undefined) {
      text = this.getter(object, descriptor, depth);
    } else if (descriptor.set !== undefined) {
      text = this.style("[Setter]", "special");
    } else text = this.style("undefined", "undefined");
    if (entries === "array") return text;
    return `${this.keyText(key, descriptor.enumerable !== false)}:${gap}${text}`;
  }

  private keyText(key: PropertyKey, enumerable: boolean): string {
    if (typeof key === "symbol") {
      const text = this.style(quote(key.toString()).slice(1, -1), "symbol");
      return `[${text}]`;
    }
    const name = String(key);
    if (name === "__proto__") return "['__proto__']";
    if (!enumerable) return `[${quote(name).slice(1, -1)}]`;
    return IDENTIFIER.test(name) ? this.style(name, "name") : this.style(quote(name), "string");
  }

  private getter(object: any, descriptor: PropertyDescriptor, depth: number): string {
    if (isLate(descriptor.get!)) return this.value(descriptor.get!.call(object), depth);
    const label = descriptor.set !== undefined ? "Getter/Setter" : "Getter";
    const { getters } = this.options;
    const run = getters === true || (getters === "get" && !descriptor.set) || (getters === "set" && !!descriptor.set);
    if (!run) return this.style(`[${label}]`, "special");
    try {
      const value = descriptor.get!.call(object);
      this.indent += 2;
      let text: string;
      if (value !== null && (typeof value === "object" || typeof value === "function")) {
        text = `${this.style(`[${label}]`, "special")} ${this.value(value, depth)}`;
      } else {
        const shown = primitiveText(value, this.options, this.indent);
        text = `${this.style(`[${label}:`, "special")} ${shown}${this.style("]", "special")}`;
      }
      this.indent -= 2;
      return text;
    } catch (error: any) {
      const message = `<Inspection threw (${error?.message})>`;
      return `${this.style(`[${label}:`, "special")} ${message}${this.style("]", "special")}`;
    }
  }
}

/** The first `max` bytes in hexadecimal, and how many are left out. */
export function hexBytes(bytes: Uint8Array, max: number): string {
  const parts: string[] = [];
  for (let i = 0; i < max; i++) parts.push((bytes[i] < 16 ? "0" : "") + bytes[i].toString(16));
  const left = bytes.length - max;
  return parts.join(" ") + (left > 0 ? ` ... ${left} more byte${left > 1 ? "s" : ""}` : "");
}
