// The module registry: which module is evaluated when, and what importers see of it.
//
// Every extension has a graph of its own, so that two extensions never share a module's state; the modules of the
// runtime itself are one graph for all. A module is a function (see the Rust side); its static imports are evaluated
// before it is called, so asking for one inside never waits. Modules of the runtime are another matter: nothing can be
// told from when they run, so each runs when one of its names is first looked at, which for most is never.
import { ops } from "tau:ops";
import type { Modules } from "../modules.d.ts";

type Mod = {
  id: string;
  kind: "esm" | "cjs" | "json";
  fn: any;
  imports: string[];
  resolved: string[];
  isAsync: boolean;
  /** What `import` gives. */
  ns: any;
  /** What `require` gives, for CommonJS. */
  module: any;
  state: "linked" | "running" | "done" | "failed";
  error: unknown;
  /** Set while an asynchronous module runs. */
  running: Promise<void> | undefined;
  /** A module of the runtime whose names extensions can list. */
  listed: boolean;
};

/** Files of packages that only work inside Node or a browser, with the module that the runtime has in their place. */
const REPLACED = [
  ["/node_modules/undici/index.js", "tau:web/undici.ts"],
  ["/node_modules/dompurify/dist/purify.es.mjs", "tau:web/dompurify.ts"],
  ["/node_modules/dompurify/dist/purify.cjs.js", "tau:web/dompurify.ts"],
];

const HOST = 0;
const graphs = new Map<number, Map<string, Mod>>();
const names = new Map<number, string>();

function graph(extension: number): Map<string, Mod> {
  let found = graphs.get(extension);
  if (!found) graphs.set(extension, (found = new Map()));
  return found;
}

/** The graph that a module belongs to: the runtime's own modules are shared. */
function home(extension: number, id: string): number {
  return id.startsWith("tau:") ? HOST : extension;
}

/** Reads a module and, before anything of it runs, everything it imports statically. */
function link(extension: number, id: string): Mod {
  const owner = home(extension, id);
  const mods = graph(owner);
  const known = mods.get(id);
  if (known) return known;
  if (id === "tau:ops") return add(mods, made(id, { ops }));
  // This very module: a second copy of it would have graphs of its own.
  if (id === "tau:internal/loader.ts") return add(mods, made(id, { importFile, importNow, requireFor, unavailable }));
  if (id.startsWith("tau:missing/")) return add(mods, missing(id.slice("tau:missing/".length)));
  const own = REPLACED.find(([path]) => id.endsWith(path));
  if (own) return link(HOST, own[1]);
  if (owner === HOST) return add(mods, lazy(id));
  const [fn, kind, imports = [], isAsync = false] = ops.moduleLoad(owner, id);
  const mod: Mod = { ...made(id, undefined), kind, fn, imports, isAsync, state: "linked" };
  mods.set(id, mod);
  if (kind === "json") {
    mod.module = { exports: fn };
    mod.ns = namespaceOf(mod.module);
    mod.state = "done";
    return mod;
  }
  if (kind === "esm") mod.ns = Object.create(null, { [Symbol.toStringTag]: { value: "Module" } });
  try {
    for (const specifier of imports) {
      const target = ops.moduleResolve(specifier, id, false);
      mod.resolved.push(target);
      if (target === "tau:node/async_hooks.ts" && !tracked.has(owner)) throw new Retrack(owner);
      if (link(owner, target).isAsync) mod.isAsync = true;
    }
  } catch (error) {
    mods.delete(id);
    throw error;
  }
  return mod;
}

/** Graphs whose code keeps its asynchronous context over `await`. */
const tracked = new Set<number>();
class Retrack {
  owner: number;
  constructor(owner: number) {
    this.owner = owner;
  }
}

/** Links from a root; starts over once when the graph turns out to need tracked awaits. */
function linkRoot(extension: number, id: string): Mod {
  try {
    return link(extension, id);
  } catch (error) {
    if (!(error instanceof Retrack)) throw error;
    tracked.add(error.owner);
    ops.moduleTrackAwait(error.owner);
    for (const [key, mod] of graph(error.owner)) if (mod.state === "linked") graph(error.owner).delete(key);
    return link(extension, id);
  }
}

