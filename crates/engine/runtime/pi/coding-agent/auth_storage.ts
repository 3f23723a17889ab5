// `auth.json`: the keys and logins of providers.
import { ops } from "tau:ops";
import { join } from "../../node/path/posix.ts";
import { getAgentDir } from "./config.ts";
import { readText, replaceText, withFileLock, withFileLockAsync } from "./locked_file.ts";

type Result<T> = { result: T; next?: string };

/** Keeps the text in a file that only its owner may read. */
export class FileAuthStorageBackend {
  #path: string;

  constructor(authPath: string = join(getAgentDir(), "auth.json")) {
    this.#path = authPath;
  }

  /** Gives the text to `change` and writes what it gives as `next`, while no other program does. */
  withLock<T>(change: (current: string | undefined) => Result<T>): T {
    return withFileLock(this.#path, () => this.#done(change(readText(this.#path))));
  }

  async withLockAsync<T>(change: (current: string | undefined) => Promise<Result<T>>): Promise<T> {
    return withFileLockAsync(this.#path, async () => this.#done(await change(readText(this.#path))));
  }

  #done<T>({ result, next }: Result<T>): T {
    if (next !== undefined) replaceText(this.#path, next, 0o600);
    return result;
  }
}

/** Keeps the text nowhere. */
export class InMemoryAuthStorageBackend {
  #text: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  withLock<T>(change: (current: string | undefined) => Result<T>): T {
    const { result, next } = change(this.#text);
    if (next !== undefined) this.#text = next;
    return result;
  }

  withLockAsync<T>(change: (current: string | undefined) => Promise<Result<T>>): Promise<T> {
    const turn = this.#last.then(async () => {
      const { result, next } = await change(this.#text);
      if (next !== undefined) this.#text = next;
      return result;
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}

function parsed(text: string | undefined): Record<string, any> {
  return text?.trim() ? JSON.parse(text) : {};
}

/** Credentials by provider. Both the older, synchronous methods and the newer ones. */
export class AuthStorage {
  #backend: any;
  #data: Record<string, any> = {};
  #runtime = new Map<string, string>();
  #fallback: ((provider: string) => string | undefined) | undefined;
  #errors: Error[] = [];

  private constructor(backend: unknown) {
    this.#backend = backend;
    this.reload();
  }

  /** The credentials in a file, the user's by default. */
  static create(authPath?: string): AuthStorage {
    return new AuthStorage(new FileAuthStorageBackend(authPath));
  }

  /** Credentials that are kept elsewhere. */
  static fromStorage(storage: unknown): AuthStorage {
    return new AuthStorage(storage);
  }

  /** Credentials that are kept nowhere. */
  static inMemory(data: Record<string, any> = {}): AuthStorage {
    const backend = new InMemoryAuthStorageBackend();
    backend.withLock(() => ({ result: undefined, next: JSON.stringify(data) }));
    return new AuthStorage(backend);
  }

  /** Reads the credentials again. */
  reload(): void {
    try {
      this.#data = this.#backend.withLock((text: string | undefined) => ({ result: parsed(text) }));
    } catch (error: any) {
      this.#errors.push(error);
    }
  }

  #change(provider: string, credential: unknown): void {
    this.#data = this.#backend.withLock((text: string | undefined) => {
      const data = parsed(text);
      if (credential === undefined) delete data[provider];
      else data[provider] = credential;
      return { result: data, next: JSON.stringify(data, null, 2) };
    });
  }

  /** A key for this run; it outranks all others. */
  setRuntimeApiKey(provider: string, apiKey: string): void {
    this.#runtime.set(provider, apiKey);
  }

  removeRuntimeApiKey(provider: string): void {
    this.#runtime.delete(provider);
  }

  /** Says where keys come from that are found nowhere else. */
  setFallbackResolver(resolver: (provider: string) => string | undefined): void {
    this.#fallback = resolver;
  }

  get(provider: string): any {
    return this.#data[provider];
  }

  set(provider: string, credential: unknown): void {
    this.#change(provider, credential);
  }

  remove(provider: string): void {
    this.#change(provider, undefined);
  }

  logout(provider: string): void {
    this.remove(provider);
  }

  /** The providers that have a credential. */
  list(): string[] {
    return Object.keys(this.#data);
  }

  has(provider: string): boolean {
    return provider in this.#data;
  }

  getAll(): Record<string, any> {
    return { ...this.#data };
  }

  /** Whether a key can be had for a provider, wherever from. */
  hasAuth(provider: string): boolean {
    return (
      this.#runtime.has(provider) || this.has(provider) || Boolean(ops.piEnvKey(provider) ?? this.#fallback?.(provider))
    );
  }

  /** The key of a provider: for this run, stored, from the environment, or from the resolver. */
  async getApiKey(provider: string): Promise<string | undefined> {
    const own = this.#runtime.get(provider);
    if (own) return own;
    const stored = this.#data[provider];
    if (stored?.type === "api_key") return resolved(stored.key);
    if (stored?.type === "oauth" && stored.expires > Date.now()) return stored.access;
    return ops.piEnvKey(provider) ?? this.#fallback?.(provider);
  }

  drainErrors(): Error[] {
    return this.#errors.splice(0);
  }

  getOAuthProviders(): any[] {
    return [];
  }

  async read(provider: string): Promise<any> {
    this.reload();
    return this.get(provider);
  }

  /** Changes a credential while no other program does; giving undefined leaves it as it is. */
  async modify(provider: string, change: (current: unknown) => Promise<any>): Promise<any> {
    return this.#backend.withLockAsync(async (text: string | undefined) => {
      const data = parsed(text);
      const next = await change(data[provider]);
      if (next === undefined) return { result: data[provider] };
      data[provider] = next;
      this.#data = data;
      return { result: next, next: JSON.stringify(data, null, 2) };
    });
  }

  async delete(provider: string): Promise<void> {
    this.remove(provider);
  }
}

/** A key that names an environment variable stands for its value. */
function resolved(key: string): string {
  const name = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(key)?.[1] ?? key;
  return /^[A-Za-z_]\w*$/.test(name) ? (ops.envGet(name) ?? key) : key;
}

/** A provider's stored credential as it stands in the file. */
export function readStoredCredential(providerId: string, authPath: string = join(getAgentDir(), "auth.json")): any {
  try {
    return parsed(readText(authPath))[providerId];
  } catch {
    return undefined;
  }
}
