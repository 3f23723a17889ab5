// The wire formats that tau has itself.
import { ops } from "tau:ops";
import { openPort } from "../coding-agent/port.ts";
import { wantedRetention } from "./cache_warming.ts";
import { getEnvApiKey } from "./env_keys.ts";
import { AssistantMessageEventStream, failedMessage } from "./event_stream.ts";
import { getCurrentSystemMessage, normalizeContext } from "./transcript.ts";
import { getSystemMessageText } from "./content.ts";

/** Starts a request for a port; gives the number of the answer. */
type Open = (port: number, request: unknown) => number;

/** Starts a request over a wire format of tau, as `open` does it. Failures are events of the stream. */
export function request(open: Open, model: any, context: any, options: any): AssistantMessageEventStream {
  const stream = new AssistantMessageEventStream();
  run(stream, open, model, context, options).catch((error) =>
    stream.push({ type: "error", reason: "error", error: failedMessage(model, error) }),
  );
  return stream;
}

async function run(stream: any, open: Open, model: any, context: any, options: any): Promise<void> {
  const { signal, onPayload, onResponse, onProviderStreamEvent } = options;
  if (signal?.aborted) {
    const error = failedMessage(model, "Request was aborted", "aborted");
    return stream.push({ type: "error", reason: "aborted", error });
  }
  const port = openPort({
    payload: (payload) => onPayload(payload, model),
    response: (head) => onResponse(head, model),
    wire: (data) => onProviderStreamEvent(data, model),
  });
  const stop = () => ops.piPortCancel(port);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const answer = open(port, described(model, context, options));
    const message = new Growing();
    for (let events = await ops.piStreamNext(port, answer); events; events = await ops.piStreamNext(port, answer)) {
      for (const event of events) stream.push(message.seen(event));
    }
    ops.resourceClose(answer);
  } finally {
    signal?.removeEventListener("abort", stop);
    ops.resourceClose(port);
  }
}

const WELL_KNOWN = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Tokens to think with, by level; what is no such thing is left out. */
function budgets(given: any): any {
  const isBudget = ([level, tokens]: any) => WELL_KNOWN.includes(level) && Number.isSafeInteger(tokens) && tokens >= 0;
  return Object.fromEntries(Object.entries(given ?? {}).filter(isBudget));
}

/** What of an environment is text. */
function texts(env: any): any {
  return Object.fromEntries(Object.entries(env ?? {}).filter(([, value]) => typeof value === "string"));
}

function described(model: any, context: any, options: any): any {
  const { messages } = normalizeContext(context);
  const system = getCurrentSystemMessage(messages);
  const reasoning = options.reasoning ?? options.reasoningEffort ?? (options.thinkingEnabled ? "medium" : "off");
  const defined = context.systemPrompt !== undefined || system !== undefined;
  return {
    model,
    system: defined ? (system ? getSystemMessageText(system) : "") : undefined,
    messages: messages.filter((message: any) => message.role !== "system"),
    tools: (system?.toolsAdded ?? []).map(({ name, description, parameters, constrainedSampling }: any) => ({
      name,
      description,
      parameters,
      constrained_sampling: constrainedSampling || undefined,
    })),
    options: {
      apiKey: options.apiKey,
      headers: options.headers ?? {},
      reasoning: WELL_KNOWN.includes(reasoning) ? reasoning : "off",
      thinkingBudgets: budgets(options.thinkingBudgets),
      maxTokens: options.maxTokens,
      temperature: options.temperature,
      sessionId: options.sessionId,
      cacheRetention: wantedRetention(options),
      maxRetries: options.maxRetries,
      disableContinuation: options.disableContinuation === true,
      env: texts(options.env),
      onPayload: typeof options.onPayload === "function",
      onResponse: typeof options.onResponse === "function",
      onProviderStreamEvent: typeof options.onProviderStreamEvent === "function",
    },
  };
}

/** The message so far, as events build it. Each event has its own, because blocks are replaced and not changed. */
class Growing {
  #head: any;
  #blocks: any[] = [];

