// Model providers of extensions: the data of their configuration, and their functions apart from it.
import { ops } from "tau:ops";
import type { keep } from "./calls.ts";
import type { KeyCredential, WholeProvider } from "../pi/ai/shapes.ts";
import { transcript } from "./transcript.ts";
import { resolved, wholeProvider, wordsOf } from "./whole_provider.ts";

/** A function that Rust calls. */
type Kept = Parameters<typeof keep>[0];

/** What tau has of a provider: its configuration as data, and functions, as far as the provider has them. */
export type ProviderParts = {
  data: object;
  /** Streams an answer. */
  stream?: Kept;
  /** Logs in. */
  oauth?: any;
  /** Says which models there are now. */
  models?: Kept;
};

/** The parts of a provider that is registered by name. */
export function providerFunctions(name: string, config: any): ProviderParts {
  if (!config || typeof config !== "object") throw new Error(`Provider ${name}: a configuration is needed`);
  const { streamSimple, oauth, refreshModels } = config;
  for (const part of ["streamSimple", "refreshModels"]) {
    if (config[part] !== undefined && typeof config[part] !== "function") {
      throw new Error(`Provider ${name}: "${part}" must be a function.`);
    }
  }
  checkCount(name, config.models);
  if (streamSimple && !config.api) throw new Error(`Provider ${name}: "api" is required when registering streamSimple.`);
  // What stays here is called from here.
  const { streamSimple: _, oauth: __, images: ___, classifiers: ____, refreshModels: _____, ...rest } = config;
  // A function under another name is noted all the same: its name may be misspelt.
  const shown = ([key, value]: [string, unknown]): [string, unknown] => [key, typeof value === "function" || value];
  const data = Object.fromEntries(Object.entries<unknown>(rest).map(shown));
  const stream =
    streamSimple &&
    (async (model: any, context: any, options: any, push: (event: any) => void) => {
      const answer = await streamSimple(model, transcript(context), options);
      if (!isStream(answer)) throw new Error("it gave no stream of events");
      for await (const event of answer) push(event);
    });
  const models =
    refreshModels &&
    (async (asked: AskedNow, signal: AbortSignal) => {
      const list = await refreshModels(refreshContext(asked, signal));
      if (list === undefined) return undefined;
      if (!Array.isArray(list)) throw new Error("refreshModels gave no list of models");
      checkCount(name, list);
      return { models: list };
    });
  return { data, stream, oauth: oauth ? loginFunctions(name, oauth) : undefined, models };
}

/** Whether `for await` can read a value. */
const isStream = (value: { [Symbol.asyncIterator]?: unknown; [Symbol.iterator]?: unknown } | null | undefined) =>
  typeof value?.[Symbol.asyncIterator] === "function" || typeof value?.[Symbol.iterator] === "function";

/** Refuses lists that are too long, before anything is made of them. */
function checkCount(name: string, models: unknown): void {
  const most = ops.extMostModels();
  if (Array.isArray(models) && models.length > most) {
    throw new Error(`Provider ${name}: ${models.length} models are too many; leave out all but ${most} of them`);
  }
}

/** The parts of a provider that is registered as a whole, and knows its name. */
export function wholeFunctions(provider: WholeProvider): ProviderParts {
  const { data, stream, login, models: list } = wholeProvider(provider);
  const models = () => {
    const all = list();
    checkCount(provider.id, all);
    return all;
  };
  checkCount(provider.id, data.models);
  const now = async (asked: AskedNow, signal: AbortSignal) => {
    const stored = asked.credential?.type === "api_key" ? asked.credential : undefined;
    const { key, env } = stored ?? {};
    const found = asked.credential?.type === "oauth" ? undefined : await resolved(provider, key, env, signal);
    const credential = asked.credential ?? (found && { type: "api_key" as const, key: found.auth.apiKey, env: found.env });
    const allowNetwork = asked.allowNetwork || (asked.online && found !== undefined);
    const context = refreshContext({ ...asked, credential: credential ?? null, allowNetwork }, signal);
    try {
      await provider.refreshModels?.(context);
    } catch (error) {
      // Nobody else knows the key that it found itself.
      throw new Error(ops.modelsHide(wordsOf(error), { ...found?.auth, env: found?.env }));
    }
    // What it found itself is a credential that tau has not stored.
    const apiKey = found && !key ? { apiKey: literal(found.auth.apiKey ?? "none") } : {};
    return { models: models(), ...apiKey };
  };
  return { data, stream, oauth: login && loginFunctions(provider.id, login), models: now };
}

/** What tau says when it asks for models. */
type AskedNow = {
  credential: KeyCredential | { type: "oauth" } | null;
  baseUrl: string | null;
  allowNetwork: boolean;
  online: boolean;
  force: boolean;
};

/** A text as a value of configuration that means itself. */
const literal = (text: string) => text.replaceAll("$", "$$$$").replace(/^!/, "$!");

/** What a provider is told when it is asked for its models. Lists are not stored between runs. */
function refreshContext({ credential, baseUrl, allowNetwork, force }: AskedNow, signal: AbortSignal): object {
  const publish = async (publication?: { update?(): void }) => {
    if (signal.aborted) return false;
    publication?.update?.();
    return true;
  };
  return { credential: credential ?? undefined, baseUrl, allowNetwork, force, stored: undefined, publish, signal };
}

/** The functions of a login, with the user behind two: `show` tells something, `ask` gives a promise of an answer. */
function loginFunctions(provider: string, oauth: any): any {
  for (const part of ["login", "refreshToken", "getApiKey"]) {
    if (typeof oauth[part] !== "function") throw new Error(`Provider ${provider}: "oauth.${part}" must be a function.`);
  }
  const login = (show: (notice: any) => void, ask: (question: any) => Promise<string | null>, signal: any) => {
    const answer = async (question: any) => {
      const given = await ask(question);
      if (given === null || given === undefined) throw new Error("Login cancelled");
      return given;
    };
    return oauth.login({
      onAuth: ({ url, instructions }: any) => show({ type: "url", url, instructions }),
      onDeviceCode: ({ userCode, verificationUri }: any) => show({ type: "code", userCode, verificationUri }),
      onProgress: (message: string) => show({ type: "progress", message: String(message) }),
      onPrompt: ({ message, placeholder }: any) => answer({ type: "text", message, placeholder }),
      onManualCodeInput: () => answer({ type: "code" }),
      onSelect: async ({ message, options }: any) => (await ask({ type: "choice", message, options })) ?? undefined,
      signal,
    });
  };
  return {
    name: String(oauth.name ?? provider),
    login,
    refresh: (credentials: any, signal: any) => oauth.refreshToken(credentials, signal),
    apiKey: (credentials: any) => oauth.getApiKey(credentials),
    modifyModels:
      typeof oauth.modifyModels === "function"
        ? (models: any, credentials: any) => oauth.modifyModels(models, credentials)
        : undefined,
  };
}
