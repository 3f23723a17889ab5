// When it pays to repeat a request so that the provider keeps its prompt in the cache.
import { calculateCost } from "./known_models.ts";

/** How long after a request its cache entry is kept warm during a run, in milliseconds. */
export const CACHE_WARMING_MAX_AGE_MS = 60 * 60_000;
/** As long while nothing runs. */
export const CACHE_WARMING_MAX_IDLE_AGE_MS = 30 * 60_000;
/** What warming must be expected to save, in dollars. */
export const CACHE_WARMING_MINIMUM_EXPECTED_SAVINGS = 0.05;
/** How likely another request comes in time while nothing runs. */
export const CACHE_WARMING_IDLE_CONTINUATION_PROBABILITY = 0.15;

const MARGIN_MS = 10_000;

/** How long to wait with a refresh: nine tenths of the lifetime, at least ten seconds before its end. */
export function getCacheWarmingDelayMs(ttlMs: number): number | undefined {
  if (ttlMs <= MARGIN_MS) return undefined;
  return Math.max(1, Math.floor(Math.min(0.9 * ttlMs, ttlMs - MARGIN_MS)));
}

type Retention = "none" | "short" | "long";

/** For how long a request wants its prompt cached: as it says, or else as the environment does. */
export function wantedRetention(options?: { env?: Record<string, string>; cacheRetention?: Retention }): Retention {
  const wanted = options?.env?.PI_CACHE_RETENTION ?? process.env.PI_CACHE_RETENTION;
  return options?.cacheRetention ?? (wanted === "long" ? "long" : "short");
}

/** How long the cache entry of a request lives, in milliseconds; undefined when the model does not say. */
export function getPromptCacheTtlMs(model: any, options?: any): number | undefined {
  const retention = wantedRetention(options);
  const seconds = retention === "none" ? undefined : model.promptCache?.[retention];
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Whether repeating a request with less output leaves its cache entry as it is: a budget for thinking would change. */
export function isCacheWarmingReplayable(model: any, options?: any): boolean {
  const hasBudget = model.api === "anthropic-messages" && model.compat?.forceAdaptiveThinking !== true;
  return !options?.reasoning || !hasBudget;
}

/** The options of the repeated request: one token of output, and nothing that changes the conversation. */
export function getCacheWarmingRequestOptions(options: any, signal?: AbortSignal): any {
  return { ...options, maxTokens: 1, disableContinuation: true, maxRetries: 0, signal };
}

/** Whether to warm the cache entry of a prompt of that many tokens, and why; costs in dollars. */
export function evaluateCacheWarming(model: any, promptTokens: number, phase: "idle" | "streaming"): any {
  const cost = (tokens: any) =>
    calculateCost(model, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: {}, ...tokens }).total;
  const hit = cost({ cacheRead: promptTokens });
  const miss = cost(model.cost.cacheWrite > 0 ? { cacheWrite: promptTokens } : { input: promptTokens });
  const warmCost = cost({ cacheRead: promptTokens, output: 1 });
  const missCost = Math.max(0, miss - hit);
  const continuationProbability = phase === "idle" ? CACHE_WARMING_IDLE_CONTINUATION_PROBABILITY : 1;
  const expectedSavings = continuationProbability * missCost - warmCost;
  return {
    phase,
    warmCost,
    missCost,
    continuationProbability,
    expectedSavings,
    economicsAvailable: promptTokens > 0 && (hit > 0 || miss > 0),
    action: expectedSavings >= CACHE_WARMING_MINIMUM_EXPECTED_SAVINGS ? "warm" : "stop",
  };
}
