// node:module: `require` for any file, and what programs ask about the module system.

import { codeError, invalidArgValue } from "../internal/errors.ts";
import { requireFor, unavailable } from "../internal/loader.ts";
import { lazyModule } from "../internal/lazy.ts";
import { validateString } from "../internal/validators.ts";
import { ops } from "tau:ops";

const loadUrl = lazyModule("node/url.ts");
const loadFs = lazyModule("node/fs.ts");
const loadPath = lazyModule("node/path.ts");

const BUILTINS = (
  "assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel " +
  "dns dns/promises domain events fs fs/promises http http2 https inspector inspector/promises module net os path " +
  "path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl stream " +
  "stream/consumers stream/promises stream/web string_decoder sys timers timers/promises tls trace_events tty url " +
  "util util/types v8 vm wasi worker_threads zlib"
).split(" ");
const PREFIX_ONLY = ["sea", "sqlite", "test", "test/reporters"];

/** Names of all modules that need no file. */
export const builtinModules: readonly string[] = Object.freeze(
  [...BUILTINS, ...PREFIX_ONLY.map((name) => `node:${name}`)],
);

export function isBuiltin(name: unknown): boolean {
  if (typeof name !== "string") return false;
  if (!name.startsWith("node:")) return BUILTINS.includes(name);
  return BUILTINS.includes(name.slice(5)) || PREFIX_ONLY.includes(name.slice(5));
}

function fileOf(from: unknown): string {
  const isUrl = from instanceof URL || (typeof from === "string" && from.startsWith("file:"));
  const path = isUrl ? loadUrl().fileURLToPath(from) : from;
  if (typeof path === "string" && path.startsWith("/")) return path;
  throw invalidArgValue("filename", from, "must be a file URL object, file URL string, or absolute path string");
}

/** A `require` that looks things up as if it stood in that file or, with a slash at the end, in that directory. */
export function createRequire(filename: string | URL): any {
  const path = fileOf(filename);
  return requireFor(ops.currentExtension(), path.endsWith("/") ? `${path}noop.js` : path);
}

/** The nearest `package.json` of a file, or the one of a package that a module would import. */
export function findPackageJSON(specifier: string | URL, base?: string | URL): string | undefined {
  const text = String(specifier);
  const isPath = specifier instanceof URL || /^(file:|\/)/.test(text);
  if (!isPath && base === undefined) throw codeError("ERR_MISSING_ARGS", 'The "base" argument must be specified');
  const path = loadPath();
  const start = isPath ? fileOf(specifier) : ops.moduleResolve(text, fileOf(base), false);
  if (!start.startsWith("/")) return undefined;
  for (let folder = start.endsWith("/") ? start : path.dirname(start); ; folder = path.dirname(folder)) {
    const found = path.join(folder, "package.json");
    if (loadFs().existsSync(found)) return found;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** Modules already are live views of each other. */
export function syncBuiltinESMExports(): void {}

/** Source maps are applied by the engine itself. */
export function findSourceMap(_path: string): undefined {
  return undefined;
}
export function getSourceMapsSupport(): object {
  return { __proto__: null, enabled: true, nodeModules: true, generatedCode: true };
}

export const constants = Object.freeze({
  compileCacheStatus: Object.freeze({ FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3 }),
});

/** Compiled modules are always kept. */
export function enableCompileCache(): object {
  return { status: constants.compileCacheStatus.ALREADY_ENABLED };
}
export function getCompileCacheDir(): undefined {
  return undefined;
}
export function flushCompileCache(): void {}

/** Hooks into loading: the engine has none. */
export const register: any = unavailable("module.register");
export const registerHooks: any = unavailable("module.registerHooks");
export const stripTypeScriptTypes: any = unavailable("module.stripTypeScriptTypes");
export const SourceMap: any = unavailable("module.SourceMap");
export const runMain: any = unavailable("module.runMain");

/** What `require` makes of a file. */
export function Module(this: any, id = "", parent?: any): void {
  this.id = id;
  this.path = loadPath().dirname(id);
  this.exports = {};
  this.filename = null;
  this.loaded = false;
  this.children = [];
  parent?.children?.push(this);
}
Module.prototype.require = function (this: any, specifier: string): any {
  validateString(specifier, "id");
  return createRequire(this.filename ?? this.id)(specifier);
};

export const _extensions: Record<string, unknown> = Object.create(null);
export const _cache: Record<string, unknown> = Object.create(null);
export const _pathCache: Record<string, unknown> = Object.create(null);
export const globalPaths: string[] = [];

/** The `node_modules` folders that a directory looks into, nearest first. */
export function _nodeModulePaths(from: string): string[] {
  const parts = loadPath().resolve(from).split("/").slice(1).filter(Boolean);
  const found: string[] = [];
  for (let count = parts.length; count >= 0; count -= 1) {
    if (count > 0 && parts[count - 1] === "node_modules") continue;
    found.push(["", ...parts.slice(0, count), "node_modules"].join("/"));
  }
  return found;
}
function importer(parent: any): string {
  return parent?.filename ?? parent?.id ?? `${ops.cwd()}/noop.js`;
}
export function _resolveFilename(request: string, parent?: any): string {
  return createRequire(importer(parent)).resolve(request);
}
export function _load(request: string, parent?: unknown): any {
  return createRequire(importer(parent))(request);
}
export const wrapper = ["(function (exports, require, module, __filename, __dirname) { ", "\n});"];
export function wrap(script: string): string {
  return wrapper[0] + script + wrapper[1];
}

Object.assign(Module, {
  Module, builtinModules, isBuiltin, createRequire, findPackageJSON, syncBuiltinESMExports, findSourceMap,
  getSourceMapsSupport, constants, enableCompileCache, getCompileCacheDir, flushCompileCache, register, registerHooks,
  stripTypeScriptTypes, SourceMap, runMain, _extensions, _cache, _pathCache, globalPaths, _nodeModulePaths,
  _resolveFilename, _load, wrapper, wrap,
});
export default Module as any;
