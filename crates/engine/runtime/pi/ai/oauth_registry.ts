// Providers that a user logs in to. Those of extensions; the logins themselves are the extension's code.

const providers = new Map<string, any>();

/** Adds a provider, or replaces the one of that id. */
export function registerOAuthProvider(provider: any): void {
  providers.set(provider.id, provider);
}

/** Takes a provider back. */
export function unregisterOAuthProvider(id: string): void {
  providers.delete(id);
}

/** Takes all providers back. */
export function resetOAuthProviders(): void {
  providers.clear();
}

/** The provider of that id. */
export function getOAuthProvider(id: string): any {
  return providers.get(id);
}

/** All providers. */
export function getOAuthProviders(): any[] {
  return [...providers.values()];
}

/** All providers, for a list to choose from. */
export function getOAuthProviderInfoList(): any[] {
  return getOAuthProviders().map(({ id, name }) => ({ id, name, available: true }));
}

/** New credentials for old ones. */
export async function refreshOAuthToken(providerId: string, credentials: unknown): Promise<any> {
  const provider = providers.get(providerId);
  if (!provider) throw new Error(`Unknown OAuth provider: ${providerId}`);
  return provider.refreshToken(credentials);
}

/** The key of a provider, from credentials that are renewed when they are too old; null when there are none. */
export async function getOAuthApiKey(providerId: string, all: Record<string, any>): Promise<any> {
  const provider = providers.get(providerId);
  if (!provider) throw new Error(`Unknown OAuth provider: ${providerId}`);
  const stored = all[providerId];
  if (!stored) return null;
  const newCredentials = Date.now() >= stored.expires ? await provider.refreshToken(stored) : stored;
  return { newCredentials, apiKey: provider.getApiKey(newCredentials) };
}

/** The host name in what a user wrote; null when there is none. */
export function normalizeDomain(input: string): string | null {
  const text = input.trim();
  try {
    return text ? new URL(text.includes("://") ? text : `https://${text}`).hostname : null;
  } catch {
    return null;
  }
}

/** Where GitHub Copilot answers, from its token or a company's domain. */
export function getGitHubCopilotBaseUrl(token?: string, enterpriseDomain?: string): string {
  const proxy = /proxy-ep=([^;]+)/.exec(token ?? "")?.[1];
  if (proxy) return `https://${proxy.replace(/^proxy\./, "api.")}`;
  return enterpriseDomain ? `https://copilot-api.${enterpriseDomain}` : "https://api.individual.githubcopilot.com";
}
