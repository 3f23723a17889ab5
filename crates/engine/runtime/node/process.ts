// node:process: the process as an extension sees it. Its working directory, environment and end are the engine's.
import { ops } from "tau:ops";
import { codeError, invalidArgType } from "../internal/errors.ts";
import { lazyModule } from "../internal/lazy.ts";
import { importNow } from "../internal/loader.ts";
import { env } from "../internal/process/env.ts";
import { nextTick as tick } from "../internal/tick.ts";
import { validateFunction, validateString } from "../internal/validators.ts";

const signals = lazyModule("internal/process/signals.ts");
const stdio = lazyModule("internal/process/stdio.ts");
const usage = lazyModule("internal/process/usage.ts");
const warnings = lazyModule("internal/process/warning.ts");

/** The Node whose behaviour programs find here. */
const NODE = "22.19.0";
const execPath: string = ops.execPath();

// Emitter methods load `node:events` when they are first used: most programs only want `cwd` and `env`.
const prototype: any = {};
let upgraded = false;
function upgrade(): void {
  if (upgraded) return;
  upgraded = true;
  const { EventEmitter } = importNow("tau:node/events.ts");
  for (const name of EMITTER) delete prototype[name];
  Object.setPrototypeOf(prototype, EventEmitter.prototype);
  EventEmitter.call(process);
}
const EMITTER = [
  "on", "once", "off", "emit", "addListener", "removeListener", "removeAllListeners", "prependListener",
  "prependOnceListener", "listeners", "rawListeners", "listenerCount", "eventNames", "setMaxListeners",
  "getMaxListeners",
];
for (const name of EMITTER) {
  prototype[name] = (...args: any[]) => {
    upgrade();
    return process[name](...args);
  };
}

const process: any = Object.create(prototype, {
  [Symbol.toStringTag]: { value: "process", configurable: true },
});

/** Members that are made when they are first asked for, and can be replaced. */
function lazily(name: string, make: () => any): void {
  const set = (value: any) => {
    Object.defineProperty(process, name, { value, writable: true, enumerable: true, configurable: true });
    return value;
  };
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => set(make()), set });
}

let exiting = false;
let exitCode: any;
function leave(code: number): never {
  ops.processExit(code);
  // The engine stops this at once.
  for (;;) {}
}
function exitCodeOf(code: any): number {
  if (code === undefined || code === null) return 0;
  const number = typeof code === "string" && code !== "" ? Number(code) : code;
  if (typeof number !== "number" || !Number.isInteger(number)) throw invalidArgType("code", "integer", code);
  return number;
}

