// Keys of providers in the environment.
import { ops } from "tau:ops";

/** Holds an Anthropic key. */
export const ANTHROPIC_API_KEY_ENV = "ANTHROPIC_API_KEY";
/** Holds a token that goes into `Authorization` as it is. */
export const ANTHROPIC_AUTH_TOKEN_ENV = "ANTHROPIC_AUTH_TOKEN";
/** Holds the token of a login. */
export const ANTHROPIC_OAUTH_TOKEN_ENV = "ANTHROPIC_OAUTH_TOKEN";

/** The key of a provider; `env` outranks the environment. */
export function getEnvApiKey(provider: string, env?: Record<string, string>): string | undefined {
  return ops.piEnvKey(provider, env && Object.keys(env).length > 0 ? { ...env } : undefined) ?? undefined;
}
