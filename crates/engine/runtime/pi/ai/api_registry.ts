// Wire formats by name: those of tau, and what extensions register.
import { NATIVE } from "./native_apis.ts";
import { normalizeContext } from "./transcript.ts";

type Entry = { provider: any; sourceId: string | undefined };

const registered = new Map<string, Entry>();

/** Adds a wire format, or replaces the one of that name. `sourceId` is for taking it back. */
export function registerApiProvider(provider: any, sourceId?: string): void {
  const { api } = provider;
  const checked = (name: "stream" | "streamSimple") => (model: any, context: any, options: any) => {
    if (model.api !== api) throw new Error(`Mismatched api: ${model.api} expected ${api}`);
    return provider[name](model, context, options);
  };
  registered.set(api, {
    provider: { api, stream: checked("stream"), streamSimple: checked("streamSimple") },
    sourceId,
  });
}

/** Takes back what was registered with that `sourceId`. */
export function unregisterApiProviders(sourceId: string): void {
  for (const [api, entry] of registered) if (entry.sourceId === sourceId) registered.delete(api);
}

/** The functions of a wire format; undefined when there is none of that name. */
export function getApiProvider(api: string): any {
  return registered.get(api)?.provider;
}

/** All wire formats. */
export function getApiProviders(): any[] {
  return [...registered.values()].map((entry) => entry.provider);
}

/** Adds tau's own wire formats where nobody registered one of that name. */
export function registerBuiltInApiProviders(): void {
  for (const [api, functions] of Object.entries(NATIVE)) {
    if (!registered.has(api)) registerApiProvider({ api, ...functions });
  }
}

/** Forgets all wire formats. */
export function clearApiProviders(): void {
  registered.clear();
}

/** Only tau's own wire formats remain. */
export function resetApiProviders(): void {
  clearApiProviders();
  registerBuiltInApiProviders();
}

registerBuiltInApiProviders();

function functionsFor(model: any): any {
  const provider = getApiProvider(model.api);
  if (!provider) throw new Error(`No API provider registered for api: ${model.api}`);
  return provider;
}

/** Streams an answer; options are those of the model's wire format. */
export function stream(model: any, context: any, options?: unknown): any {
  return functionsFor(model).stream(model, normalizeContext(context), options);
}

/** Streams an answer; options mean the same for every provider. */
export function streamSimple(model: unknown, context: unknown, options?: unknown): any {
  return functionsFor(model).streamSimple(model, normalizeContext(context), options);
}

/** The whole answer. */
export async function complete(model: unknown, context: unknown, options?: unknown): Promise<any> {
  return stream(model, context, options).result();
}

/** The whole answer; options mean the same for every provider. */
export async function completeSimple(model: unknown, context: unknown, options?: unknown): Promise<any> {
  return streamSimple(model, context, options).result();
}
