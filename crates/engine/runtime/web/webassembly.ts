/** The global `WebAssembly`. Programs run in an interpreter; there are no threads, no exceptions and no garbage of its own. */

import { ops } from "tau:ops";
import { unavailable } from "../internal/loader.ts";
import { CompileError, LinkError, RuntimeError } from "../internal/wasm/errors.ts";
import { Global } from "../internal/wasm/global.ts";
import { Memory } from "../internal/wasm/memory.ts";
import { bytesOf, compiled, Instance, Module, moduleNumber } from "../internal/wasm/module.ts";
import { Table } from "../internal/wasm/table.ts";
import { INSIDE } from "../internal/wasm/values.ts";

function validate(given: unknown): boolean {
  return ops.wasmValidate(bytesOf(given, "WebAssembly.validate()"));
}

async function compile(given: unknown): Promise<Module> {
  return new Module(INSIDE, compiled(given, "WebAssembly.compile()"));
}

async function instantiate(given: unknown, imports?: unknown): Promise<unknown> {
  if (moduleNumber(given) !== undefined) return new Instance(given, imports);
  const module = new Module(INSIDE, compiled(given, "WebAssembly.instantiate()"));
  return { module, instance: new Instance(module, imports) };
}

/** The bytes of an answer that says that it is WebAssembly. */
async function bytesOfAnswer(source: unknown, what: string): Promise<ArrayBuffer> {
  const answer = await source;
  if (!(answer instanceof Response)) {
    throw new TypeError(`${what}: Argument 0 must be a Response or a Promise resolving to one`);
  }
  const type = answer.headers.get("content-type");
  if (!answer.ok) throw new TypeError(`${what}: HTTP status code is not ok: ${answer.status}`);
  if (type !== "application/wasm") throw new TypeError(`${what}: unsupported MIME type: ${type ?? ""}`);
  return answer.arrayBuffer();
}

async function compileStreaming(source: unknown): Promise<Module> {
  return compile(await bytesOfAnswer(source, "WebAssembly.compileStreaming()"));
}

async function instantiateStreaming(source: unknown, imports?: unknown): Promise<unknown> {
  return instantiate(await bytesOfAnswer(source, "WebAssembly.instantiateStreaming()"), imports);
}

export const WebAssembly: Record<string, unknown> = {};

const functions = { validate, compile, instantiate, compileStreaming, instantiateStreaming };
const classes = { Module, Instance, Memory, Table, Global, CompileError, LinkError, RuntimeError };
for (const [name, value] of [...Object.entries(functions), ...Object.entries(classes)]) {
  Object.defineProperty(WebAssembly, name, { value, writable: true, configurable: true });
}
for (const [name, value] of Object.entries({ Module, Instance, Memory, Table, Global })) {
  Object.defineProperty(value.prototype, Symbol.toStringTag, { value: `WebAssembly.${name}`, configurable: true });
}
for (const name of ["Tag", "Exception"]) WebAssembly[name] = unavailable(`WebAssembly.${name}`);
Object.defineProperty(WebAssembly, Symbol.toStringTag, { value: "WebAssembly", configurable: true });
