// util.inspect.
import { invalidArgType } from "./errors.ts";
import { colorCodes, custom, defaults, setColorCodes, styles, withColor, withoutColor } from "./inspect/options.ts";
import type { FullOptions, InspectOptions } from "./inspect/options.ts";
import { Printer, hexBytes } from "./inspect/printer.ts";
import { validateObject } from "./validators.ts";

/** Shows any value as text; see Node's `util.inspect`. */
export function inspect(value: unknown, options?: InspectOptions | boolean): string {
  const full: FullOptions = { ...defaults, stylize: withoutColor };
  let user: object | undefined;
  // The old form: inspect(value, showHidden, depth, colors).
  if (arguments.length > 2) {
    if (arguments[2] !== undefined) full.depth = arguments[2];
    if (arguments.length > 3 && arguments[3] !== undefined) full.colors = arguments[3];
  }
  if (typeof options === "boolean") full.showHidden = options;
  else if (options) {
    user = options;
    for (const key of Object.keys(options)) {
      if (key in defaults || key === "stylize") (full as any)[key] = (options as any)[key];
    }
  }
  if (full.colors && full.stylize === withoutColor) full.stylize = withColor;
  return new Printer(full, user, inspect).value(value, 0);
}

inspect.custom = custom;

Object.defineProperties(inspect, {
  defaultOptions: {
    configurable: true,
    get: () => defaults,
    set(options) {
      validateObject(options, "options");
      Object.assign(defaults, options);
    },
  },
  colors: { configurable: true, enumerable: true, get: colorCodes, set: setColorCodes },
  styles: { configurable: true, enumerable: true, value: styles, writable: true },
});

/** `<Buffer 61 62 63>`, with the Buffer's other properties behind it. */
export function inspectBuffer(buffer: Uint8Array, maxBytes: number, options: InspectOptions | undefined): string {
  if (!(buffer instanceof Uint8Array)) throw invalidArgType("this", "Buffer", buffer);
  let text = hexBytes(buffer, Math.min(Math.max(0, maxBytes), buffer.length));
  const names = Object.keys(buffer).filter((key) => !/^\d+$/.test(key));
  if (options && names.length > 0) {
    const extras: Record<string, unknown> = Object.create(null);
    for (const name of names) extras[name] = (buffer as any)[name];
    const shown = inspect(extras, { ...options, breakLength: Infinity, compact: true });
    // Only the properties, without the head and the braces.
    text += `${text === "" ? "" : ", "}${shown.slice(shown.indexOf("{") + 2, -2)}`;
  }
  return `<${buffer.constructor.name} ${text}>`;
}