  seen(event: any): any {
    const { type, contentIndex: index, block, ...rest } = event;
    if (type === "done" || type === "error") return event;
    if (type === "start") this.#head = event.partial;
    else if (block) this.#blocks[index] = block;
    else {
      const before = this.#blocks[index];
      const field = before.type === "thinking" ? "thinking" : "text";
      this.#blocks[index] = { ...before, [field]: before[field] + event.delta };
    }
    const partial = { ...this.#head, content: [...this.#blocks] };
    if (type === "start") return { type, partial };
    const call = type === "toolcall_end" ? { toolCall: block } : undefined;
    return { type, contentIndex: index, ...rest, ...call, partial };
  }
}

const AUTHORIZES = /^(authorization|x-api-key|x-goog-api-key|cf-aig-authorization)$/i;

/** Formats that find a login of the machine when there is no key. */
const WITHOUT_KEY = ["bedrock-converse-stream", "google-vertex"];

function withKey(model: any, options: any = {}): any {
  const apiKey = options.apiKey || getEnvApiKey(model.provider, options.env);
  return apiKey ? { ...options, apiKey } : options;
}

function named(api: string): any {
  const open: Open = (port, request) => ops.piStreamOpen(port, api, request);
  return {
    stream: (model: any, context: any, options?: any) => request(open, model, context, withKey(model, options)),
    streamSimple: (model: any, context: any, options?: any) => {
      const full = withKey(model, options);
      const authorized = full.apiKey || WITHOUT_KEY.includes(api) || Object.keys(full.headers ?? {}).some((name) => AUTHORIZES.test(name));
      if (!authorized) throw new Error(`No API key for provider: ${model.provider}`);
      return request(open, model, context, full);
    },
  };
}

/** The wire formats that tau has, by name. */
export const NATIVE: Record<string, any> = {
  "anthropic-messages": named("anthropic-messages"),
  "openai-completions": named("openai-completions"),
  "google-generative-ai": named("google-generative-ai"),
  "google-vertex": named("google-vertex"),
  "openai-responses": named("openai-responses"),
  "openai-codex-responses": named("openai-codex-responses"),
  "azure-openai-responses": named("azure-openai-responses"),
  "mistral-conversations": named("mistral-conversations"),
  "bedrock-converse-stream": named("bedrock-converse-stream"),
};

/** The functions of the Anthropic Messages format. */
export const anthropicMessagesApi = () => NATIVE["anthropic-messages"];
/** The functions of the OpenAI Chat Completions format. */
export const openAICompletionsApi = () => NATIVE["openai-completions"];
/** Streams over the Anthropic Messages format. */
export const streamAnthropic = anthropicMessagesApi().stream;
/** {@link streamAnthropic} with options that mean the same for every provider. */
export const streamSimpleAnthropic = anthropicMessagesApi().streamSimple;
/** Streams over the OpenAI Chat Completions format. */
export const streamOpenAICompletions = openAICompletionsApi().stream;
/** {@link streamOpenAICompletions} with options that mean the same for every provider. */
export const streamSimpleOpenAICompletions = openAICompletionsApi().streamSimple;
/** The functions of the format of Google's Gemini API. */
export const googleGenerativeAIApi = () => NATIVE["google-generative-ai"];
/** The functions of the format of Google's Vertex AI. */
export const googleVertexApi = () => NATIVE["google-vertex"];
/** Streams over the format of Google's Gemini API. */
export const streamGoogle = googleGenerativeAIApi().stream;
/** {@link streamGoogle} with options that mean the same for every provider. */
export const streamSimpleGoogle = googleGenerativeAIApi().streamSimple;
/** Streams over the format of Google's Vertex AI. */
export const streamGoogleVertex = googleVertexApi().stream;
/** {@link streamGoogleVertex} with options that mean the same for every provider. */
export const streamSimpleGoogleVertex = googleVertexApi().streamSimple;
/** The functions of the OpenAI Responses format. */
export const openAIResponsesApi = () => NATIVE["openai-responses"];
/** The functions of the Responses format for plans of ChatGPT. */
export const openAICodexResponsesApi = () => NATIVE["openai-codex-responses"];
/** The functions of the Responses format at Microsoft. */
export const azureOpenAIResponsesApi = () => NATIVE["azure-openai-responses"];
/** Streams over the OpenAI Responses format. */
export const streamOpenAIResponses = openAIResponsesApi().stream;
/** {@link streamOpenAIResponses} with options that mean the same for every provider. */
export const streamSimpleOpenAIResponses = openAIResponsesApi().streamSimple;
/** Streams over the Responses format for plans of ChatGPT. */
export const streamOpenAICodexResponses = openAICodexResponsesApi().stream;
/** {@link streamOpenAICodexResponses} with options that mean the same for every provider. */
export const streamSimpleOpenAICodexResponses = openAICodexResponsesApi().streamSimple;
/** Streams over the Responses format at Microsoft. */
export const streamAzureOpenAIResponses = azureOpenAIResponsesApi().stream;
/** {@link streamAzureOpenAIResponses} with options that mean the same for every provider. */
export const streamSimpleAzureOpenAIResponses = azureOpenAIResponsesApi().streamSimple;
/** The functions of Mistral's format. */
export const mistralConversationsApi = () => NATIVE["mistral-conversations"];
/** The functions of the format of Amazon Bedrock. */
export const bedrockConverseStreamApi = () => NATIVE["bedrock-converse-stream"];
/** The same as a module of pi has them. */
export const bedrockProviderModule = {
  stream: bedrockConverseStreamApi().stream,
  streamSimple: bedrockConverseStreamApi().streamSimple,
};
/** Streams over Mistral's format. */
export const streamMistral = mistralConversationsApi().stream;
/** {@link streamMistral} with options that mean the same for every provider. */
export const streamSimpleMistral = mistralConversationsApi().streamSimple;
