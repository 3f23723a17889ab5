// Telling from an answer that the conversation was too long for the model.

// How providers word it.
const WORDINGS = [
  /prompt (is )?too long|prompt too long; exceeded/i,
  /request_too_large|model_context_window_exceeded/i,
  /context[_ ]length[_ ]exceeded|context window exceeds limit|token limit exceeded|too many tokens/i,
  /exceeds the (context window|available context size|limit of \d+)/i,
  /exceeds (the )?(model'?s )?maximum context length/i,
  /exceeds (the )?maximum allowed input length of [\d,]+ tokens?/i,
  /exceeded model token limit/i,
  /input is too long for requested model/i,
  /input token count.*exceeds the maximum/i,
  /input \(\d+ tokens\) is longer than the model'?s context length/i,
  /(maximum prompt length|maximum context length) is \d+/i,
  /reduce the length of the messages/i,
  /greater than the context length/i,
  /too large for model with \d+ maximum context length/i,
  /prompt has [\d,]+ tokens?, but the configured context size is/i,
  /range of input length should be/i,
];

// A throttled request may speak of tokens too.
const OTHERWISE = /^(throttling error|service unavailable):|rate limit|too many requests/i;
const EMPTY_REFUSAL = /^4(00|13)\s*(status code)?\s*\(no body\)/i;

/** Whether an answer says, or shows by what it used, that the conversation does not fit. */
export function isContextOverflow(message: any, contextWindow?: number): boolean {
  const { stopReason, errorMessage, provider, usage } = message;
  if (stopReason === "error") {
    if (!errorMessage || OTHERWISE.test(errorMessage)) return false;
    const empty = provider === "cerebras" && EMPTY_REFUSAL.test(errorMessage);
    return empty || WORDINGS.some((wording) => wording.test(errorMessage));
  }
  if (!contextWindow) return false;
  const prompt = usage.input + usage.cacheRead;
  // Some servers cut the prompt silently, and some leave no room for an answer.
  if (stopReason === "stop") return prompt > contextWindow;
  return stopReason === "length" && usage.output === 0 && prompt >= contextWindow * 0.99;
}

/** Whether an answer ended before the length it was given. */
export function isRecoverableLength(message: any, desiredMaxOutput: number): boolean {
  return message.stopReason === "length" && desiredMaxOutput > 0 && message.usage.output < desiredMaxOutput;
}

/** The wordings that mean that a conversation does not fit. */
export function getOverflowPatterns(): RegExp[] {
  return [...WORDINGS];
}
