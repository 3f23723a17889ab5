// There is no WebAssembly here. Who asks whether a module could run hears no; who runs one anyway hears why not.
import { absence, unavailable } from "../internal/loader.ts";

const refuse = (name: string) => async () => {
  throw new Error(absence(`WebAssembly.${name}`));
};

export const WebAssembly: any = {
  validate: () => false,
  compile: refuse("compile"),
  compileStreaming: refuse("compileStreaming"),
  instantiate: refuse("instantiate"),
  instantiateStreaming: refuse("instantiateStreaming"),
  CompileError: class CompileError extends Error {},
  LinkError: class LinkError extends Error {},
  RuntimeError: class RuntimeError extends Error {},
};

for (const name of ["Module", "Instance", "Memory", "Table", "Global", "Tag", "Exception"]) {
  WebAssembly[name] = unavailable(`WebAssembly.${name}`);
}
Object.defineProperty(WebAssembly, Symbol.toStringTag, { value: "WebAssembly", configurable: true });
