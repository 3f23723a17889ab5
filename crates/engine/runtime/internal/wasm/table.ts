import { ops, type WasmType } from "tau:ops";
import { attempt } from "./errors.ts";
import { descriptor, fromWasm, index, initially, INSIDE, limits, NO_FUNCTION, toWasm } from "./values.ts";

/** More places than this no table can have. */
const MOST_PLACES = 10_000_000;

/** The number of a table; nothing for any other value. */
export let tableNumber: (value: unknown) => number | undefined;

/** `WebAssembly.Table`: a list of references, of functions mostly, which WebAssembly calls by their places. */
export class Table {
  readonly #number: number;

  constructor(given: unknown, value?: unknown) {
    if (given === INSIDE) {
      this.#number = value as number;
      return;
    }
    const what = "WebAssembly.Table()";
    const table = descriptor(given, what, "table");
    const element = elementOf(table.element, what);
    const [initial, maximum] = limits(table, what, MOST_PLACES);
    const first = arguments.length > 1 && value !== undefined ? value : initially(element);
    const inside = reference(element, first, `${what}: Argument 1`);
    this.#number = attempt(() => ops.wasmTable(element, initial, maximum, inside), what);
  }

  get length(): number {
    return ops.wasmTableShape(this.#number)[1];
  }

  get(place: unknown): unknown {
    const [number, at] = [this.#number, index(place, "WebAssembly.Table.get(): Argument 0")];
    const [element] = ops.wasmTableShape(number);
    return fromWasm(element, attempt(() => ops.wasmTableGet(number, at)));
  }

  set(place: unknown, value?: unknown): void {
    const [number, at] = [this.#number, index(place, "WebAssembly.Table.set(): Argument 0")];
    const [element] = ops.wasmTableShape(number);
    const given = arguments.length > 1 ? value : initially(element);
    const inside = reference(element, given, "WebAssembly.Table.set(): Argument 1");
    attempt(() => ops.wasmTableSet(number, at, inside));
  }

  grow(places: unknown, value?: unknown): number {
    const [number, more] = [this.#number, index(places, "WebAssembly.Table.grow(): Argument 0")];
    const [element] = ops.wasmTableShape(number);
    const given = arguments.length > 1 && value !== undefined ? value : initially(element);
    const inside = reference(element, given, "WebAssembly.Table.grow(): Argument 1");
    return attempt(() => ops.wasmTableGrow(number, more, inside));
  }

  static {
    tableNumber = (value) => (value instanceof Object && #number in value ? value.#number : undefined);
  }
}

function elementOf(given: unknown, what: string): WasmType {
  const element = String(given);
  if (element === "anyfunc" || element === "funcref") return "anyfunc";
  if (element === "externref") return element;
  throw new TypeError(`${what}: Descriptor property 'element' must be a WebAssembly reference type`);
}

function reference(element: WasmType, value: unknown, what: string): unknown {
  try {
    return toWasm(element, value);
  } catch {
    throw new TypeError(`${what} is invalid for table: ${NO_FUNCTION}`);
  }
}
