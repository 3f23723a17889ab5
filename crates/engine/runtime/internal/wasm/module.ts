import { ops, type WasmImport, type WasmModule } from "tau:ops";
import { attempt, LinkError } from "./errors.ts";
import { exported, imported, numberOf, start } from "./functions.ts";
import { Global, globalNumber } from "./global.ts";
import { Memory, memoryNumber } from "./memory.ts";
import { Table, tableNumber } from "./table.ts";
import { INSIDE, toWasm } from "./values.ts";

/** The bytes that a program gave. */
export function bytesOf(given: unknown, what: string): Uint8Array {
  if (ArrayBuffer.isView(given)) return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  if (given instanceof ArrayBuffer || given instanceof SharedArrayBuffer) return new Uint8Array(given);
  throw new TypeError(`${what}: Argument 0 must be a buffer source`);
}

function described(module: unknown, what: string): WasmModule {
  const number = moduleNumber(module);
  if (number === undefined) throw new TypeError(`${what}: Argument 0 must be a WebAssembly.Module`);
  return ops.wasmDescribe(number);
}

/** The number of a module; nothing for any other value. */
export let moduleNumber: (value: unknown) => number | undefined;

/** `WebAssembly.Module`: a program that was compiled. */
export class Module {
  readonly #number: number;

  constructor(given: unknown, number?: unknown) {
    const what = "WebAssembly.Module()";
    this.#number = given === INSIDE ? (number as number) : compiled(given, what);
  }

  static exports(module: unknown): { name: string; kind: string }[] {
    return described(module, "WebAssembly.Module.exports()").exports.map(({ name, kind }) => ({ name, kind }));
  }

  static imports(module: unknown): { module: string; name: string; kind: string }[] {
    const { imports } = described(module, "WebAssembly.Module.imports()");
    return imports.map(({ module, name, kind }) => ({ module, name, kind }));
  }

  static customSections(module: unknown, name: unknown): ArrayBuffer[] {
    const what = "WebAssembly.Module.customSections()";
    const number = moduleNumber(module);
    if (number === undefined) throw new TypeError(`${what}: Argument 0 must be a WebAssembly.Module`);
    if (name === undefined) throw new TypeError(`${what}: Argument 1 is required`);
    return ops.wasmSections(number, String(name)).map((bytes) => bytes.buffer as ArrayBuffer);
  }

  static {
    moduleNumber = (value) => (value instanceof Object && #number in value ? value.#number : undefined);
  }
}

/** Compiles what a program gave; gives the number of the module. */
export function compiled(given: unknown, what: string): number {
  const bytes = bytesOf(given, what);
  if (bytes.length === 0) return attempt(() => ops.wasmCompile(bytes), `${what}: BufferSource argument is empty`);
  return attempt(() => ops.wasmCompile(bytes), what);
}

/** `WebAssembly.Instance`: a program with what it imports. */
export class Instance {
  readonly exports: Readonly<Record<string, unknown>>;

  constructor(module: unknown, imports?: unknown) {
    const what = "WebAssembly.Instance()";
    const number = moduleNumber(module);
    if (number === undefined) throw new TypeError(`${what}: Argument 0 must be a WebAssembly.Module`);
    this.exports = instantiated(number, imports, what);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && (typeof value === "object" || typeof value === "function");

/** Makes an instance; gives what it exports. */
export function instantiated(module: number, given: unknown, what: string): Readonly<Record<string, unknown>> {
  const { imports } = ops.wasmDescribe(module);
  if (given !== undefined && !isObject(given)) throw new TypeError(`${what}: Argument 1 must be an object`);
  if (imports.length > 0 && given === undefined) {
    throw new TypeError(`${what}: Imports argument must be present and must be an object`);
  }
  const values = imports.map((wanted, place) => {
    const from = (given as Record<string, unknown>)[wanted.module];
    const at = `${what}: Import #${place} "${wanted.module}"`;
    if (!isObject(from)) throw new TypeError(`${at}: module is not an object or function`);
    return [from[wanted.name], `${at} "${wanted.name}"`] as const;
  });
  const numbers = imports.map((wanted, place) => {
    const [value, at] = values[place] as readonly [unknown, string];
    return importOf(wanted, value, at, module, place);
  });
  const instance = attempt(() => ops.wasmInstantiate(module, numbers), what);
  const exports: Record<string, unknown> = Object.create(null);
  for (const [name, kind, number] of instance.exports) {
    Object.defineProperty(exports, name, { value: EXPORTS[kind](number), enumerable: true });
  }
  if (instance.start !== null) start(instance.start);
  return Object.freeze(exports);
}

const memories = new Map<number, Memory>();
const tables = new Map<number, Table>();
const globals = new Map<number, Global>();

/** The object of something: the one that a program made, or the one from before. */
function objectOf<T>(known: Map<number, T>, number: number, make: () => T): T {
  let object = known.get(number);
  if (!object) known.set(number, (object = make()));
  return object;
}

const EXPORTS = {
  function: (number: number): unknown => exported(number),
  memory: (number: number): unknown => objectOf(memories, number, () => new Memory(INSIDE, number)),
  table: (number: number): unknown => objectOf(tables, number, () => new Table(INSIDE, number)),
  global: (number: number): unknown => objectOf(globals, number, () => new Global(INSIDE, number)),
};

/** The number of what a module imports. */
function importOf(wanted: WasmImport, value: unknown, at: string, module: number, place: number): number {
  const known = <T>(number: number | undefined, all: Map<number, T>, needs: string): number => {
    if (number === undefined) throw new LinkError(`${at}: ${needs}`);
    if (!all.has(number)) all.set(number, value as T);
    return number;
  };
  switch (wanted.kind) {
    case "function": {
      if (typeof value !== "function") throw new LinkError(`${at}: function import requires a callable`);
      return imported(module, place, value);
    }
    case "memory":
      return known(memoryNumber(value), memories, "memory import must be a WebAssembly.Memory object");
    case "table":
      return known(tableNumber(value), tables, "table import requires a WebAssembly.Table");
    case "global": {
      const number = globalNumber(value);
      if (number !== undefined) return known(number, globals, "");
      return constant(wanted, value, at);
    }
  }
}

/** A global that cannot change, made of a value. */
function constant({ content, mutable }: Extract<WasmImport, { kind: "global" }>, value: unknown, at: string): number {
  if (mutable) throw new LinkError(`${at}: imported mutable global must be a WebAssembly.Global object`);
  const fits =
    content === "i64" ? typeof value === "bigint"
    : content === "externref" ? true
    : content === "anyfunc" ? value === null || numberOf(value) !== undefined
    : content === "v128" ? false
    : typeof value === "number";
  if (!fits) throw new LinkError(`${at}: global import must be a ${content === "i64" ? "BigInt" : "number"}`);
  return ops.wasmGlobal(content, false, toWasm(content, value));
}