function add(mods: Map<string, Mod>, mod: Mod): Mod {
  mods.set(mod.id, mod);
  return mod;
}

function made(id: string, ns: any): Mod {
  return {
    id, ns, kind: "esm", fn: undefined, imports: [], resolved: [], isAsync: false,
    module: undefined, state: "done", error: undefined, running: undefined, listed: false,
  };
}

/** A module of the runtime that runs when it is needed. */
function lazy(id: string): Mod {
  const mod: Mod = { ...made(id, Object.create(null, { [Symbol.toStringTag]: { value: "Module" } })), state: "linked" };
  wait(mod);
  return mod;
}

const nothing = Object.create(null);

/** Makes a module run as soon as a name that it does not have yet is looked at. */
function wait(mod: Mod): void {
  const { ns } = mod;
  const needs = (key: string | symbol) => {
    if (typeof key === "symbol" || key === "then" || mod.state !== "linked") return false;
    run(mod);
    return true;
  };
  const get = (_: unknown, key: string | symbol) => (needs(key) ? ns[key] : undefined);
  const has = (_: unknown, key: string | symbol) => needs(key) && key in ns;
  Object.setPrototypeOf(ns, new Proxy(nothing, { get, has }));
}

/** The names of modules that have them given when they are looked at: what gives them all. */
const late = new WeakMap<object, () => void>();

/**
 * Gives a module of the runtime, while it runs, names that cost nothing before they are looked at. `find` gives what
 * loads the value of a name, when there is such a name; `all` says which there are.
 */
export function lateNames(id: string, find: (name: string) => (() => any) | undefined, all: () => string[]): void {
  const { ns } = link(HOST, id);
  const define = (name: string, load: () => any) => {
    const settle = () => {
      const value = load();
      // A module in a cycle may not have got to this name yet.
      if (value !== undefined) Object.defineProperty(ns, name, { enumerable: true, configurable: true, value });
      return value;
    };
    Object.defineProperty(ns, name, { enumerable: true, configurable: true, get: settle });
  };
  const found = (key: string | symbol) => (typeof key === "string" && key !== "then" ? find(key) : undefined);
  const get = (_: unknown, key: any) => {
    const load = found(key);
    if (load) define(key, load);
    return load && ns[key];
  };
  Object.setPrototypeOf(ns, new Proxy(nothing, { get, has: (_, key) => found(key) !== undefined }));
  late.set(ns, () => {
    late.delete(ns);
    for (const name of all()) {
      const load = Object.hasOwn(ns, name) ? undefined : find(name);
      if (load) define(name, load);
    }
    Object.setPrototypeOf(ns, null);
  });
}

/** For those who take a module of the runtime as a whole: they may list its names. Gives it all of them. */
function whole(mod: Mod): any {
  list(mod);
  // Only running it tells.
  if (!mod.listed) evaluate(HOST, mod);
  late.get(mod.ns)?.();
  return mod.ns;
}

/** Gives a module of the runtime all its names before it runs, if they are known. */
function list(mod: Mod): void {
  if (mod.listed || mod.state !== "linked" || !mod.id.startsWith("tau:")) return;
  const names = ops.moduleExports(mod.id.slice(4));
  if (!names) return;
  mod.listed = true;
  const { ns } = mod;
  for (const name of names) {
    const get = () => {
      if (mod.state !== "linked") return undefined;
      run(mod);
      return ns[name];
    };
    Object.defineProperty(ns, name, { enumerable: true, configurable: true, get });
  }
}

/** Runs a module of the runtime. */
function run(mod: Mod): void {
  const { id, ns } = mod;
  const dynamic = (specifier: unknown) => importFrom(HOST, String(specifier), id);
  const load = (specifier: string, { importedNames }: any = {}) => {
    const target = link(HOST, ops.moduleResolve(specifier, id, false));
    // Imported for what it does, or as a whole.
    if (!importedNames) {
      evaluate(HOST, target);
      whole(target);
    }
    return target.ns;
  };
  mod.state = "running";
  try {
    ops.moduleRun(id.slice(4), ns, load, dynamic, exportAllTo(ns));
    mod.state = "done";
    if (!late.has(ns)) Object.setPrototypeOf(ns, null);
  } catch (error) {
    // The next who needs it must not get the error of this one.
    for (const key of Object.keys(ns)) delete ns[key];
    mod.state = "linked";
    if (mod.listed) {
      mod.listed = false;
      list(mod);
    }
    throw error;
  }
}

