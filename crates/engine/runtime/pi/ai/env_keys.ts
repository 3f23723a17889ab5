// Keys of providers in the environment.
import { ops } from "tau:ops";

/** Holds an Anthropic key. */
export const ANTHROPIC_API_KEY_ENV = "ANTHROPIC_API_KEY";
/** Holds a token that goes into `Authorization` as it is. */
export const ANTHROPIC_AUTH_TOKEN_ENV = "ANTHROPIC_AUTH_TOKEN";
/** Holds the token of a login. */
export const ANTHROPIC_OAUTH_TOKEN_ENV = "ANTHROPIC_OAUTH_TOKEN";
/** Names the rule by which a workload signs in to Anthropic without a key. */
export const ANTHROPIC_FEDERATION_RULE_ID_ENV = "ANTHROPIC_FEDERATION_RULE_ID";
/** Names the organization of a workload. */
export const ANTHROPIC_ORGANIZATION_ID_ENV = "ANTHROPIC_ORGANIZATION_ID";
/** Names the service account of a workload. */
export const ANTHROPIC_SERVICE_ACCOUNT_ID_ENV = "ANTHROPIC_SERVICE_ACCOUNT_ID";
/** Names the file with the identity of a workload. */
export const ANTHROPIC_IDENTITY_TOKEN_FILE_ENV = "ANTHROPIC_IDENTITY_TOKEN_FILE";
/** Names the workspace of a workload. */
export const ANTHROPIC_WORKSPACE_ID_ENV = "ANTHROPIC_WORKSPACE_ID";

/** The key of a provider; `env` outranks the environment. */
export function getEnvApiKey(provider: string, env?: Record<string, string>): string | undefined {
  return ops.piEnvKey(provider, env && Object.keys(env).length > 0 ? { ...env } : undefined) ?? undefined;
}
