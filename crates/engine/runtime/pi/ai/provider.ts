// Whole providers, as extensions make and register them.
import { importNow } from "../../internal/loader.ts";
import { lazyStream } from "./event_stream.ts";
import { getModelType, isModelType } from "./known_models.ts";
import { ModelsError } from "./models_error.ts";
import { type Asked, type AuthContext, type Functions, type KeyAuth, MADE_OF, type Options } from "./shapes.ts";

/** Looks into the environment and at files, for providers that find their credential there. */
export function defaultProviderAuthContext(): AuthContext {
  return {
    env: async (name) => importNow("tau:node/process.ts").default.env[name],
    fileExists: async (path) => {
      const { existsSync } = importNow("tau:node/fs.ts");
      const { homedir } = importNow("tau:node/os.ts");
      return existsSync(path.replace(/^~(?=\/|$)/, homedir()));
    },
  };
}

/** A credential that is a key: the stored one, else the first of the variables that is set. */
export function envApiKeyAuth(name: string, variables: readonly string[]): KeyAuth {
  return {
    name,
    async login({ prompt, signal }) {
      signal.throwIfAborted();
      const key = await prompt({ type: "secret", message: name });
      signal.throwIfAborted();
      return { type: "api_key", key };
    },
    async resolve({ ctx, credential, signal }) {
      signal.throwIfAborted();
      if (credential?.key) return { auth: { apiKey: credential.key }, env: credential.env, source: "stored credential" };
      for (const variable of variables) {
        const key = await ctx.env(variable);
        if (key) return { auth: { apiKey: key }, source: variable };
      }
      return undefined;
    },
  };
}

type Called = (...args: unknown[]) => Promise<never>;
type Lazy = { load(): Promise<object>; name: string; isSubscription?: boolean; loginLabel?: string };

/** An OAuth login whose functions are loaded when the first is called. */
export function lazyOAuth({ load, ...rest }: Lazy) {
  let loaded: Promise<object> | undefined;
  const call = (name: string): Called => async (...args) =>
    ((await (loaded ??= load())) as Record<string, Called>)[name](...args);
  return { ...rest, login: call("login"), refresh: call("refresh"), toAuth: call("toAuth") };
}

type Parts = Record<string, Functions | undefined>;

/** What {@link createProvider} makes a provider of. */
type Input = {
  id: string;
  name?: string;
  baseUrl?: string;
  headers?: Record<string, string | null>;
  auth: object;
  models: readonly Asked[];
  api?: object;
  images?: object;
  classifiers?: object;
  fetchModels?(context: never): Promise<readonly Asked[]>;
  filterModels?: (...given: never[]) => unknown;
  filterAllModels?: (...given: never[]) => unknown;
};

type Refresh = {
  allowNetwork: boolean;
  signal: AbortSignal;
  publish(publication: { update?(): void; persist?: object }): Promise<boolean>;
};

/**
 * A provider of its parts: `api` has the functions of one wire format, or of several by their names; `images` and
 * `classifiers` have those of models that do not converse. What `fetchModels` gives is laid over `models`.
 */
export function createProvider(input: Input): never {
  const { id, api = {}, images = {}, classifiers = {}, models, fetchModels } = input;
  const single = typeof (api as Functions).stream === "function" ? (api as Functions) : undefined;
  const byName = single ? {} : (api as Parts);
  const some = (parts: object) => Object.values(parts).some((part) => part !== undefined);
  if (!single && !some(byName) && !some(images) && !some(classifiers)) {
    throw new Error(`Provider ${id}: at least one of "api", "images", or "classifiers" is required.`);
  }
  let fetched: readonly Asked[] = [];
  const key = (model: Asked) => `${getModelType(model)}:${model.id}`;
  const getAllModels = () => [...new Map([...models, ...fetched].map((model) => [key(model), model])).values()];
  const missing = (model: Asked) => `Provider ${id} has no API implementation for "${model.api}"`;
  const dispatch = (name: string) => (model: Asked, context: unknown, options: Options) => {
    const functions = single ?? byName[model.api];
    if (functions) return functions[name](model, context, options);
    return lazyStream(model, async () => {
      throw new ModelsError("stream", missing(model));
    });
  };
  const operation = (parts: object, name: string) => {
    if (!some(parts)) return undefined;
    return async (model: Asked, context: unknown, options: Options) => {
      const functions = (parts as Parts)[model.api];
      if (functions) return functions[name](model, context, options);
      throw new ModelsError("provider", missing(model));
    };
  };
  const refreshModels = fetchModels && (async (context: Refresh) => {
    if (!context.allowNetwork || context.signal.aborted) return;
    const list = await fetchModels(context as never);
    await context.publish({ update: () => void (fetched = list), persist: { models: list, checkedAt: Date.now() } });
  });
  const { name = id, baseUrl, headers, auth, filterModels, filterAllModels } = input;
  const provider = {
    id, name, baseUrl, headers, auth, filterModels, filterAllModels, getAllModels, refreshModels,
    getModels: () => getAllModels().filter((model) => isModelType(model, "chat")),
    stream: dispatch("stream"),
    streamSimple: dispatch("streamSimple"),
    generateImages: operation(images, "generateImages"),
    classify: operation(classifiers, "classify"),
  };
  // Callers that list the provider or copy it see nothing of this.
  Object.defineProperty(provider, MADE_OF, { value: Object.keys(input) });
  return provider as never;
}