/** A value that stands for something tau does not have: it may be imported and passed on, not used. */
export function unavailable(name: string): any {
  const fail = () => {
    throw new Error(absence(name));
  };
  const stand = function () {
    return fail();
  };
  Object.defineProperty(stand, "name", { value: name.split(".").pop() });
  // For those who want to know without trying.
  Object.defineProperty(stand, Symbol.for("tau.unavailable"), { value: true });
  return new Proxy(stand, {
    apply: fail,
    construct: fail as any,
    // Members, such as static methods, are as absent. Nobody shall take it for a promise.
    get: (target: any, key) =>
      typeof key !== "string" || key in target || key === "then" || key === "toJSON"
        ? target[key]
        : unavailable(`${name}.${key}`),
  });
}

/** The words for something that tau does not have, and who wanted it. */
export function absence(name: string): string {
  const user = names.get(ops.currentExtension());
  return `${name} is not available in tau` + (user ? ` (used by ${user})` : "");
}

/** A module of Node that tau does not have. */
function missing(name: string): Mod {
  const cache = new Map<string, any>();
  const get = (_: unknown, key: string | symbol) => {
    if (typeof key !== "string" || key === "then" || key === "__esModule") return undefined;
    if (key === "default") return proxy;
    if (!cache.has(key)) cache.set(key, unavailable(`${name}.${key}`));
    return cache.get(key);
  };
  const proxy: any = new Proxy({}, { get, has: () => true });
  return made(`tau:missing/${name}`, proxy);
}

/** What `import` gives for a CommonJS module: its exports by name, and the whole as default. */
function namespaceOf(module: { exports: any }): any {
  const exports = module.exports;
  const isObject = exports !== null && (typeof exports === "object" || typeof exports === "function");
  const target = isObject ? exports : {};
  const byDefault = () =>
    isObject && exports.__esModule && Reflect.has(exports, "default") ? exports.default : exports;
  return new Proxy(Object.create(null), {
    get: (_, key) => (key === "default" ? byDefault() : key === "module.exports" ? exports : target[key]),
    has: (_, key) => key === "default" || Reflect.has(target, key),
    ownKeys: () => [...new Set([...Reflect.ownKeys(target).filter((key) => key !== "prototype"), "default"])],
    getOwnPropertyDescriptor: (_, key) =>
      key === "default" || Reflect.has(target, key)
        ? { value: key === "default" ? byDefault() : target[key], enumerable: true, configurable: true, writable: true }
        : undefined,
  });
}

/** Evaluates a module and what it imports; a promise only where something has to be waited for. */
function evaluate(extension: number, mod: Mod): void | Promise<void> {
  if (mod.state === "done") return;
  // A cycle: whoever asked sees what there is so far.
  if (mod.state === "running") return mod.running;
  if (mod.state === "failed") throw mod.error;
  const owner = home(extension, mod.id);
  if (owner === HOST) return run(mod);
  mod.state = "running";
  const failed = (error: unknown) => {
    mod.state = "failed";
    mod.error = error;
    throw error;
  };
  if (mod.isAsync) {
    const run = async () => {
      for (const id of mod.resolved) {
        const dep = link(owner, id);
        if (home(owner, dep.id) === HOST) continue;
        if (dep.state !== "running") await evaluate(owner, dep);
        else if (dep.running && !awaits(owner, dep, mod, new Set())) await dep.running;
      }
      await call(owner, mod);
      mod.state = "done";
    };
    mod.running = run().catch(failed);
    mod.running.catch(() => {});
    return mod.running;
  }
  try {
    // Its imports are evaluated when it asks for them: by then it has said what it exports, which modules that
    // import each other need.
    call(owner, mod);
    mod.state = "done";
  } catch (error) {
    failed(error);
  }
}

/** Whether `mod` imports `target`, directly or not: waiting for it would be waiting for oneself. */
function awaits(owner: number, mod: Mod, target: Mod, seen: Set<Mod>): boolean {
  if (mod === target) return true;
  if (seen.has(mod)) return false;
  seen.add(mod);
  return mod.resolved.some((id) => awaits(owner, link(owner, id), target, seen));
}

