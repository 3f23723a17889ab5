/** The histograms of `node:perf_hooks`. Values are kept exactly and sorted when a percentile is asked for. */

import { outOfRange } from "./errors.ts";
import { validateInteger, validateNumber } from "./validators.ts";
import { clearInterval, setInterval } from "../node/timers.ts";
import { now } from "../web/performance.ts";

class Histogram {
  protected values: number[] = [];
  #sorted = true;

  protected add(value: number): void {
    this.values.push(value);
    this.#sorted = false;
  }

  #inOrder(): number[] {
    if (!this.#sorted) {
      this.values.sort((a, b) => a - b);
      this.#sorted = true;
    }
    return this.values;
  }

  get count(): number {
    return this.values.length;
  }
  get exceeds(): number {
    return 0;
  }
  get min(): number {
    return this.count ? this.#inOrder()[0]! : 9223372036854776000;
  }
  get max(): number {
    return this.count ? this.#inOrder()[this.count - 1]! : 0;
  }
  get mean(): number {
    return this.count ? this.values.reduce((sum, value) => sum + value, 0) / this.count : NaN;
  }
  get stddev(): number {
    const mean = this.mean;
    return this.count ? Math.sqrt(this.values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / this.count) : NaN;
  }

  percentile(percentile: number): number {
    validateNumber(percentile, "percentile");
    if (!(percentile > 0 && percentile <= 100)) throw outOfRange("percentile", "> 0 && <= 100", percentile);
    if (this.count === 0) return 0;
    return this.#inOrder()[Math.max(0, Math.ceil((percentile / 100) * this.count) - 1)]!;
  }

  get percentiles(): Map<number, number> {
    return new Map([50, 75, 90, 99, 100].map((percentile) => [percentile, this.percentile(percentile)]));
  }

  reset(): void {
    this.values = [];
    this.#sorted = true;
  }

  toJSON(): object {
    const { count, min, max, mean, exceeds, stddev } = this;
    return { count, min, max, mean, exceeds, stddev, percentiles: Object.fromEntries(this.percentiles) };
  }
}

class RecordableHistogram extends Histogram {
  #last: number | undefined;

  record(value: number | bigint): void {
    const number = Number(value);
    validateInteger(number, "val", 1);
    this.add(number);
  }

  /** Records the nanoseconds since the call before. */
  recordDelta(): void {
    const at = now();
    if (this.#last !== undefined) this.add(Math.max(1, Math.round((at - this.#last) * 1e6)));
    this.#last = at;
  }

  /** Takes over the values of another histogram. */
  merge(other: RecordableHistogram): void {
    for (const value of other.values) this.add(value);
  }
}

class IntervalHistogram extends Histogram {
  #resolution: number;
  #timer: any;

  constructor(resolution: number) {
    super();
    this.#resolution = resolution;
  }

  enable(): boolean {
    if (this.#timer) return false;
    let last = now();
    this.#timer = setInterval(() => {
      const at = now();
      this.add(Math.max(1, Math.round((at - last) * 1e6)));
      last = at;
    }, this.#resolution).unref();
    return true;
  }

  disable(): boolean {
    if (!this.#timer) return false;
    clearInterval(this.#timer);
    this.#timer = undefined;
    return true;
  }
}

export function createHistogram(): RecordableHistogram {
  return new RecordableHistogram();
}

export function monitorEventLoopDelay(options: { resolution?: number } = {}): IntervalHistogram {
  const resolution = options.resolution ?? 10;
  validateInteger(resolution, "options.resolution", 1);
  return new IntervalHistogram(resolution);
}
