/** `node:perf_hooks`. */

import { PerformanceObserver, PerformanceObserverEntryList } from "../internal/performance_observer.ts";
import { createHistogram, monitorEventLoopDelay } from "../internal/histogram.ts";
import {
  Performance,
  performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  PerformanceResourceTiming,
} from "../web/performance.ts";

export const constants = {
  NODE_PERFORMANCE_GC_MAJOR: 4,
  NODE_PERFORMANCE_GC_MINOR: 1,
  NODE_PERFORMANCE_GC_INCREMENTAL: 8,
  NODE_PERFORMANCE_GC_WEAKCB: 16,
};

export {
  createHistogram,
  monitorEventLoopDelay,
  Performance,
  performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  PerformanceObserver,
  PerformanceObserverEntryList,
  PerformanceResourceTiming,
};

export default {
  constants,
  createHistogram,
  monitorEventLoopDelay,
  Performance,
  performance,
  PerformanceEntry,
  PerformanceMark,
  PerformanceMeasure,
  PerformanceObserver,
  PerformanceObserverEntryList,
  PerformanceResourceTiming,
};
