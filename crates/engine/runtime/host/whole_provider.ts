// Providers that extensions register as a whole: with their own models, credentials and streams.
import { ops } from "tau:ops";
import { importNow } from "../internal/loader.ts";
import { type Asked, type Found, MADE_OF, type Options, type WholeProvider } from "../pi/ai/shapes.ts";
import { transcript } from "./transcript.ts";

type Push = (event: unknown) => void;
type Callbacks = Record<string, (asked?: object) => Promise<string>> & { signal: AbortSignal };
type Question = { type: string; message: string; placeholder?: string; options?: object };
type Notice = { type: string; url?: string; instructions?: string; message?: string };

/** What tau has of such a provider: its configuration as data, and functions. */
export function wholeProvider(provider: WholeProvider) {
  const { name = provider.id, baseUrl, headers } = provider;
  // Whose they are is known.
  const entry = ({ provider: _, ...model }: Asked) => model;
  const models = () => (provider.getAllModels?.() ?? provider.getModels?.() ?? []).map(entry);
  const stream = async (model: Asked, context: object, options: Options, push: Push) => {
    const asked = await authorized(provider, model, options);
    // Nobody else knows the key that it found itself.
    const answer = () => provider.streamSimple(asked.model, transcript(context), asked.options);
    for await (const event of hiding(answer, asked.options)) push(event);
  };
  const data = { name, baseUrl, headers, models: models(), whole: membersOf(provider) };
  return { data, stream, login: login(provider), models };
}

/** The names of what a provider has, and of what it was made of: one that nothing reads may be misspelt. */
function membersOf(provider: WholeProvider) {
  const { auth } = provider;
  const inside = { "auth.": auth, "auth.apiKey.": auth?.apiKey, "auth.oauth.": auth?.oauth };
  const deeper = Object.entries(inside).flatMap(([place, part]) => names(part).map((name) => place + name));
  return { members: [...names(provider), ...deeper], made: (provider as { [MADE_OF]?: string[] })[MADE_OF] ?? [] };
}

/** The names of an object and of its classes. No code of theirs runs. */
function names(object: object | undefined): string[] {
  const found = new Set<string>();
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) found.add(name);
  }
  return [...found];
}

/** An event of a stream, as far as it is looked at here. */
type Ending = { type?: string; message?: object; error?: object };

/** The events of the stream that `ask` gives. Beside the answer they do not quote key, headers and settings of `options`. */
export async function* hiding(ask: () => AsyncIterable<unknown>, options: Options): AsyncGenerator<unknown> {
  const { apiKey, headers, env } = options;
  const secret = { apiKey, headers, env };
  try {
    for await (const event of await ask()) yield withoutSecrets(event as Ending, secret);
  } catch (error) {
    throw new Error(ops.modelsHide(wordsOf(error), secret));
  }
}

/** An event that ends a stream, with a message whose words beside its content do not quote these options. */
function withoutSecrets(event: Ending, secret: object): Ending {
  const name = event?.type === "done" ? "message" : event?.type === "error" ? "error" : undefined;
  const message = name && event[name];
  if (!name || !message || typeof message !== "object") return event;
  const { content, ...rest } = message as { content?: unknown };
  return { ...event, [name]: { ...ops.modelsHide(rest, secret), content } };
}

/** What an error says. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const never = () => new AbortController().signal;

/** Options with the credential that the provider makes of what is known, and the address that goes with it. */
export async function authorized(provider: WholeProvider, model: Asked, options: Options = {}) {
  const found = await resolved(provider, options.apiKey, options.env, options.signal);
  if (!found) return { model, options };
  const { apiKey = options.apiKey, headers, baseUrl } = found.auth;
  const all = { ...options, apiKey, headers: { ...headers, ...options.headers }, env: { ...found.env, ...options.env } };
  return { model: baseUrl ? { ...model, baseUrl } : model, options: all };
}

/** What the provider authenticates with: a key that tau has, or what it finds itself. */
export async function resolved(
  provider: WholeProvider,
  key: string | undefined,
  env: Options["env"],
  signal: AbortSignal = never(),
): Promise<Found | undefined> {
  const ctx = importNow("tau:pi/ai/provider.ts").defaultProviderAuthContext();
  const credential = key ? { type: "api_key" as const, key, env: env as Record<string, string> } : undefined;
  return provider.auth?.apiKey?.resolve?.({ ctx, credential, signal });
}

/** The login of the provider in the form of one that is registered by name. */
function login({ id, auth }: WholeProvider) {
  const oauth = auth?.oauth;
  if (!oauth) return undefined;
  return {
    name: oauth.name ?? id,
    login: (callbacks: Callbacks) => oauth.login(interaction(callbacks)),
    refreshToken: (stored: object, signal: AbortSignal) => oauth.refresh({ type: "oauth", ...stored }, signal),
    getApiKey: async (stored: object) => (await oauth.toAuth({ type: "oauth", ...stored })).apiKey,
  };
}

/** How such a login talks to the user. */
function interaction({ onAuth, onDeviceCode, onProgress, onPrompt, onManualCodeInput, onSelect, signal }: Callbacks) {
  return {
    signal,
    async prompt({ type, message, placeholder, options }: Question) {
      if (type === "select") return onSelect({ message, options });
      return type === "manual_code" ? onManualCodeInput() : onPrompt({ message, placeholder });
    },
    notify(event: Notice) {
      if (event.type === "auth_url") void onAuth({ url: event.url, instructions: event.instructions });
      else if (event.type === "device_code") void onDeviceCode(event);
      else void onProgress(event.message as never);
    },
  };
}