/** `export *`: names are added to what a module exports itself. */
function exportAllTo(ns: any): (from: any) => void {
  return (from) => {
    for (const key of Reflect.ownKeys(from)) {
      if (typeof key !== "string" || key === "default" || key === "__esModule" || key in ns) continue;
      Object.defineProperty(ns, key, { enumerable: true, configurable: true, get: () => from[key] });
    }
  };
}

function call(owner: number, mod: Mod): void | Promise<void> {
  const { id } = mod;
  const dirname = id.slice(0, id.lastIndexOf("/")) || "/";
  const load = (specifier: string, { importedNames }: any = {}) => {
    const dep = link(owner, mod.resolved[mod.imports.indexOf(specifier)]);
    if (home(owner, dep.id) === HOST) {
      // It runs when one of its names is looked at.
      if (!importedNames) whole(dep);
    } else if (!mod.isAsync) evaluate(owner, dep);
    return view(dep);
  };
  const dynamic = (specifier: unknown) => importFrom(owner, String(specifier), id);
  const meta = metaOf(id, dirname);
  if (mod.kind === "cjs") {
    const module = (mod.module ??= cjsModule(owner, id));
    mod.fn.call(module.exports, module.exports, module.require, module, id, dirname, dynamic, meta, resume, settle);
    module.loaded = true;
    mod.ns = namespaceOf(module);
    return;
  }
  const ns = mod.ns;
  // TypeScript that is half CommonJS: `module.exports` counts when the module assigned it.
  const module = cjsModule(owner, id);
  const before = module.exports;
  const done = () => {
    if (module.exports !== before || Object.keys(before).length > 0) {
      const exports = module.exports;
      if (!("default" in ns)) ns.default = exports;
      for (const key of Object.keys(Object(exports))) if (!(key in ns)) ns[key] = exports[key];
    }
  };
  const result = mod.fn(
    mod.ns, load, dynamic, exportAllTo(mod.ns), meta, module.require, module, before, id, dirname, resume, settle,
  );
  return mod.isAsync && result ? result.then(done) : done();
}

/** What an importer sees. */
function view(mod: Mod): any {
  if (mod.state !== "running") return mod.ns;
  if (mod.kind === "cjs") return mod.module ? namespaceOf(mod.module) : mod.ns;
  // A cycle: what the module has not come to yet is undefined, not an error.
  return new Proxy(mod.ns, {
    get(ns, key) {
      if (mod.state !== "running") return ns[key];
      try {
        return ns[key];
      } catch (error) {
        if (error instanceof ReferenceError) return undefined;
        throw error;
      }
    },
  });
}

function metaOf(id: string, dirname: string): any {
  const meta = Object.create(null);
  meta.url = fileUrl(id);
  meta.filename = id;
  meta.dirname = dirname;
  meta.main = false;
  meta.resolve = (specifier: string) => {
    const target = ops.moduleResolve(String(specifier), id, false);
    return target.startsWith("tau:node/") ? `node:${target.slice(9, -3)}` : target.startsWith("tau:") ? target : fileUrl(target);
  };
  return meta;
}

