// Asking a model again after a failure that may pass.

/** The longest pause between two attempts, unless a policy says otherwise. */
export const DEFAULT_MAX_AGENT_RETRY_DELAY_MS = 60_000;

// Waiting does not help when there is nothing left to spend.
const EXHAUSTED = new RegExp(
  `GoUsageLimitError|FreeUsageLimitError|Monthly usage limit reached|available balance|insufficient_quota
  |out of budget|quota exceeded|billing`.replace(/\s*\n\s*/g, ""),
  "i",
);

const PASSING = new RegExp(
  `overloaded|high demand|rate.?limit|too many requests|429|500|502|503|504|520|524|service.?unavailable|server.?error
  |internal.?error|provider.?returned.?error|exceeded request buffer limit|network.?error|connection.?error
  |connection.?refused|connection.?lost|other side closed|fetch failed|getaddrinfo|ENOTFOUND|EAI_AGAIN|upstream.?connect
  |reset before headers|socket hang up|socket connection was closed|timed? out|timeout|terminated|websocket.?closed
  |websocket.?error|ended without|stream ended before|http2 request did not get a response|retry delay
  |retry your request|try your request again|ResourceExhausted`.replace(/\s*\n\s*/g, ""),
  "i",
);

/** Whether asking again may help. */
export function isRetryableAssistantError({ stopReason, errorMessage }: any): boolean {
  return stopReason === "error" && Boolean(errorMessage) && !EXHAUSTED.test(errorMessage) && PASSING.test(errorMessage);
}

/** The pause before an attempt, doubled each time. */
export function retryDelayMs(policy: any, attempt: number): number {
  const delay = policy.baseDelayMs * 2 ** Math.max(0, attempt - 1);
  return Math.min(delay, policy.maxAgentDelayMs ?? DEFAULT_MAX_AGENT_RETRY_DELAY_MS);
}

/** Asks until there is an answer, as often as the policy allows; gives the last answer whatever it is. */
export async function retryAssistantCall(
  produce: () => Promise<any>,
  policy: any,
  signal?: AbortSignal,
  callbacks: any = {},
): Promise<any> {
  const most = policy?.enabled ? policy.maxRetries : 0;
  for (let attempt = 0; ;) {
    const answer = await produce();
    const failed = answer.stopReason === "error";
    if (!failed || attempt >= most || !isRetryableAssistantError(answer)) {
      const good = !failed && answer.stopReason !== "aborted";
      if (attempt > 0) await callbacks.onRetryFinished?.(good, attempt, ...(failed ? [answer.errorMessage] : []));
      return answer;
    }
    attempt++;
    const delay = retryDelayMs(policy, attempt);
    await callbacks.onRetryScheduled?.(attempt, most, delay, answer.errorMessage);
    if (!(await pause(delay, signal))) {
      await callbacks.onRetryFinished?.(false, attempt, answer.errorMessage);
      const { errorMessage: _, ...rest } = answer;
      return { ...rest, stopReason: "aborted" };
    }
    await callbacks.onRetryAttemptStart?.();
  }
}

/** Waits; false when the signal fired. */
function pause(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((done) => {
    const timer = setTimeout(() => finish(true), ms);
    const stop = () => finish(false);
    const finish = (waited: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      done(waited);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** The milliseconds that an error's text asks to wait; undefined when it does not say. */
export function extractRetryDelay(errorText: string, headers?: any): number | undefined {
  const header = headers?.get?.("retry-after");
  if (header && Number.isFinite(Number(header))) return Math.ceil(Number(header) * 1000) + 1000;
  const match =
    /(?:reset after|retry in|retryDelay":\s*")\s*(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?/i.exec(
      errorText,
    );
  if (!match) return undefined;
  const [, hours = 0, minutes = 0, amount = 0, unit = "s"] = match;
  const seconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(amount) / (unit === "ms" ? 1000 : 1);
  return seconds > 0 ? Math.ceil(seconds * 1000) + 1000 : undefined;
}
