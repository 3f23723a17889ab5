// The model providers that extensions registered.
import { ops } from "tau:ops";
import { keep } from "./calls.ts";
import { type ProviderParts, providerFunctions, wholeFunctions } from "./provider.ts";
import { wordsOf } from "./whole_provider.ts";

type Registered = { owner: number; config: any; native: boolean };

const registered = new Map<string, Registered>();

/** Registers a provider for the extension of that number: by its name, or as one that knows its own. */
export function registerProvider(owner: number, nameOrProvider: any, config?: any): void {
  const native = typeof nameOrProvider !== "string";
  const name = native ? (nameOrProvider?.id ?? nameOrProvider?.name) : nameOrProvider;
  const given = native ? nameOrProvider : config;
  let parts: ProviderParts;
  try {
    if (native && (typeof name !== "string" || typeof given.streamSimple !== "function")) {
      throw new Error("A provider that is registered as a whole needs an id and streamSimple().");
    }
    parts = native ? wholeFunctions(given) : providerFunctions(name, given);
  } catch (error) {
    // While the extension loads, one bad provider does not take the rest of it away.
    return ops.extProviderRefused(owner, wordsOf(error));
  }
  const { data, stream, oauth: login, models } = parts;
  for (const part of ["login", "refresh", "apiKey", "modifyModels"]) {
    if (login?.[part]) login[part] = keep(login[part]);
  }
  ops.extProvider(owner, name, data, stream && keep(stream), login, models && keep(models));
  const before = native ? undefined : registered.get(name);
  // What is not given again stays.
  const now = Object.entries(given).filter(([, value]) => value !== undefined);
  const whole = before && !before.native ? { ...before.config, ...Object.fromEntries(now) } : given;
  registered.set(name, { owner, config: whole, native });
}

export function unregisterProvider(owner: number, name: string): void {
  ops.extUnregisterProvider(owner, name);
  registered.delete(name);
}

/** The configurations of extensions that are at work, by the names of their providers. */
export function registeredProviders(): Map<string, Registered> {
  for (const [name, { owner }] of registered) {
    try {
      ops.extCheck(owner);
    } catch {
      registered.delete(name);
    }
  }
  return registered;
}
