// How a client presents itself to providers, for extensions that make requests of their own.
import { VERSION } from "../coding-agent/config.ts";

/** What requests of the agent are attributed to. */
export const PI_ATTRIBUTION = { name: "pi", url: "https://pi.dev", categories: ["cli-agent"] };
/** The version that clients without one of their own name. */
export const PI_AI_VERSION = VERSION;

const PARTS = ["userAgent", "attribution", "version"];

/** One identity of several: of each part the last one that is given. */
export function mergeClientIdentity(...sources: any[]): any {
  const given = sources.filter(Boolean);
  if (given.length === 0) return undefined;
  const merged: any = {};
  for (const source of given) {
    for (const part of PARTS) if (source[part] !== undefined) merged[part] = source[part];
  }
  return merged;
}

/** The version that an identity names. */
export function getClientVersion(identity?: any): string {
  return identity?.version ?? PI_AI_VERSION;
}

/** The `User-Agent` of an identity: `{custom}`, `short`, or with version and platform. */
export function formatUserAgent(identity?: any): string {
  const form = identity?.userAgent ?? "detailed";
  if (typeof form === "object") return form.custom;
  if (form === "short") return "pi";
  return `pi/${getClientVersion(identity)} (${process.platform}; node/${process.version}; ${process.arch})`;
}

type Target = { provider: string; baseUrl: string };

function isAt(target: Target, host: string): boolean {
  try {
    return new URL(target.baseUrl).hostname === host;
  } catch {
    return false;
  }
}

/** Who wants to know which program a request comes from, and in which headers. */
const VENDORS: { is: (target: Target) => boolean; headers: (attribution: any) => Record<string, string> }[] = [
  {
    is: (target) => target.provider === "openrouter" || target.baseUrl.includes("openrouter.ai"),
    headers: ({ name, url, categories }) => ({
      "HTTP-Referer": url,
      "X-OpenRouter-Title": name,
      ...(categories?.length ? { "X-OpenRouter-Categories": categories.join(",") } : {}),
    }),
  },
  {
    is: (target) => target.provider === "nvidia" || isAt(target, "integrate.api.nvidia.com"),
    headers: ({ name }) => ({ "X-BILLING-INVOKE-ORIGIN": name.charAt(0).toUpperCase() + name.slice(1) }),
  },
  { is: isOpenCode, headers: ({ name }) => ({ "x-opencode-client": name }) },
];

function isOpenCode(target: Target): boolean {
  return ["opencode", "opencode-go"].includes(target.provider) || isAt(target, "opencode.ai");
}

/** The headers that attribute a request; none without an attribution. */
export function getAttributionHeaders(target: Target, identity?: any): Record<string, string> {
  const attribution = identity?.attribution;
  if (!attribution) return {};
  return VENDORS.find(({ is }) => is(target))?.headers(attribution) ?? {};
}

/** The header by which OpenCode keeps a conversation together; undefined for others. */
export function getOpenCodeSessionHeaders(target: Target, sessionId?: string): Record<string, string> | undefined {
  return sessionId && isOpenCode(target) ? { "x-opencode-session": sessionId } : undefined;
}

/** All headers that an identity adds to a request. */
export function getIdentityHeaders(target: Target, identity?: any): Record<string, string> {
  return { "User-Agent": formatUserAgent(identity), ...getAttributionHeaders(target, identity) };
}

/** Methods of a collection of models that make requests; their last argument holds the options. */
const REQUESTS = [
  "stream", "complete", "streamSimple", "completeSimple", "streamDeferred", "fetchDeferred", "cancelDeferred",
  "generateImages", "classify",
];

/** The same models, with an identity on every request that names none. */
export function withClientIdentity(models: any, identity: any): any {
  return new Proxy(models, {
    get(target, key) {
      const value = target[key];
      if (typeof value !== "function") return value;
      if (!REQUESTS.includes(key as string)) return value.bind(target);
      return (model: any, input: any, options?: any) =>
        value.call(target, model, input, { ...options, identity: mergeClientIdentity(identity, options?.identity) });
    },
  });
}
