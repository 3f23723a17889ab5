/** The `performance` global: a clock, marks and measures. */

import { ops } from "tau:ops";
import { codeError, invalidArgType, missingArgs } from "../internal/errors.ts";
import { lazyModule } from "../internal/lazy.ts";
import { announce, PerformanceObserver, PerformanceObserverEntryList } from "../internal/performance_observer.ts";
import { kInspect } from "../internal/symbols.ts";

const loadEvent = lazyModule("web/event.ts");
const loadClone = lazyModule("web/structured_clone.ts");

/** Milliseconds since the engine started, with fractions. */
export function now(): number {
  return ops.now();
}

/** One recorded moment or span. */
export class PerformanceEntry {
  readonly name: string;
  readonly entryType: string;
  readonly startTime: number;
  readonly duration: number;
  readonly detail: any;

  /** Not for scripts: entries come from `mark` and `measure`. */
  constructor(name: string, entryType: string, startTime: number, duration: number, detail: any) {
    this.name = name;
    this.entryType = entryType;
    this.startTime = startTime;
    this.duration = duration;
    this.detail = detail;
  }

  toJSON(): object {
    const { name, entryType, startTime, duration, detail } = this;
    return { name, entryType, startTime, duration, detail };
  }
}

export class PerformanceMark extends PerformanceEntry {
  constructor(name: string, options: { startTime?: number; detail?: any } = {}) {
    if (arguments.length === 0) throw missingArgs("name");
    const startTime = options?.startTime ?? now();
    if (typeof startTime !== "number") throw invalidArgType("options.startTime", "number", startTime);
    if (startTime < 0) throw codeError("ERR_PERFORMANCE_INVALID_TIMESTAMP", `${startTime} is not a valid timestamp`, TypeError);
    const detail = options?.detail;
    const copied = detail === undefined || detail === null ? null : loadClone().structuredClone(detail);
    super(`${name}`, "mark", startTime, 0, copied);
  }
}

export class PerformanceMeasure extends PerformanceEntry {}

/** Exists for `instanceof`: requests are not recorded. */
export class PerformanceResourceTiming extends PerformanceEntry {}

const timeline: PerformanceEntry[] = [];

function record<E extends PerformanceEntry>(entry: E): E {
  timeline.push(entry);
  announce(entry);
  return entry;
}

function sorted(entries: PerformanceEntry[]): PerformanceEntry[] {
  return entries.sort((a, b) => a.startTime - b.startTime);
}

/** The time that `mark` means: a number of milliseconds or the name of a mark. */
function timeOf(mark: string | number): number {
  if (typeof mark === "number") return mark;
  const found = timeline.findLast((entry) => entry.entryType === "mark" && entry.name === `${mark}`);
  if (found) return found.startTime;
  const { DOMException } = loadDomException();
  throw new DOMException(`The "${mark}" performance mark has not been set`, "SyntaxError");
}
const loadDomException = lazyModule("web/dom_exception.ts");

let target: any;
let timeOrigin: number | undefined;

/** The class of the `performance` object. An event target, though no events of its own exist. */
export class Performance {
  get timeOrigin(): number {
    return (timeOrigin ??= ops.timeOrigin() - ops.now());
  }

  now(): number {
    return ops.now();
  }

  mark(name: string, options?: { startTime?: number; detail?: any }): PerformanceMark {
    return record(new PerformanceMark(name, options));
  }

  measure(name: string, startOrOptions?: any, endMark?: string | number): PerformanceMeasure {
    let start = 0;
    let end: number;
    let detail = null;
    if (startOrOptions !== null && typeof startOrOptions === "object") {
      const { start: from, end: to, duration } = startOrOptions;
      detail = startOrOptions.detail ?? null;
      end = to !== undefined ? timeOf(to) : from !== undefined && duration !== undefined ? timeOf(from) + duration : now();
      if (from !== undefined) start = timeOf(from);
      else if (duration !== undefined) start = end - duration;
    } else {
      end = endMark === undefined ? now() : timeOf(endMark);
      if (startOrOptions !== undefined) start = timeOf(startOrOptions);
    }
    return record(new PerformanceMeasure(`${name}`, "measure", start, end - start, detail));
  }

  getEntries(): PerformanceEntry[] {
    return sorted(timeline.slice());
  }

  getEntriesByName(name: string, type?: string): PerformanceEntry[] {
    return sorted(timeline.filter((entry) => entry.name === name && (type === undefined || entry.entryType === type)));
  }

  getEntriesByType(type: string): PerformanceEntry[] {
    return sorted(timeline.filter((entry) => entry.entryType === type));
  }

  clearMarks(name?: string): void {
    clear("mark", name);
  }

  clearMeasures(name?: string): void {
    clear("measure", name);
  }

  clearResourceTimings(): void {}

  setResourceTimingBufferSize(): void {}

  /** When the parts of the start were done; the engine knows only its own beginning. */
  get nodeTiming(): object {
    const duration = now();
    const zero = { nodeStart: 0, v8Start: 0, bootstrapComplete: 0, environment: 0, loopStart: 0, loopExit: -1, idleTime: 0 };
    return { name: "node", entryType: "node", startTime: 0, duration, ...zero };
  }

  /** The engine has no idle statistics: everything counts as active. */
  eventLoopUtilization(before?: { idle: number; active: number }): object {
    const active = now() - (before?.active ?? 0);
    return { idle: 0, active, utilization: 1 };
  }

  timerify<F extends (...args: any[]) => any>(fn: F): F {
    if (typeof fn !== "function") throw invalidArgType("fn", "function", fn);
    const timed = function (this: any, ...args: any[]) {
      const start = now();
      const result = new.target ? Reflect.construct(fn, args, new.target) : fn.apply(this, args);
      const finish = () => record(new PerformanceEntry(fn.name, "function", start, now() - start, args));
      if (typeof result?.finally === "function") return result.finally(finish);
      finish();
      return result;
    };
    Object.defineProperty(timed, "name", { value: `timerified ${fn.name}`, configurable: true });
    return timed as unknown as F;
  }

  addEventListener(...args: any[]): void {
    target ??= new (loadEvent().EventTarget)();
    target.addEventListener(...args);
  }

  removeEventListener(...args: any[]): void {
    target?.removeEventListener(...args);
  }

  dispatchEvent(event: any): boolean {
    target ??= new (loadEvent().EventTarget)();
    return target.dispatchEvent(event);
  }

  toJSON(): object {
    return { timeOrigin: this.timeOrigin, eventLoopUtilization: this.eventLoopUtilization() };
  }

  [kInspect](): string {
    return `Performance { timeOrigin: ${this.timeOrigin} }`;
  }
}

function clear(type: string, name?: string): void {
  for (let index = timeline.length - 1; index >= 0; index -= 1) {
    const entry = timeline[index]!;
    if (entry.entryType === type && (name === undefined || entry.name === `${name}`)) timeline.splice(index, 1);
  }
}

export const performance = new Performance();
export { PerformanceObserver, PerformanceObserverEntryList };
