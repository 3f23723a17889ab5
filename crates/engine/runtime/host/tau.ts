// What `pi` has in tau alone: `pi.tau`. Extensions that also run in pi ask for it with `pi.tau?.`.
import { ops } from "tau:ops";

/** Adds to a `pi` what only tau has, out of sight of those that list its members. */
export function tauApi(id: number, pi: unknown): any {
  const settings = {
    declare: (key: string, options: any = {}) => {
      // A word that nobody knows may be a guard that was meant, so all are handed on and judged there.
      ops.extSetting(id, { description: "", schema: null, default: null, ...options, key: String(key) });
    },
    get: (key: string) => ops.getSetting(id, String(key)).value,
    why: (key: string) => {
      const { value, source } = ops.getSetting(id, String(key));
      return { value, layer: source.layer, path: source.path };
    },
  };
  // What is part of tau, for those who bring it along themselves.
  const builtin = (name: string, options?: unknown) => ops.extBuiltin(id, String(name), options ?? null);
  const mcpConfig = (config: unknown) => ops.extMcpConfig(id, config ?? null);
  return Object.defineProperty(pi, "tau", { value: { settings, builtin, mcpConfig }, writable: true, configurable: true, enumerable: false });
}
