// Answers of models that do not converse, by functions of extensions: within a time, and of the right shape.
import { ops } from "tau:ops";
import { importNow } from "../internal/loader.ts";
import type { Ask, Asked, Options } from "../pi/ai/shapes.ts";
import { wordsOf } from "./whole_provider.ts";

/** What a function is asked for: its name, the type of its models, and the questions that it answers. */
type Of = { type: string; name: string; questions?: unknown };

/** Calls a function of the extension `owner`. Throws what is wrong with what it does, and who it is. */
export async function ownAnswer(
  owner: number,
  of: Of,
  functions: Record<string, Ask>,
  model: Asked,
  context: unknown,
  options: Options,
): Promise<object> {
  const { apiKey, headers, env, signal } = options;
  const secret = { apiKey, headers, env };
  const asked = { kind: of.type, function: of.name, model, questions: of.questions ?? {}, options: secret };
  let answer: object;
  try {
    const own = wanted(options.timeoutMs);
    const limit = own ?? ops.modelsPatience(owner);
    const why = `no answer came within ${limit} ms, the limit of ${own ? "timeoutMs" : "tau.limits.handlerMs"}`;
    answer = await within(limit, why, signal, (signal) => functions[of.name](model, context, { ...options, signal }));
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error(ops.modelsFailed(owner, asked, wordsOf(error)));
  }
  return ops.modelsAnswered(owner, asked, answer ?? null);
}

const wanted = (ms: number | undefined) => (typeof ms === "number" && ms > 0 ? ms : undefined);

/** Waits for what `call` gives, until its time is over or nobody wants it any more; its own signal fires then. */
async function within<T>(
  limit: number,
  why: string,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw new Error("Request was aborted");
  const { setTimeout, clearTimeout } = importNow("tau:node/timers.ts");
  const controller = new AbortController();
  const over = Promise.withResolvers<never>();
  const stop = (why: string) => {
    over.reject(new Error(why));
    controller.abort();
  };
  const abort = () => stop("Request was aborted");
  // A longer time is no limit to a timer, and one that is switched off is endless.
  const timer = limit < 2 ** 31 ? setTimeout(() => stop(why), limit) : undefined;
  try {
    signal?.addEventListener("abort", abort, { once: true });
    return await Promise.race([over.promise, call(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
