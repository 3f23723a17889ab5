/** Names and numbers of signals, and `process.kill`. */

import { ops } from "tau:ops";
import { codeTypeError, invalidArgType } from "../errors.ts";

let byName: Record<string, number> | undefined;
function table(): Record<string, number> {
  return (byName ??= ops.signals());
}

/** The number of a signal given by name or number; the default is `SIGTERM`. */
export function signalNumber(signal: unknown = "SIGTERM", allowZero = false): number {
  const unknown = () => codeTypeError("ERR_UNKNOWN_SIGNAL", `Unknown signal: ${String(signal)}`);
  if (typeof signal === "number") {
    if (signal === 0 && allowZero) return 0;
    if (!Object.values(table()).includes(signal)) throw unknown();
    return signal;
  }
  if (typeof signal !== "string") throw invalidArgType("signal", ["string", "number"], signal);
  const number = table()[signal] ?? table()[signal.toUpperCase()];
  if (number === undefined) throw unknown();
  return number;
}

/** The name of a signal, or null. */
export function signalName(number: number | null | undefined): string | null {
  if (number === null || number === undefined) return null;
  return Object.keys(table()).find((name) => table()[name] === number) ?? null;
}

/** Sends a signal. One to the program itself ends only its JavaScript, unless somebody listens for it. */
export function kill(process: any, pid: any, signal?: any): true {
  if (pid != (pid | 0)) throw invalidArgType("pid", "number", pid);
  pid |= 0;
  let number;
  if (typeof signal === "number") number = signal;
  else number = signalNumber(signal ?? "SIGTERM");
  const name = signalName(number);
  if (pid === ops.pid && name && process.listenerCount(name) > 0) {
    process.nextTick(() => process.emit(name, name, number));
    return true;
  }
  try {
    ops.processKill(pid, number);
  } catch (error: any) {
    throw Object.assign(new Error(`kill ${error.code}`), { errno: error.errno, code: error.code, syscall: "kill" });
  }
  return true;
}
