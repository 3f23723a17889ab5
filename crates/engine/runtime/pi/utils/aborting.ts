// Work that ends when a signal fires.

/** Says that a signal fired. */
export class AbortError extends Error {
  override name = "AbortError";

  constructor(signal: AbortSignal) {
    const { reason } = signal;
    super(`Aborted: ${reason instanceof Error ? reason.message : "Cancelled"}`, { cause: reason });
  }
}

/** What a promise comes to, unless the signal fires before. */
export async function untilAborted<T>(signal: AbortSignal | null | undefined, work: Promise<T> | (() => Promise<T>)): Promise<T> {
  const begin = () => (typeof work === "function" ? work() : work);
  if (!signal) return begin();
  if (signal.aborted) throw new AbortError(signal);
  let stop: () => void;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new AbortError(signal));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([begin(), stopped]);
  } finally {
    signal.removeEventListener("abort", stop!);
  }
}

/** A function that calls another one the first time, and gives the same after that. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
