// `ctx.modelRegistry`: the models and credentials of the session.
import { type ModelAuth, ops } from "tau:ops";
import { importNow } from "../internal/loader.ts";
import { withToken } from "./calls.ts";
import { transcript } from "./transcript.ts";
import { registerProvider, registeredProviders, unregisterProvider } from "./providers.ts";
import { ownAnswer } from "./own_answer.ts";
import { authorized, hiding } from "./whole_provider.ts";
import { registerVirtualModel, unregisterVirtualModel, VIRTUAL_API } from "./routing.ts";

/** The credentials of a model as extensions see them. */
type ShownAuth =
  | Extract<ModelAuth, { ok: false }>
  | { ok: true; apiKey: string | undefined; headers: Record<string, string>; env?: Record<string, string> };

const registries = new Map<number, any>();

export function modelRegistry(id: number): any {
  let registry = registries.get(id);
  if (!registry) registries.set(id, (registry = make(id)));
  return registry;
}

function make(id: number): any {
  const auth = async (model: any): Promise<ShownAuth> => {
    const found = await ops.modelsAuth(id, model);
    if (!found.ok) return found;
    const { headers, env } = found;
    return { ok: true, apiKey: found.apiKey ?? undefined, headers, env };
  };
  const withAuth = async (model: any, options: any = {}) => {
    const found = await auth(model);
    if (!found.ok) throw new Error(found.error);
    const [headers, env] = [{ ...found.headers, ...options.headers }, { ...found.env, ...options.env }];
    return { apiKey: found.apiKey, ...options, headers, env };
  };
  const ai = () => importNow("tau:pi/ai.ts");
  const own = () => importNow("tau:pi/coding-agent/auth_storage.ts");
  const modelsOf = (provider: string) => (ops.modelsAll(id) ?? []).filter((model) => model.provider === provider);
  const authOf = async (provider: string) => {
    const [model] = modelsOf(provider);
    return model && (await auth(model));
  };
  const configOf = (provider: string) => registeredProviders().get(provider);
  const ofType = (type: string, provider?: string) => {
    const models = ops.modelsOfType(id, String(type)) ?? [];
    return provider === undefined ? models : models.filter((model) => model.provider === provider);
  };
  const oneOfType = (type: string, provider: string, model: string) =>
    ofType(type, provider).find(({ id }) => id === model);
  /** The physical model that answers for a virtual one, with the options for it. */
  const routed = async (model: any, context: any, options: any = {}) => {
    const messages = context?.messages ?? [];
    const level = options.reasoning ?? "off";
    const { model: physical, thinkingLevel } = await withToken(options.signal, (token) =>
      ops.modelsRoute(id, model, messages, level, token),
    );
    const limit = physical.maxTokens || Infinity;
    const maxTokens = options.maxTokens === undefined ? {} : { maxTokens: Math.min(options.maxTokens, limit) };
    const reasoning = thinkingLevel === "off" ? undefined : thinkingLevel;
    return { model: physical, options: { ...options, ...maxTokens, reasoning } };
  };
  /** What a model of another type does, by the functions of its provider; failures are results too. */
  const operation = (type: string, part: string, name: string) => async (model: any, context: any, options?: any) => {
    const { failedAnswer, oneAnswer } = importNow("tau:pi/ai/one_answer.ts");
    try {
      const found = `${model?.provider}/${model?.id}`;
      if (!ai().isModelType(model, type)) {
        throw new Error(`Model ${found} is not ${type === "image" ? "an image" : `a ${type}`} model`);
      }
      if (context?.images?.length && !model.input?.includes("image")) {
        throw new Error(`Model ${found} does not accept image input`);
      }
      const all = await withAuth(model, options);
      const registered = configOf(model.provider);
      const of = { type, name, questions: context?.questions };
      if (registered?.native && typeof registered.config[name] === "function") {
        const asked = await authorized(registered.config, model, all);
        return await ownAnswer(registered.owner, of, registered.config, asked.model, context, asked.options);
      }
      const own = registered?.config[part]?.[model.api];
      if (registered && typeof own?.[name] === "function") {
        return await ownAnswer(registered.owner, of, own, model, context, all);
      }
      const send = (port: number, request: unknown) => ops.modelsOneAnswer(id, port, type, request);
      return await oneAnswer(type, send, model, context, all);
    } catch (error: any) {
      return failedAnswer(type, model, error, options?.signal);
    }
  };
  const streaming = (name: string) => (asked: any, context: any, given?: any) =>
    ai().lazyStream(asked, async () => {
      const isVirtual = asked.api === VIRTUAL_API;
      const { model, options } = isVirtual ? await routed(asked, context, given) : { model: asked, options: given };
      const all = await withAuth(model, options);
      const own = configOf(model.provider)?.config;
      // A wire format that an extension speaks.
      if (own?.streamSimple && (own.api === model.api || configOf(model.provider)?.native)) {
        const asked = own.auth ? await authorized(own, model, all) : { model, options: all };
        const answer = () => own.streamSimple(asked.model, transcript(context), asked.options);
        return hiding(answer, asked.options ?? {});
      }
      // One of the session that is in no package, such as that of a script.
      if (!importNow("tau:pi/ai/api_registry.ts").getApiProvider(model.api) && ops.modelsSpeaks(id, model)) {
        const { request } = importNow("tau:pi/ai/native_apis.ts");
        return request((port, asks) => ops.modelsStreamOpen(id, port, model, asks), model, context, all);
      }
      return (ai() as any)[name](model, context, all);
    });
  const completing = (name: string) => {
    const stream = streaming(name);
    return async (model: any, context: any, options?: any) => stream(model, context, options).result();
  };
  const nameOf = (provider: string) => configOf(provider)?.config?.name ?? provider;
  let storage: any;
  return {
    getAll: () => ops.modelsAll(id) ?? [],
    getAvailable: () => ops.modelsAvailable(id) ?? [],
    getModelsOfType: ofType,
    getModelOfType: oneOfType,
    findOfType: oneOfType,
    getAvailableOfType: async (type: string, provider?: string) =>
      ofType(type, provider).filter((model) => ops.modelsHasAuth(id, model.provider)),
    classify: operation("classifier", "classifiers", "classify"),
    generateImages: operation("image", "images", "generateImages"),
    registerVirtualModel: (definition: any) => registerVirtualModel(id, definition),
    unregisterVirtualModel: (provider: string, model: string) => unregisterVirtualModel(id, provider, model),
    find: (provider: string, model: string) => ops.modelsFind(id, provider, model),
    hasConfiguredAuth: (model: any) => ops.modelsHasAuth(id, model?.provider ?? String(model)),
    isUsingOAuth: (model: any) => ops.modelsUsesLogin(id, model?.provider ?? String(model)) ?? false,
    getApiKey: async (model: any) => (await auth(model)).apiKey,
    getApiKeyForProvider: async (provider: string) => (await authOf(provider))?.apiKey,
    getApiKeyAndHeaders: auth,
    getProviderAuth: async (provider: string) => {
      const found = await authOf(provider);
      if (!found?.ok) return undefined;
      const result = { auth: { apiKey: found.apiKey, headers: found.headers } };
      return found.env ? { ...result, env: found.env } : result;
    },
    getProviderAuthStatus: (provider: string) => ops.modelsAuthStatus(id, provider) ?? { configured: false },
    getProviderDisplayName: nameOf,
    getProvider: (provider: string) => {
      const registered = configOf(provider);
      if (registered?.native) return registered.config;
      const models = modelsOf(provider);
      if (!registered && models.length === 0) return undefined;
      return {
        id: provider,
        name: nameOf(provider),
        baseUrl: registered?.config.baseUrl ?? models[0]?.baseUrl,
        getModels: () => modelsOf(provider),
        stream: streaming("stream"),
        streamSimple: streaming("streamSimple"),
      };
    },
    registerProvider: (nameOrProvider: any, config?: any) => registerProvider(id, nameOrProvider, config),
    unregisterProvider: (name: string) => unregisterProvider(id, String(name)),
    getRegisteredProviderIds: () => [...registeredProviders().keys()],
    getRegisteredProviderConfig: (name: string) => {
      const registered = configOf(name);
      return registered?.native ? undefined : registered?.config;
    },
    getRegisteredNativeProvider: (name: string) => {
      const registered = configOf(name);
      return registered?.native ? registered.config : undefined;
    },
    getError: () => ops.modelsErrors(id)?.join("\n") || undefined,
    /** Reads the user's `models.json` again, and asks providers for their models. */
    refresh: async ({ providers, signal }: any = {}) => {
      if (signal?.aborted) return { aborted: true, errors: new Map() };
      const { readText } = importNow("tau:pi/coding-agent/locked_file.ts");
      const { getAgentDir } = importNow("tau:pi/coding-agent/config.ts");
      ops.modelsLoad(id, readText(`${getAgentDir()}/models.json`) ?? "{}");
      const failed = await withToken(signal, (token) => ops.modelsRefresh(id, providers, token));
      const errors = new Map(failed.map(([provider, message]) => [provider, new Error(message)]));
      return { aborted: signal?.aborted ?? false, errors };
    },
    /** The credentials on disk, as the first generation shows them. */
    get authStorage() {
      return (storage ??= own().AuthStorage.create());
    },
    stream: streaming("stream"),
    streamSimple: streaming("streamSimple"),
    complete: completing("stream"),
    completeSimple: completing("streamSimple"),
  };
}
