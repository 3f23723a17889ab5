/** What starts a child: arguments checked and made into what the ops take. */

import { type ChildPlan, ops } from "tau:ops";
import { codeError, invalidArgType, invalidArgValue, outOfRange } from "../errors.ts";
import { absence } from "../loader.ts";
import { toPath } from "../fs/args.ts";
import { signalNumber } from "../process/signals.ts";
import { validateAbortSignal, validateBoolean, validateInt32, validateNumber, validateString } from "../validators.ts";

function noNull(value: string, name: string): string {
  if (value.includes("\0")) throw invalidArgValue(name, value, "must be a string without null bytes");
  return value;
}

/** `(file, args?, options?)`, with both of the latter optional. */
export function splitArgs(file: any, args: any, options: any): [string[], any] {
  validateString(file, "file");
  noNull(file, "file");
  if (file.length === 0) throw invalidArgValue("file", file, "cannot be empty");
  if (Array.isArray(args)) args = args.slice();
  else if (args === undefined || args === null) args = [];
  else if (typeof args !== "object") throw invalidArgType("args", "object", args);
  else [args, options] = [[], args];
  args = args.map((arg: any, at: number) => noNull(`${arg}`, `args[${at}]`));
  if (options !== undefined && (options === null || typeof options !== "object")) {
    throw invalidArgType("options", "object", options);
  }
  return [args, { ...options }];
}

/** A child's environment: text, without what is undefined; `null` is the engine's. */
function environment(env: any): Record<string, string> | null {
  // The engine knows its own environment; nothing has to be copied there and back.
  if (env === undefined || env === null || env === globalThis.process?.env) return null;
  const result: Record<string, string> = {};
  for (const name in env) {
    const value = env[name];
    if (value === undefined) continue;
    result[noNull(name, `options.env['${name}']`)] = noNull(`${value}`, `options.env['${name}']`);
  }
  return result;
}

/** No inter-process channels: they speak Node's own protocol. */
export function noChannel(): Error {
  return codeError("ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", absence("child_process.fork (an IPC channel)"));
}

function target(value: any, at: number, all: any): string | { fd: number } {
  if (value === undefined || value === null) return at < 3 ? "pipe" : "ignore";
  if (value === "pipe" || value === "overlapped") return "pipe";
  if (value === "ignore") return "ignore";
  if (value === "inherit") return { fd: at };
  if (value === "ipc") throw noChannel();
  if (typeof value === "number") return { fd: value };
  const fd = value?.fd ?? value?._handle?.fd;
  if (typeof fd === "number" && fd >= 0) return { fd };
  throw invalidArgValue("stdio", all);
}

/** Where each descriptor of a child goes. */
export function stdioOf(stdio: any): (string | { fd: number })[] {
  if (typeof stdio === "string") {
    if (!["pipe", "ignore", "inherit", "overlapped"].includes(stdio)) throw invalidArgValue("stdio", stdio);
    stdio = [stdio, stdio, stdio];
  }
  if (stdio === undefined || stdio === null) stdio = ["pipe", "pipe", "pipe"];
  if (!Array.isArray(stdio)) throw invalidArgValue("stdio", stdio);
  const all = stdio.slice();
  while (all.length < 3) all.push(undefined);
  return Array.from(all, (value, at) => target(value, at, stdio));
}

function id(value: any, name: string): number | null {
  if (value === undefined || value === null) return null;
  validateInt32(value, name);
  return value;
}

/** Checks everything about a child. */
export function makePlan(file: string, args: string[], options: any): ChildPlan {
  const { cwd, detached, shell, argv0, timeout, signal, killSignal, windowsHide, windowsVerbatimArguments } = options;
  if (detached != null) validateBoolean(detached, "options.detached");
  if (shell != null && typeof shell !== "boolean" && typeof shell !== "string") {
    throw invalidArgType("options.shell", ["boolean", "string"], shell);
  }
  if (argv0 != null) {
    validateString(argv0, "options.argv0");
    noNull(argv0, "options.argv0");
  }
  if (windowsHide != null) validateBoolean(windowsHide, "options.windowsHide");
  if (windowsVerbatimArguments != null) validateBoolean(windowsVerbatimArguments, "options.windowsVerbatimArguments");
  checkTimeout(timeout);
  validateAbortSignal(signal ?? undefined, "options.signal");
  if (killSignal != null) signalNumber(killSignal);
  if (shell) {
    // The caller asked for a shell and wrote the line for it.
    const line = [file, ...args].join(" ");
    file = typeof shell === "string" ? shell : "/bin/sh";
    args = ["-c", line];
  }
  return {
    file,
    args: [argv0 ?? file, ...args],
    cwd: cwd === undefined || cwd === null ? null : toPath(cwd, "options.cwd"),
    env: environment(options.env),
    stdio: stdioOf(options.stdio),
    detached: Boolean(detached),
    uid: id(options.uid, "options.uid"),
    gid: id(options.gid, "options.gid"),
  };
}

/** A time limit in milliseconds. */
export function checkTimeout(timeout: any): void {
  if (timeout != null && !(Number.isInteger(timeout) && timeout >= 0)) {
    throw outOfRange("timeout", "an unsigned integer", timeout);
  }
}

/** The most bytes of one stream. */
export function checkMaxBuffer(maxBuffer: any): void {
  if (maxBuffer == null) return;
  if (typeof maxBuffer !== "number" || !(maxBuffer >= 0)) throw outOfRange("options.maxBuffer", "a positive number", maxBuffer);
  validateNumber(maxBuffer, "options.maxBuffer");
}

/** The plan without what the op does not know. */
export function startChild(plan: ChildPlan): { rid: number; pid: number; stdio: (number | null)[] } {
  return ops.childSpawn(plan);
}
