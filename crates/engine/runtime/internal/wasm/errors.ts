/** The errors of WebAssembly, and those of ops as what they are. */

/** A module is none, or uses what there is not. */
export class CompileError extends Error {}
/** A module cannot have what it imports. */
export class LinkError extends Error {}
/** A program of WebAssembly did what cannot be done. */
export class RuntimeError extends Error {}

for (const [name, error] of Object.entries({ CompileError, LinkError, RuntimeError })) {
  Object.defineProperty(error.prototype, "name", { value: name, writable: true, configurable: true });
}

const CLASSES: Record<string, new (message: string) => Error> = {
  WASM_COMPILE: CompileError,
  WASM_LINK: LinkError,
  WASM_RUNTIME: RuntimeError,
  WASM_RANGE: RangeError,
};

/** Runs an op; `what` stands in front of what its errors say. */
export function attempt<T>(op: () => T, what = ""): T {
  try {
    return op();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const known = typeof code === "string" ? CLASSES[code] : undefined;
    if (!known) throw error;
    throw new known(what && !message.startsWith("WebAssembly.") ? `${what}: ${message}` : message);
  }
}
