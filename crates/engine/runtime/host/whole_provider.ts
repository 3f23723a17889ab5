// Providers that extensions register as a whole: with their own models, credentials and streams.
import { importNow } from "../internal/loader.ts";
import type { Asked, Found, Options, WholeProvider } from "../pi/ai/shapes.ts";
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
    for await (const event of provider.streamSimple(asked.model, transcript(context), asked.options)) push(event);
  };
  return { data: { name, baseUrl, headers, models: models() }, stream, login: login(provider), models };
}

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
