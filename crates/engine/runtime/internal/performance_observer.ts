/** `PerformanceObserver`: told of new entries in batches. */

import { codeError, invalidArgType, missingArgs } from "./errors.ts";
import { nextTick } from "./tick.ts";
import { performance, type PerformanceEntry } from "../web/performance.ts";

const TYPES = ["function", "mark", "measure"];
const observers = new Set<PerformanceObserver>();

/** The batch that an observer's callback gets. */
export class PerformanceObserverEntryList {
  #entries: PerformanceEntry[];
  constructor(entries: PerformanceEntry[]) {
    this.#entries = entries;
  }
  getEntries(): PerformanceEntry[] {
    return this.#entries.slice();
  }
  getEntriesByName(name: string, type?: string): PerformanceEntry[] {
    return this.#entries.filter((entry) => entry.name === name && (type === undefined || entry.entryType === type));
  }
  getEntriesByType(type: string): PerformanceEntry[] {
    return this.#entries.filter((entry) => entry.entryType === type);
  }
}

export class PerformanceObserver {
  #callback: (list: PerformanceObserverEntryList, observer: PerformanceObserver) => void;
  #types = new Set<string>();
  #batch: PerformanceEntry[] = [];
  #scheduled = false;

  constructor(callback: (list: PerformanceObserverEntryList, observer: PerformanceObserver) => void) {
    if (typeof callback !== "function") throw invalidArgType("callback", "function", callback);
    this.#callback = callback;
  }

  static get supportedEntryTypes(): readonly string[] {
    return Object.freeze([...TYPES]);
  }

  observe(options: { entryTypes?: string[]; type?: string; buffered?: boolean }): void {
    if (options === null || typeof options !== "object") throw invalidArgType("options", "object", options);
    const { entryTypes, type, buffered } = options;
    if (entryTypes === undefined && type === undefined) throw missingArgs("options.entryTypes", "options.type");
    if (entryTypes !== undefined && type !== undefined) {
      throw codeError("ERR_INVALID_ARG_VALUE", "The argument 'options.entryTypes' can not be set with options.type", TypeError);
    }
    if (entryTypes) this.#types = new Set(entryTypes.filter((name) => TYPES.includes(name)));
    else if (TYPES.includes(type!)) {
      this.#types.add(type!);
      if (buffered) for (const entry of performance.getEntriesByType(type!)) this.offer(entry);
    }
    if (this.#types.size) observers.add(this);
  }

  /** Called for each new entry; keeps those that were asked for. */
  offer(entry: PerformanceEntry): void {
    if (!this.#types.has(entry.entryType)) return;
    this.#batch.push(entry);
    if (this.#scheduled) return;
    this.#scheduled = true;
    nextTick(() => {
      this.#scheduled = false;
      const entries = this.takeRecords();
      if (entries.length) this.#callback(new PerformanceObserverEntryList(entries), this);
    });
  }

  takeRecords(): PerformanceEntry[] {
    return this.#batch.splice(0);
  }

  disconnect(): void {
    observers.delete(this);
    this.#types.clear();
    this.#batch = [];
  }
}

/** Offers a new entry to every observer. */
export function announce(entry: PerformanceEntry): void {
  for (const observer of [...observers]) observer.offer(entry);
}
