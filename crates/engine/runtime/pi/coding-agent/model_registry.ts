// A registry of models of an extension's own. That of the session is `ctx.modelRegistry`.
import { type Model, ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import type { Ask, Asked, Options } from "../ai/shapes.ts";
import { join } from "../../node/path/posix.ts";
import { AuthStorage } from "./auth_storage.ts";
import { getAgentDir } from "./config.ts";
import { readText } from "./locked_file.ts";

/** The built-in models with those of a `models.json`, and the credentials of an {@link AuthStorage}. */
export class ModelRegistry {
  readonly authStorage: AuthStorage;
  #path: string | undefined;
  #registry = 0;
  #errors: string[] = [];
  #registered = new Map<string, any>();

  constructor(
    authStorage: any = AuthStorage.create(),
    modelsJsonPath: string | undefined = join(getAgentDir(), "models.json"),
  ) {
    this.authStorage = authStorage;
    this.#path = modelsJsonPath;
    this.#load();
  }

  static create(authStorage?: any, modelsJsonPath?: string): ModelRegistry {
    return new ModelRegistry(authStorage, modelsJsonPath);
  }

  /** The built-in models only. */
  static inMemory(authStorage?: any): ModelRegistry {
    const registry = new ModelRegistry(authStorage);
    registry.#path = undefined;
    registry.#load();
    return registry;
  }

  #load(): void {
    if (this.#registry) ops.resourceClose(this.#registry);
    const models = this.#path === undefined ? undefined : readText(this.#path);
    const { rid, errors } = ops.piRegistry(models, JSON.stringify(this.authStorage?.getAll?.() ?? {}));
    this.#registry = rid;
    this.#errors = errors;
  }

  refresh(): void {
    this.#load();
  }

  getError(): string | undefined {
    return this.#errors.length ? this.#errors.join("\n") : undefined;
  }

  /** Models of every type. */
  #every(): Model[] {
    const own: Model[] = [...this.#registered].flatMap(([name, config]) =>
      config.models ? config.models.map(modelOf(name, config)) : [],
    );
    const replaced = new Set(own.map((model) => model.provider));
    return [
      ...ops.piRegistryModels(this.#registry, false).filter((model) => !replaced.has(model.provider)),
      ...own,
    ];
  }

  /** The models that converse. */
  getAll(): Model[] {
    return this.getModelsOfType("chat");
  }

  getAvailable(): Model[] {
    return this.#usable(this.getAll());
  }

  /** Those of the models whose provider has a credential. */
  #usable(models: Model[]): Model[] {
    const builtin = new Set(ops.piRegistryModels(this.#registry, true).map((model) => model.provider));
    return models.filter(
      ({ provider }) =>
        builtin.has(provider) || this.#registered.get(provider)?.apiKey || this.authStorage?.hasAuth?.(provider),
    );
  }

  getModelsOfType(type: string, provider?: string): Model[] {
    const { isModelType } = importNow("tau:pi/ai.ts");
    return this.#every().filter(
      (model) => isModelType(model, type) && (provider === undefined || model.provider === provider),
    );
  }

  getModelOfType(type: string, provider: string, modelId: string): Model | undefined {
    return this.getModelsOfType(type, provider).find(({ id }) => id === modelId);
  }

  findOfType(type: string, provider: string, modelId: string): Model | undefined {
    return this.getModelOfType(type, provider, modelId);
  }

  async getAvailableOfType(type: string, provider?: string): Promise<Model[]> {
    return this.#usable(this.getModelsOfType(type, provider));
  }

  find(provider: string, modelId: string): Model | undefined {
    return this.getAll().find((model) => model.provider === provider && model.id === modelId);
  }

  hasConfiguredAuth(model: any): boolean {
    return this.#usable(this.#every()).some(({ provider }) => provider === model.provider);
  }

  async getApiKeyAndHeaders(model: any): Promise<any> {
    const own = this.#registered.get(model.provider);
    if (own?.apiKey) return { ok: true, apiKey: ops.envGet(own.apiKey) ?? own.apiKey, headers: own.headers };
    const auth = await ops.piRegistryAuth(this.#registry, model);
    return auth.ok ? { ...auth, apiKey: auth.apiKey ?? undefined } : auth;
  }

  async getApiKey(model: any): Promise<string | undefined> {
    return (await this.getApiKeyAndHeaders(model)).apiKey;
  }

  async getApiKeyForProvider(provider: string): Promise<string | undefined> {
    return this.getApiKey({ id: "", provider });
  }

  isUsingOAuth(model: any): boolean {
    return this.authStorage?.get?.(model.provider)?.type === "oauth";
  }

  getProviderDisplayName(provider: string): string {
    return this.#registered.get(provider)?.name ?? provider;
  }

  registerProvider(name: string, config: any): void {
    this.#registered.set(name, config);
  }

  unregisterProvider(name: string): void {
    this.#registered.delete(name);
  }

  getRegisteredProviderConfig(name: string): any {
    return this.#registered.get(name);
  }

  getRegisteredProviderIds(): string[] {
    return [...this.#registered.keys()];
  }

  /** Asks a classifier; a failure is a result. */
  async classify(model: Asked, context: unknown, options?: Options): Promise<object> {
    return this.#oneAnswer("classifier", this.#registered.get(model.provider)?.classifiers?.[model.api]?.classify, model, context, options);
  }

  /** Makes images; a failure is a result. */
  async generateImages(model: Asked, context: unknown, options?: Options): Promise<object> {
    return this.#oneAnswer("image", this.#registered.get(model.provider)?.images?.[model.api]?.generateImages, model, context, options);
  }

  async #oneAnswer(type: string, own: Ask | undefined, model: Asked, context: unknown, options: Options = {}): Promise<object> {
    const { failedAnswer, knownFormat } = importNow("tau:pi/ai/one_answer.ts");
    try {
      const ask = own ?? knownFormat(type, model.api);
      if (!ask) throw new Error(`Nothing here speaks "${model.api}", which ${model.provider}/${model.id} needs for what it does.`);
      const auth = await this.getApiKeyAndHeaders(model);
      if (!auth.ok) throw new Error(auth.error);
      return await ask(model, context, { apiKey: auth.apiKey, headers: auth.headers, env: auth.env, ...options });
    } catch (error) {
      return failedAnswer(type, model, error, options.signal);
    }
  }

  /** Streams an answer, with the credential of the model's provider. */
  async complete(model: any, context: any, options: any = {}): Promise<any> {
    const auth = await this.getApiKeyAndHeaders(model);
    if (!auth.ok) throw new Error(auth.error);
    const { complete } = importNow("tau:pi/ai.ts");
    return complete(model, context, { apiKey: auth.apiKey, headers: auth.headers, env: auth.env, ...options });
  }
}

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function modelOf(provider: string, config: any): (model: any) => Model {
  return (model) => ({
    provider,
    api: config.api,
    baseUrl: config.baseUrl,
    reasoning: false,
    input: ["text"],
    contextWindow: 128_000,
    maxTokens: 16_384,
    ...model,
    name: model.name ?? model.id,
    cost: { ...FREE, ...model.cost },
  });
}

/** The models that patterns such as `anthropic/*` or `sonnet` mean, and what is wrong with those that mean none. */
export async function resolveModelScopeWithDiagnostics(patterns: string[], registry: any): Promise<any> {
  const available = registry.getAvailable();
  const scopedModels: any[] = [];
  const diagnostics: any[] = [];
  for (const pattern of patterns) {
    const [, wanted, level] = /^(.*?)(?::(off|minimal|low|medium|high|xhigh|max))?$/.exec(pattern) ?? [];
    const matches = matcher(wanted);
    const found = available.filter((model: any) => matches(`${model.provider}/${model.id}`) || matches(model.id));
    if (found.length === 0)
      diagnostics.push({ type: "warning", pattern, message: `No models match pattern "${pattern}"` });
    for (const model of found) {
      if (!scopedModels.some((one) => one.model === model)) scopedModels.push({ model, thinkingLevel: level });
    }
  }
  return { scopedModels, diagnostics };
}

function matcher(pattern: string): (text: string) => boolean {
  const wanted = pattern.toLowerCase();
  if (!/[*?]/.test(wanted)) return (text) => text.toLowerCase().includes(wanted);
  const glob = new RegExp(
    `^${wanted
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replace(/\*/g, ".*")
      .replace(/\?/g, ".")}$`,
  );
  return (text) => glob.test(text.toLowerCase());
}
