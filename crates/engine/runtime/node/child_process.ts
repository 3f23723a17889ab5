// node:child_process. What runs children is loaded when the first one starts.
import { lazyModule } from "../internal/lazy.ts";
import { kPromisify } from "../internal/symbols.ts";
import { lazyClass } from "../internal/fs/lazy_class.ts";

const children = lazyModule("internal/child/process.ts");
const options = lazyModule("internal/child/options.ts");
const gathering = lazyModule("internal/child/exec.ts");
const waiting = lazyModule("internal/child/sync.ts");

const ChildProcess = lazyClass("ChildProcess", () => children().ChildProcess);

function spawn(file: any, args?: unknown, given?: unknown): any {
  const { makePlan, splitArgs } = options();
  const [list, settings] = splitArgs(file, args, given);
  const plan = makePlan(file, list, settings);
  const child = new (children().ChildProcess)();
  child._start(plan);
  children().watchTime(child, settings.timeout, settings.killSignal);
  children().watchSignal(child, settings.signal, settings.killSignal);
  return child;
}

function exec(command: unknown, options?: unknown, callback?: unknown): any {
  return gathering().exec(command, options, callback);
}
function execFile(file: unknown, ...rest: any[]): any {
  return gathering().execFile(file, ...rest);
}
for (const form of [exec, execFile]) {
  Object.defineProperty(form, kPromisify, {
    value: (...args: any[]) => (gathering() as any)[form.name][kPromisify](...args),
  });
}

function spawnSync(file: unknown, args?: unknown, options?: unknown): any {
  return waiting().spawnSync(file, args, options);
}
function execFileSync(file: unknown, args?: unknown, options?: unknown): any {
  return waiting().execFileSync(file, args, options);
}
function execSync(command: unknown, options?: unknown): any {
  return waiting().execSync(command, options);
}
function fork(): never {
  throw options().noChannel();
}

export { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };

export default { ChildProcess, exec, execFile, execFileSync, execSync, fork, spawn, spawnSync };
