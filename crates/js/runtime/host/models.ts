// `ctx.modelRegistry`: the models and credentials of the session.
import { ops } from "tau:ops";
import { importNow } from "../internal/loader.ts";

const registries = new Map<number, any>();

export function modelRegistry(id: number): any {
  let registry = registries.get(id);
  if (!registry) registries.set(id, (registry = make(id)));
  return registry;
}

function make(id: number): any {
  const get = (name: string, ...args: any[]) => ops.modelsGet(id, name, args);
  const auth = async (model: any) => {
    const found = await ops.modelsAuth(id, model);
    return found?.ok ? { ok: true, apiKey: found.apiKey ?? undefined, headers: found.headers } : found;
  };
  const withAuth = async (model: any, options: any = {}) => {
    const found = await auth(model);
    if (found && !found.ok) throw new Error(found.error);
    return { apiKey: found?.apiKey, headers: { ...found?.headers, ...options.headers }, ...options };
  };
  const ai = () => importNow("tau:pi/ai.ts");
  return {
    getAll: () => get("all") ?? [],
    getAvailable: () => get("available") ?? [],
    find: (provider: string, model: string) => get("find", provider, model),
    hasConfiguredAuth: (model: any) => get("hasAuth", model?.provider ?? String(model)),
    isUsingOAuth: (model: any) => get("usesLogin", model?.provider ?? String(model)) ?? false,
    getApiKey: async (model: any) => (await auth(model))?.apiKey,
    getApiKeyForProvider: async (provider: string) => {
      const model = (get("all") ?? []).find((model: any) => model.provider === provider);
      return model && (await auth(model))?.apiKey;
    },
    getApiKeyAndHeaders: auth,
    getError: () => undefined,
    refresh: () => {},
    complete: async (model: any, context: any, options?: any) => ai().complete(model, context, await withAuth(model, options)),
    completeSimple: async (model: any, context: any, options?: any) =>
      ai().completeSimple(model, context, await withAuth(model, options)),
  };
}
