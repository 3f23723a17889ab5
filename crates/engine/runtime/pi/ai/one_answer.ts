// Models that do not converse: one request, one answer. Failures are results too.
import { ops } from "tau:ops";
import { answered } from "../coding-agent/port.ts";
import { getEnvApiKey } from "./env_keys.ts";
import type { Ask, Asked, Options } from "./shapes.ts";

/** What a result has when there is no answer. */
const EMPTY: Record<string, object> = { classifier: { answers: {} }, image: { output: [] } };

/** Sends a request for a port. */
type Send = (port: number, request: unknown) => Promise<object>;

/** The result of a request that failed. */
export function failedAnswer(type: string, model: Asked | undefined, error: unknown, signal?: AbortSignal): object {
  const { api, provider, id } = model ?? {};
  const stopReason = signal?.aborted ? "aborted" : "error";
  const errorMessage = error instanceof Error ? error.message : String(error);
  return { api, provider, model: id, ...EMPTY[type], stopReason, errorMessage, timestamp: Date.now() };
}

/** Asks over a wire format of tau, as `send` does it. */
export async function oneAnswer(
  type: string,
  send: Send,
  model: Asked,
  context: unknown,
  options: Options = {},
): Promise<object> {
  const { signal, onPayload, onResponse } = options;
  const handlers = {
    payload: (payload: unknown) => onPayload?.(payload, model),
    response: (head: unknown) => onResponse?.(head, model),
  };
  try {
    if (signal?.aborted) throw new Error("Request was aborted");
    return await answered(handlers, signal, (port) => send(port, { model, context, options: described(options) }));
  } catch (error) {
    return failedAnswer(type, model, error, signal);
  }
}

const whole = (value: number | undefined) => (Number.isSafeInteger(value) && Number(value) >= 0 ? value : undefined);

function described(options: Options): object {
  const texts = Object.entries(options.env ?? {}).filter(([, value]) => typeof value === "string");
  return {
    apiKey: options.apiKey,
    headers: options.headers ?? {},
    env: Object.fromEntries(texts),
    temperature: options.temperature,
    maxRetries: whole(options.maxRetries),
    timeoutMs: whole(options.timeoutMs),
    maxRetryDelayMs: whole(options.maxRetryDelayMs),
    onPayload: typeof options.onPayload === "function",
    onResponse: typeof options.onResponse === "function",
  };
}

function named(type: string, api: string): Ask {
  return (model, context, options = {}) => {
    const apiKey = options.apiKey || getEnvApiKey(model.provider, options.env as Record<string, string>);
    const send: Send = (port, request) => ops.piOneAnswer(port, type, api, request);
    return oneAnswer(type, send, model, context, apiKey ? { ...options, apiKey } : options);
  };
}

/** The functions of a format of models that make images. */
type ImagesProvider = { api: string; generateImages: Ask };
/** The same as extensions give them. */
type GivenProvider = { api: string; generateImages(model: never, context: never, options?: never): Promise<object> };

/** These formats by name: tau's own, and what extensions register. */
const images = new Map<string, ImagesProvider>();

/** Adds a format, or replaces the one of that name. */
export function registerImagesApiProvider(provider: GivenProvider, _sourceId?: string): void {
  const { api } = provider;
  const generateImages: Ask = (model, context, options) => {
    if (model.api !== api) throw new Error(`Mismatched api: ${model.api} expected ${api}`);
    return provider.generateImages(model as never, context as never, options as never);
  };
  images.set(api, { api, generateImages });
}

/** The functions of a format; undefined when there is none of that name. */
export function getImagesApiProvider(api: string): never | undefined {
  return images.get(api) as never;
}

const openRouter = named("image", "openrouter-images");
/** Asks OpenRouter for images. */
export const generateImagesOpenRouter = openRouter as (...asked: Parameters<Ask>) => Promise<never>;

/** Adds tau's own formats. */
export function registerBuiltInImagesApiProviders(): void {
  registerImagesApiProvider({ api: "openrouter-images", generateImages: openRouter });
}

registerBuiltInImagesApiProviders();

/** Makes images, in the format of the model. */
export async function generateImages(model: Asked, context: unknown, options?: Options): Promise<never> {
  const provider = images.get(model.api);
  if (!provider) throw new Error(`No API provider registered for api: ${model.api}`);
  return (await provider.generateImages(model, context, options)) as never;
}

/** How tau itself asks models of a type, by the names of the formats. */
export function knownFormat(type: string, api: string): Ask | undefined {
  if (type === "image") return images.get(api)?.generateImages;
  const classifiers = ["typesafe-system-one", "cloudflare-workers-ai-system-one", "openai-decisions", "llama-cpp-classify"];
  return classifiers.includes(api) ? named(type, api) : undefined;
}
