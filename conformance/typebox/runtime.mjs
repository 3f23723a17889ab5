// Loads tau's own typebox modules in Node. They are plain TypeScript; only the helper that loads a
// module on first use is the engine's, and Node's `require` stands in for it.
import { createRequire, registerHooks } from "node:module";

const runtime = new URL("../../crates/engine/runtime/", import.meta.url);
const require = createRequire(import.meta.url);
globalThis.tauModule = (path) => require(new URL(path, runtime).pathname);

const helper = `export const lazyModule = (path) => {
  let exports;
  return () => (exports ??= globalThis.tauModule(path));
};`;

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.endsWith("internal/lazy.ts")) return next(specifier, context);
    return { url: "tau:lazy", format: "module", shortCircuit: true };
  },
  load(url, context, next) {
    if (url !== "tau:lazy") return next(url, context);
    return { format: "module", source: helper, shortCircuit: true };
  },
});

/** The exports of one of tau's typebox modules, such as `value`. */
export const ours = (name) => import(new URL(`typebox/${name}.ts`, runtime).href);
