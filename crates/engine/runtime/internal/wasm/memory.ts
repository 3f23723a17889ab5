import { ops } from "tau:ops";
import { absence } from "../loader.ts";
import { attempt } from "./errors.ts";
import { descriptor, index, INSIDE, limits } from "./values.ts";

/** More pages than this no memory can have. */
const MOST_PAGES = 65536;

/** Buffers whose bytes stay where they are. */
const fixed = new WeakSet<ArrayBuffer>();

/** The bytes of a memory are not a buffer's own, so they cannot be moved into another one. */
function fix(buffer: ArrayBuffer): void {
  const value = () => {
    throw new TypeError("ArrayBuffer is not detachable and could not be cloned.");
  };
  for (const name of ["transfer", "transferToFixedLength"]) Object.defineProperty(buffer, name, { value });
  fixed.add(buffer);
}

/** The number of a memory; nothing for any other value. */
export let memoryNumber: (value: unknown) => number | undefined;

/** `WebAssembly.Memory`: bytes that WebAssembly and JavaScript share. */
export class Memory {
  readonly #number: number;

  constructor(given: unknown, number?: unknown) {
    if (given === INSIDE) {
      this.#number = number as number;
      return;
    }
    const what = "WebAssembly.Memory()";
    const memory = descriptor(given, what, "memory");
    const [initial, maximum] = limits(memory, what, MOST_PAGES);
    if (memory.shared) throw new Error(absence("a shared WebAssembly.Memory"));
    this.#number = attempt(() => ops.wasmMemory(initial, maximum), what);
  }

  get buffer(): ArrayBuffer {
    const number = this.#number;
    const buffer = attempt(() => ops.wasmMemoryBuffer(number));
    if (!fixed.has(buffer)) fix(buffer);
    return buffer;
  }

  grow(pages: unknown): number {
    const [number, more] = [this.#number, index(pages, "WebAssembly.Memory.grow(): Argument 0")];
    return attempt(() => ops.wasmMemoryGrow(number, more));
  }

  static {
    memoryNumber = (value) => (value instanceof Object && #number in value ? value.#number : undefined);
  }
}
