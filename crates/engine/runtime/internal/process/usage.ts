/** What the process uses: time and memory. */

import { ops } from "tau:ops";
import { validateArray, validateNumber, validateObject } from "../validators.ts";
import { outOfRange } from "../errors.ts";

function nanoseconds(): bigint {
  return BigInt(Math.round(ops.now() * 1_000_000));
}

/** `process.hrtime`. */
export function hrtime(previous?: [number, number]): [number, number] {
  let time = nanoseconds();
  if (previous !== undefined) {
    validateArray(previous, "time");
    if (previous.length !== 2) throw outOfRange("time", "2", previous.length);
    time -= BigInt(previous[0]) * 1_000_000_000n + BigInt(previous[1]);
  }
  return [Number(time / 1_000_000_000n), Number(time % 1_000_000_000n)];
}
hrtime.bigint = nanoseconds;

/** `process.cpuUsage`, in microseconds. */
export function cpuUsage(previous?: { user: number; system: number }): { user: number; system: number } {
  const { userCPUTime, systemCPUTime } = ops.resourceUsage();
  if (previous === undefined) return { user: userCPUTime, system: systemCPUTime };
  validateObject(previous, "prevValue");
  validateNumber(previous.user, "prevValue.user", 0);
  validateNumber(previous.system, "prevValue.system", 0);
  return { user: userCPUTime - previous.user, system: systemCPUTime - previous.system };
}

/** `process.resourceUsage`. */
export function resourceUsage(): Record<string, number> {
  return {
    ...ops.resourceUsage(), sharedMemorySize: 0, unsharedDataSize: 0, unsharedStackSize: 0,
    swappedOut: 0, ipcSent: 0, ipcReceived: 0, signalsCount: 0,
  };
}

function rss(): number {
  // Systems without books about it tell at least the most there ever was.
  return ops.memoryResident() || ops.resourceUsage().maxRSS || 0;
}

/** `process.memoryUsage`. The engine does not keep its heap apart from the rest of the program. */
export function memoryUsage(): Record<string, number> {
  const total = rss();
  return { rss: total, heapTotal: total, heapUsed: total, external: 0, arrayBuffers: 0 };
}
memoryUsage.rss = rss;
