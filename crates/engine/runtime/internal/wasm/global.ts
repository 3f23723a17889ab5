import { ops, type WasmType } from "tau:ops";
import { attempt } from "./errors.ts";
import { descriptor, fromWasm, initially, INSIDE, toWasm } from "./values.ts";

const TYPES: readonly string[] = ["i32", "i64", "f32", "f64", "externref", "anyfunc"] satisfies WasmType[];

/** The number of a global; nothing for any other value. */
export let globalNumber: (value: unknown) => number | undefined;

/** `WebAssembly.Global`: a value that WebAssembly and JavaScript share. */
export class Global {
  readonly #number: number;

  constructor(given: unknown, value?: unknown) {
    if (given === INSIDE) {
      this.#number = value as number;
      return;
    }
    const what = "WebAssembly.Global()";
    const global = descriptor(given, what, "global");
    const mutable = Boolean(global.mutable);
    const content = contentOf(global.value, what);
    const first = value === undefined && !(content === "externref" && arguments.length > 1) ? initially(content) : value;
    this.#number = ops.wasmGlobal(content, mutable, toWasm(content, first));
  }

  get value(): unknown {
    const [content] = ops.wasmGlobalShape(this.#number);
    return fromWasm(content, ops.wasmGlobalGet(this.#number));
  }

  set value(value: unknown) {
    const number = this.#number;
    const [content, mutable] = ops.wasmGlobalShape(number);
    if (!mutable) throw new TypeError("set WebAssembly.Global.value: Can't set the value of an immutable global.");
    ops.wasmGlobalSet(number, toWasm(content, value));
  }

  valueOf(): unknown {
    return this.value;
  }

  static {
    globalNumber = (value) => (value instanceof Object && #number in value ? value.#number : undefined);
  }
}

function contentOf(given: unknown, what: string): WasmType {
  const content = given === "funcref" ? "anyfunc" : String(given);
  if (!TYPES.includes(content)) {
    throw new TypeError(`${what}: Descriptor property 'value' must be a WebAssembly type`);
  }
  return content as WasmType;
}