Object.assign(process, {
  version: `v${NODE}`,
  versions: { node: NODE, modules: "127", uv: "1.51.0", v8: "12.4.254.21-node.33", quickjs: "0.16" },
  arch: ops.arch,
  platform: ops.platform,
  release: { name: "node", lts: "Jod" },
  title: "pi",
  // No file: programs that start their agent again by this name fall back to `execPath`.
  argv: [execPath, `${execPath}/pi`, ...ops.programArgs()],
  argv0: "pi",
  execArgv: [],
  execPath,
  env,
  pid: ops.pid,
  ppid: ops.ppid,
  debugPort: 9229,
  config: { target_defaults: {}, variables: {} },
  features: {
    inspector: false, debug: false, uv: true, ipv6: true, tls_alpn: true, tls_sni: true, tls_ocsp: true, tls: true,
    cached_builtins: true, require_module: true, typescript: "transform",
  },
  noDeprecation: false,
  report: undefined,
  sourceMapsEnabled: true,
  moduleLoadList: [],

  cwd: () => ops.cwd(),
  chdir(directory: string): void {
    validateString(directory, "directory");
    const before = ops.cwd();
    try {
      ops.chdir(directory);
    } catch (error: any) {
      const { code, errno } = error;
      const text = error.message.slice(0, error.message.indexOf(", chdir"));
      throw Object.assign(new Error(`${text}, chdir '${before}' -> '${directory}'`), {
        errno, code, syscall: "chdir", path: before, dest: directory,
      });
    }
  },
  umask: (mask?: any) => {
    if (mask === undefined) return ops.umask(null);
    return ops.umask(typeof mask === "string" ? parseInt(mask, 8) : mask);
  },
  getuid: () => ops.getuid(),
  geteuid: () => ops.geteuid(),
  getgid: () => ops.getgid(),
  getegid: () => ops.getegid(),
  getgroups: () => ops.groups(),
  uptime: () => ops.now() / 1000,
  availableMemory: () => ops.osMemory().free,
  constrainedMemory: () => 0,
  cpuUsage: (previous?: any) => usage().cpuUsage(previous),
  resourceUsage: () => usage().resourceUsage(),
  getActiveResourcesInfo: () => [],

  nextTick(callback: (...args: any[]) => void, ...args: any[]): void {
    validateFunction(callback, "callback");
    tick(callback, ...args);
  },
  exit(code?: any): never {
    const number = exitCodeOf(code ?? process.exitCode);
    if (!exiting) {
      exiting = true;
      // A listener that throws must not keep the program alive.
      const before = exitCode;
      exitCode = number;
      let last = number;
      try {
        if (upgraded) process.emit("exit", number);
      } finally {
        // Whether this ends the program is not for the one who calls it to say.
        last = exitCodeOf(exitCode);
        exitCode = before;
        exiting = false;
        leave(last);
      }
    }
    return leave(number);
  },
  reallyExit: (code?: unknown) => leave(exitCodeOf(code)),
  abort: () => leave(134),
  kill: (pid: unknown, signal?: unknown) => signals().kill(process, pid, signal),
  emitWarning: (warning: unknown, type?: unknown, code?: unknown) => warnings().emitWarning(process, warning, type, code),
  binding(name: string): never {
    throw codeError("ERR_INVALID_MODULE", `No such binding: ${name}`);
  },
  dlopen(): never {
    throw codeError("ERR_DLOPEN_FAILED", "Native add-ons are not available in tau");
  },
  getBuiltinModule(id: string): any {
    validateString(id, "id");
    const name = id.startsWith("node:") ? id : `node:${id}`;
    const found = ops.moduleResolve(name, "tau:node/process.ts", true);
    return found.startsWith("tau:node/") ? importNow(found).default : undefined;
  },
  loadEnvFile(path = ".env"): void {
    const { parseEnv } = importNow("tau:internal/util/parse_env.ts");
    const found = parseEnv(importNow("tau:node/fs.ts").readFileSync(path, "utf8"));
    for (const key of Object.keys(found)) if (env[key] === undefined) env[key] = found[key];
  },
  setSourceMapsEnabled(): void {},
  hasUncaughtExceptionCaptureCallback: () => false,
  ref(): void {},
  unref(): void {},
});

Object.defineProperty(process, "exitCode", {
  enumerable: true,
  configurable: true,
  get: () => exitCode,
  set(code: unknown) {
    const number = code === undefined || code === null ? undefined : exitCodeOf(code);
    exitCode = code;
    if (!exiting) ops.exitCode(number);
  },
});

lazily("stdout", () => stdio().makeOutput(1));
lazily("stderr", () => stdio().makeOutput(2));
lazily("stdin", () => stdio().makeInput());
lazily("hrtime", () => usage().hrtime);
lazily("memoryUsage", () => usage().memoryUsage);
lazily("allowedNodeEnvironmentFlags", () => new Set());

/** Names of this module reach members that may be made or replaced later. */
function later(name: string, callable: boolean): any {
  const bound = (value: unknown) => (typeof value === "function" ? value.bind(process[name]) : value);
  return new Proxy(callable ? function () {} : {}, {
    get: (_, key) => bound(process[name][key]),
    set: (_, key, value) => Reflect.set(process[name], key, value),
    has: (_, key) => key in process[name],
    apply: (_, __, args) => process[name](...args),
    getPrototypeOf: () => Reflect.getPrototypeOf(process[name]),
  });
}
export const stdout = later("stdout", false);
export const stderr = later("stderr", false);
export const stdin = later("stdin", false);
export const hrtime = later("hrtime", true);
export const memoryUsage = later("memoryUsage", true);
const emitter = (name: string) => (...args: any[]) => process[name](...args);
export const on = emitter("on");
export const once = emitter("once");
export const off = emitter("off");
export const emit = emitter("emit");
export const addListener = emitter("addListener");
export const removeListener = emitter("removeListener");
export const removeAllListeners = emitter("removeAllListeners");
export const listeners = emitter("listeners");
export const listenerCount = emitter("listenerCount");
export const {
  abort, arch, argv, argv0, availableMemory, binding, chdir, config, constrainedMemory, cpuUsage, cwd, debugPort,
  dlopen, emitWarning, execArgv, exit, features, getActiveResourcesInfo, getBuiltinModule, getegid,
  geteuid, getgid, getgroups, getuid, kill, loadEnvFile, nextTick, pid, platform, ppid, reallyExit, release,
  resourceUsage, title, umask, uptime, version, versions,
} = process;
export { env, execPath };

export default process;