/** Paths that are written in a URL as they are. */
const PLAIN = /^[-\w/.!~*'()$&+,:;=@]*$/;

function fileUrl(path: string): string {
  if (PLAIN.test(path)) return `file://${path}`;
  return "file://" + path.split("/").map((part) => encodeURIComponent(part).replace(/%(24|26|2B|2C|3A|3B|3D|40)/g, decodeURIComponent)).join("/");
}

function cjsModule(owner: number, id: string): any {
  const module: any = { id, filename: id, path: id.slice(0, id.lastIndexOf("/")), exports: {}, loaded: false, children: [], paths: [] };
  module.require = requireFor(owner, id);
  return module;
}

/** `require` as a module sees it. */
export function requireFor(owner: number, importer: string): any {
  const require: any = (specifier: string) => {
    const id = ops.moduleResolve(String(specifier), importer, true);
    const mod = linkRoot(owner, id);
    if (mod.kind === "cjs" && mod.state === "linked") mod.module = cjsModule(owner, id);
    const waiting = evaluate(owner, mod);
    if (waiting && mod.isAsync && mod.state === "running" && !ops.runJobsUntil(() => mod.state !== "running")) {
      throw new Error(`require() of ${id}: the module waits for something that only comes later`);
    }
    if (mod.state === "failed") throw mod.error;
    if (mod.kind !== "esm") return mod.module.exports;
    if (id.startsWith("tau:node/") && mod.ns.default !== undefined) return mod.ns.default;
    late.get(mod.ns)?.();
    return "module.exports" in mod.ns ? mod.ns["module.exports"] : esModule(mod.ns);
  };
  require.resolve = (specifier: string) => {
    const id = ops.moduleResolve(String(specifier), importer, true);
    return id.startsWith("tau:node/") ? id.slice(9, -3) : id;
  };
  require.cache = Object.create(null);
  require.extensions = Object.create(null);
  require.main = undefined;
  return require;
}

/** A module's names as compiled CommonJS expects them: marked, so that `default` is found. */
function esModule(ns: any): any {
  if (!("__esModule" in ns)) Object.defineProperty(ns, "__esModule", { value: true });
  return ns;
}

async function importFrom(owner: number, specifier: string, importer: string): Promise<any> {
  const id = ops.moduleResolve(specifier, importer, false);
  const mod = linkRoot(owner, id);
  await evaluate(owner, mod);
  late.get(mod.ns)?.();
  return mod.ns;
}

// For code behind `await` in modules that need asynchronous contexts; see internal/async_context.ts.
type Awaited = { saved: any; ok: boolean; value: any };
let awaiting: (value: any, make: (ok: boolean, value: any) => any) => any;
let mark: (settled: object) => void;
let isMarked: (value: object) => boolean;
let context: any;
function contexts(): any {
  return (context ??= importNow("tau:internal/async_context.ts"));
}
function settle(value: any): any {
  // Nobody has a context: then an `await` is what it always is.
  if (!contexts().isActive()) return value;
  const saved = contexts().snapshot();
  return awaiting(value, (ok, value) => settled(saved, ok, value));
}
function settled(saved: any, ok: boolean, value: any): Awaited {
  const made = { __proto__: null, saved, ok, value };
  mark(made);
  return made;
}
/** The values of a loop that waits for each of them, each with the context in which the loop goes on. */
settle.loop = (values: any) => {
  const begin = values[Symbol.asyncIterator];
  const source = begin === undefined || begin === null ? values[Symbol.iterator]() : begin.call(values);
  const waits = begin === undefined || begin === null;
  let saved = contexts().snapshot();
  let failed = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      saved = contexts().snapshot();
      const from = saved;
      try {
        const result = await source.next();
        if (result === null || typeof result !== "object") {
          throw new TypeError(`Iterator result ${String(result)} is not an object`);
        }
        if (result.done) return result;
        return { done: false, value: settled(from, true, waits ? await result.value : result.value) };
      } catch (error) {
        failed = true;
        return { done: false, value: settled(from, false, error) };
      }
    },
    async return() {
      // A source that failed is over: it was the loop that went on to throw its error.
      if (!failed) await source.return?.();
      return { done: true, value: undefined };
    },
    leave: () => void contexts().enter(saved),
  };
};
function resume(value: any): any {
  // What was awaited before anybody had a context came as it was.
  return typeof value === "object" && value !== null && isMarked(value) ? goOn(value) : value;
}
function goOn({ saved, ok, value }: Awaited): any {
  contexts().enter(saved);
  if (ok) return value;
  throw value;
}

/** Puts this module itself into the registry. */
export function adopt(ns: any): void {
  graph(HOST).set("tau:internal/loader.ts", made("tau:internal/loader.ts", ns));
  // Before anything of an extension runs, and before anything it could replace is replaced.
  const { awaiting: own, weakAdd, weakHas, WeakSet } = importNow("tau:internal/primordials.ts");
  awaiting = own;
  const awaited = new WeakSet();
  mark = (settled) => weakAdd(awaited, settled);
  isMarked = (value) => weakHas(awaited, value);
}

