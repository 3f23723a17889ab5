// What the modules of providers and of models that do not converse hand to each other.

/** Where a provider that `createProvider` made has the names of what it was made of. */
export const MADE_OF = Symbol("made of");

/** A model, as far as it is looked at here. */
export type Asked = { api: string; provider: string; id: string; type?: string; input?: string[] };

/** Options of a request. What is not named here belongs to the wire format. */
export type Options = {
  apiKey?: string;
  headers?: Record<string, string | null>;
  env?: Record<string, unknown>;
  temperature?: number;
  maxRetries?: number;
  timeoutMs?: number;
  maxRetryDelayMs?: number;
  signal?: AbortSignal;
  onPayload?(payload: unknown, model: Asked): unknown;
  onResponse?(head: unknown, model: Asked): unknown;
};

/** Asks a model that does not converse. */
export type Ask = (model: Asked, context: unknown, options?: Options) => Promise<object>;

/** Functions of one wire format by their names. */
export type Functions = Record<string, (model: Asked, context: unknown, options?: Options) => never>;

/** A credential that is a key. */
export type KeyCredential = { type: "api_key"; key?: string; env?: Record<string, string> };

/** What a provider authenticates with. */
export type Found = {
  auth: { apiKey?: string; headers?: Record<string, string>; baseUrl?: string };
  env?: Record<string, string>;
  source?: string;
};

/** Looks into the environment and at files. */
export type AuthContext = {
  env(name: string): Promise<string | undefined>;
  fileExists(path: string): Promise<boolean>;
};

/** How a provider makes a credential of a key. */
export type KeyAuth = {
  name: string;
  login(interaction: { prompt(question: object): Promise<string>; signal: AbortSignal }): Promise<KeyCredential>;
  resolve(input: { ctx: AuthContext; credential?: KeyCredential; signal: AbortSignal }): Promise<Found | undefined>;
};

/** A provider as a whole, as far as tau uses it. */
export type WholeProvider = {
  id: string;
  name?: string;
  baseUrl?: string;
  headers?: Record<string, string>;
  auth?: { apiKey?: Partial<KeyAuth>; oauth?: WholeLogin };
  getModels?(): Asked[];
  getAllModels?(): Asked[];
  refreshModels?(context: object): Promise<void>;
  streamSimple(model: Asked, context: unknown, options: Options): AsyncIterable<unknown>;
};

/** The login of such a provider. */
export type WholeLogin = {
  name?: string;
  login(interaction: object): Promise<object>;
  refresh(credential: object, signal: AbortSignal): Promise<object>;
  toAuth(credential: object): Promise<{ apiKey?: string }>;
};
