// The conversation as providers of extensions get it.
import { importNow } from "../internal/loader.ts";

/** A conversation, as far as it is looked at here. */
type Context = { systemPrompt?: string; tools?: never; messages?: object[] };

/** What to answer. Prompt and tools are fields for one generation of providers, the first message for the other. */
export function transcript(context: Context) {
  const head = importNow("tau:pi/ai/transcript.ts").createInitialSystemMessage(context.systemPrompt, context.tools);
  return head ? { ...context, messages: [head, ...(context.messages ?? [])] } : context;
}