/** A module of the runtime, evaluated now. */
export function importNow<Path extends keyof Modules>(id: `tau:${Path}`): Modules[Path];
export function importNow(id: string): any;
export function importNow(id: string): any {
  const mod = link(HOST, id);
  evaluate(HOST, mod);
  return mod.ns;
}

/** Says by which name errors call an extension. */
export function nameExtension(extension: number, name: string): void {
  names.set(extension, name);
}

/** Imports a file as an extension's root; the promise settles when it has been evaluated. */
export async function importFile(extension: number, path: string): Promise<any> {
  const mod = linkRoot(extension, path);
  await evaluate(extension, mod);
  return mod.ns;
}

/** Forgets the modules of an extension. */
export function forgetExtension(extension: number): void {
  graphs.delete(extension);
  names.delete(extension);
}

/** Evaluates a file, runs the tests it registered, and settles the call with the report. */
export function runScript(id: number, extension: number, path: string): void {
  importNow("tau:internal/globals.ts").install();
  const run = async () => {
    await importFile(extension, path);
    const tests = graph(HOST).get("tau:internal/test_runner.ts");
    return tests ? await tests.ns.internalRunTests() : null;
  };
  run().then(
    (report) => ops.callDone(id, report),
    (error) => ops.callFailed(id, error),
  );
}

// What Rust calls by name; the parts are evaluated when they are first needed.
const part = (id: string) => {
  let ns: any;
  return () => (ns ??= importNow(id));
};
const calls = part("tau:host/calls.ts");
const extensions = part("tau:host/extension.ts");
const bus = part("tau:host/bus.ts");
const messages = part("tau:host/messages.ts");
const signals = part("tau:host/signals.ts");
const live = part("tau:host/live.ts");
export const getReady = () => extensions().getReady();
export const useSources = (clock: boolean, random: boolean) =>
  importNow("tau:internal/other_sources.ts").useSources(clock, random);
export const invoke = (call: number, callback: number, args: any[]) => calls().invoke(call, callback, args);
export const forget = (callback: number) => calls().forget(callback);
export const makeSignal = (aborted: boolean) => signals().makeSignal(aborted);
export const loadExtension = (call: number, id: number, path: string, name: string, modules: number) =>
  extensions().loadExtension(call, id, path, name, modules);
export const loadInline = (call: number, id: number, factory: number) => extensions().loadInline(call, id, factory);
export const hearChild = (listener: number, event: any) => calls().hear(listener, event);
export const callHandler = (number: number, handler: any, event: any, ctx: any) =>
  contexts().inHandler(number, handler, event, ctx);
export const handlerContext = (extension: number, call: number) => calls().handlerContext(extension, call);
export const partAccessor = (name: string) => calls().partAccessor(name);
export const keepLive = (field: string, own: any) => live().keepLive(field, own);
export const lazyMessages = (length: number, make: any, field: any) => messages().lazyMessages(length, make, field);
export const messageAccessor = (name: string) => messages().messageAccessor(name);
export const wholeMessages = (now: any) => messages().wholeMessages(now);
export const dropExtension = (id: number) => extensions().dropExtension(id);
const mounts = part("tau:host/mount/mounted.ts");
export const tellMounted = (number: number, what: string, value: unknown) => mounts().tellMounted(number, what, value);
export const mountedComponent = (number: number) => mounts().mountedOf(number)?.component;
export const drawMounted = (number: number, width: number, columns: number, rows: number) =>
  mounts().drawMounted(number, width, columns, rows);
const blocks = part("tau:host/mount/blocks.ts");
export const drawBlock = (fn: number, kind: string, block: string, what: unknown, about: object, width: number, invalidates: boolean) =>
  blocks().drawBlock(fn, kind, block, what, about, width, invalidates);
export const drawResolved = (
  resolvers: number[], tool: string, own: object, kind: string, block: string, what: unknown, about: object, width: number,
  invalidates: boolean,
) => blocks().drawResolved(resolvers, tool, own, kind, block, what, about, width, invalidates);
export const forgetBlock = (block: string) => blocks().forgetBlock(block);
export const disposeMounted = (number: number) => mounts().disposeMounted(number);
export const keep = (fn: (...args: any[]) => any) => calls().keep(fn);
export const kept = (callback: number) => calls().keptFunction(callback);
export const hear = (listener: number, data: any) => bus().hear(listener, data);
