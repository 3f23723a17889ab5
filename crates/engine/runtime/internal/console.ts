// console: one line of text per call, handed to the engine with its level.
import { ops } from "tau:ops";
import { lazyModule } from "./lazy.ts";

const formatModule = lazyModule("internal/format.ts");
const inspectModule = lazyModule("internal/inspect.ts");
const tableModule = lazyModule("internal/console_table.ts");

/** Takes a finished line and its level (`log`, `info`, `debug`, `warn`, `error`, `trace`). */
export type Sink = (level: string, text: string) => void;

/** How a console inspects what it is given. */
export interface ConsoleSettings {
  groupIndentation?: number;
  inspectOptions?: (level: string) => object | undefined;
}

function now(): number {
  return globalThis.performance.now();
}

function duration(milliseconds: number): string {
  const digits = (value: number, unit: string): string => `${value.toFixed(3)}${unit}`;
  const pad = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  if (milliseconds < 1000) return `${Number(milliseconds.toFixed(3))}ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return digits(seconds, "s");
  const minutes = seconds / 60;
  if (minutes < 60) return `${Math.floor(minutes)}:${(seconds % 60).toFixed(3).padStart(6, "0")} (m:ss.mmm)`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)} (h:mm:ss)`;
}

function warn(message: string): void {
  globalThis.process.emitWarning(message);
}

/** Makes a console over a sink. Its methods need no `this`. */
export function createConsole(sink: Sink, settings: ConsoleSettings = {}): any {
  const step = settings.groupIndentation ?? 2;
  const counts = new Map<string, number>();
  const timers = new Map<string, number>();
  let indent = "";

  const write = (level: string, text: string): void => {
    sink(level, indent === "" ? text : indent + text.replaceAll("\n", `\n${indent}`));
  };
  const format = (level: string, args: any[]): string => {
    // Most lines are a single text.
    if (args.length === 1 && typeof args[0] === "string") return args[0];
    if (args.length === 0) return "";
    return formatModule().formatValues(settings.inspectOptions?.(level) ?? {}, args);
  };
  const printer = (name: string, level: string) =>
    ({
      [name](...args: any[]): void {
        write(level, format(level, args));
      },
    })[name];
  const elapsed = (method: string, label: string): number | undefined => {
    const start = timers.get(label);
    if (start === undefined) warn(`No such label '${label}' for console.${method}()`);
    return start === undefined ? undefined : now() - start;
  };

  const console: any = {
    log: printer("log", "log"),
    warn: printer("warn", "warn"),
    dir(value: unknown, options?: object): void {
      write("log", inspectModule().inspect(value, { customInspect: false, ...settings.inspectOptions?.("log"), ...options }));
    },
    time(label: unknown = "default"): void {
      const name = `${label}`;
      if (timers.has(name)) warn(`Label '${name}' already exists for console.time()`);
      else timers.set(name, now());
    },
    timeEnd(label: unknown = "default"): void {
      const name = `${label}`;
      const time = elapsed("timeEnd", name);
      if (time === undefined) return;
      timers.delete(name);
      write("log", `${name}: ${duration(time)}`);
    },
    timeLog(label: unknown = "default", ...data: any[]): void {
      const name = `${label}`;
      const time = elapsed("timeLog", name);
      if (time === undefined) return;
      write("log", format("log", [`${name}: ${duration(time)}`, ...data]));
    },
    trace(...args: any[]): void {
      const error = { name: "Trace", message: format("trace", args), stack: "" };
      Error.captureStackTrace(error, console.trace);
      const calls = String(error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
      write("trace", [`Trace${error.message ? `: ${error.message}` : ""}`, ...calls].join("\n"));
    },
    assert(condition: unknown, ...args: any[]): void {
      if (condition) return;
      if (typeof args[0] === "string") args[0] = `Assertion failed: ${args[0]}`;
      else args.unshift("Assertion failed");
      write("warn", format("warn", args));
    },
    clear(): void {},
    count(label: unknown = "default"): void {
      const name = `${label}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      write("log", `${name}: ${count}`);
    },
    countReset(label: unknown = "default"): void {
      const name = `${label}`;
      if (!counts.delete(name)) warn(`Count for '${name}' does not exist`);
    },
    group(...args: any[]): void {
      if (args.length > 0) write("log", format("log", args));
      indent += " ".repeat(step);
    },
    groupEnd(): void {
      indent = indent.slice(0, Math.max(indent.length - step, 0));
    },
    table(data: any, columns?: string[]): void {
      if (data === null || typeof data !== "object") write("log", format("log", [data]));
      else write("log", tableModule().tableText(data, columns));
    },
    debug: printer("debug", "debug"),
    info: printer("info", "info"),
    dirxml: printer("dirxml", "log"),
    error: printer("error", "error"),
    profile(): void {},
    profileEnd(): void {},
    timeStamp(): void {},
  };
  console.groupCollapsed = console.group;
  Object.defineProperty(console, Symbol.toStringTag, { value: "console", configurable: true });
  return console;
}

function lines(stream: any): (text: string) => void {
  return (text) => {
    stream.write(`${text}\n`);
  };
}

/** The `Console` class over writable streams; `new Console(stdout, stderr)` or `new Console({ stdout, … })`. */
export function Console(this: any, options: any, stderr?: any): any {
  const settings = typeof options?.write === "function" ? { stdout: options, stderr } : options;
  if (!settings || typeof settings.stdout?.write !== "function") {
    throw Object.assign(new TypeError("Console expects a writable stream instance for stdout"), { code: "ERR_CONSOLE_WRITABLE_STREAM" });
  }
  const out = lines(settings.stdout);
  const err = lines(settings.stderr ?? settings.stdout);
  const { inspectOptions, colorMode = "auto" } = settings;
  const made = createConsole((level, text) => (/^(?:warn|error|trace)$/.test(level) ? err(text) : out(text)), {
    groupIndentation: settings.groupIndentation,
    inspectOptions: (level) => {
      if (inspectOptions) return inspectOptions;
      const stream = level === "log" || level === "info" || level === "debug" ? settings.stdout : (settings.stderr ?? settings.stdout);
      return colorMode === true || (colorMode === "auto" && stream.isTTY === true) ? { colors: true } : undefined;
    },
  });
  // `class X extends Console` keeps its own prototype.
  const target = new.target ? this : Object.create(Console.prototype);
  return Object.defineProperties(target, Object.getOwnPropertyDescriptors(made));
}

/** The console of extensions. */
export const console: any = createConsole((level, text) => ops.consoleWrite(level, text.toWellFormed()));
Object.defineProperty(console, "Console", { value: Console, writable: true, enumerable: true, configurable: true });
Object.defineProperty(Console, Symbol.hasInstance, {
  value(value: any) {
    return value === console || Function.prototype[Symbol.hasInstance].call(Console, value);
  },
});
