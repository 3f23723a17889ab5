// The choice of a provider to log in to, or to log out of.
import { theme } from "../../../host/theme.ts";
import { shade } from "./panel.ts";
import { SearchPanel } from "./search_panel.ts";

/** A way to log in to a provider. */
type Provider = {
  id: string;
  name: string;
  authType: "oauth" | "api_key";
  status?: { configured?: unknown; type?: unknown; source?: unknown; label?: unknown };
  subscription?: boolean;
};

/** Asks for a provider. */
export class OAuthSelectorComponent extends SearchPanel<Provider> {
  constructor(
    mode: "login" | "logout", providers: Provider[], onSelect: (providerId: string, authType: Provider["authType"]) => void,
    onCancel: () => void, initialSearchInput?: string, _tui?: unknown,
  ) {
    super({
      title: mode === "login" ? "Log in to a provider" : "Log out of a provider",
      items: providers,
      text: ({ id, name }) => `${name} ${id}`,
      row: (provider, isSelected) => `${shade(provider.name, isSelected)}${theme.fg("muted", kindOf(provider))}${statusOf(provider)}`,
      empty: providers.length > 0 ? "No provider matches" : mode === "login" ? "No providers" : "No provider is logged in",
      search: initialSearchInput,
      onSelect: ({ id, authType }) => onSelect(id, authType),
      onCancel,
    });
  }

  /** There is nothing that moves. */
  dispose(): void {}
}

function kindOf({ authType, subscription }: Provider): string {
  if (authType === "api_key") return " (API key)";
  return subscription === false ? " (account)" : " (subscription)";
}

function statusOf({ status }: Provider): string {
  if (!status || status.configured === false) return "";
  const source = status.label ?? status.source;
  return theme.fg("success", ` ✓ configured${typeof source === "string" ? ` (${source})` : ""}`);
}
