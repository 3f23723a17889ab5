// `ctx.ui`: dialogs through the broker, everything else as calls that nobody waits for. Every context has its own
// object, so that a call is known to be its extension's; what an extension replaces is replaced for all of them, until
// the session is. An object that was kept goes on to work in the next session.
import { ops } from "tau:ops";
import { importNow } from "../internal/loader.ts";
import {
  isArray, Map, mapClear, mapGet, mapHas, mapped, mapSet, Proxy, safe, String,
} from "../internal/primordials.ts";
import { keep, withToken } from "./calls.ts";
import { dialectOf } from "./dialect.ts";

const optional = (fn: unknown) => (typeof fn === "function" ? keep(fn as any) : undefined);

/**
 * A factory of a component as front ends call it: with what the dialect's factories take, and with a `done` that counts
 * once.
 */
function mounted(id: number, factory: any): (...args: any[]) => any {
  return (tui, theme, keybindings, done) => {
    let open = true;
    const once = (result: any) => {
      if (open) done(result);
      open = false;
    };
    const short = dialectOf(id).keybindingsIfAsked && factory.length <= 3;
    return short ? factory(tui, theme, once) : factory(tui, theme, keybindings, once);
  };
}

/** Methods that an extension put in the place of ours. */
const replaced = new Map<string | symbol, any>();

/** Another session begins with our own methods. */
export function forgetReplaced(): void {
  mapClear(replaced);
}

const shared: ProxyHandler<any> = {
  __proto__: null as any,
  get: (own, key) => (mapHas(replaced, key) ? mapGet(replaced, key) : own[key]),
  set(_, key, value) {
    mapSet(replaced, key, value);
    return true;
  },
  has: (own, key) => mapHas(replaced, key) || key in own,
};

/** The `ctx.ui` of one context. */
export function uiFor(id: number, call: number): any {
  return new Proxy(methodsOf(id, call), shared);
}

function methodsOf(id: number, call: number): any {
  const ask = (kind: string, args: any, options: any = {}) =>
    withToken(options?.signal, (token) => ops.uiAsk(id, call, kind, { ...args, token, timeout: options?.timeout }));
  // What a dialog gives that was closed is for the dialect to say.
  const choose = async (kind: string, args: any, options?: any) => (await safe(ask(kind, args, options))) ?? dialectOf(id).closed;
  const tell = (name: string, args: any = {}) => ops.uiTell(id, call, name, args);
  const available = () => ops.uiAvailable(id, call);
  const terminal = () => ops.uiTerminal(id, call);
  return {
    select: (title: string, options: string[], opts?: any) => choose("select", { title, options }, opts),
    confirm: async (title: string, message?: string, opts?: any) =>
      (await safe(ask("confirm", { title, message }, opts))) === true,
    input: (title: string, placeholder?: string, opts?: any) => choose("input", { title, placeholder }, opts),
    editor: (title: string, prefill?: string) => choose("editor", { title, prefill }),
    notify: (text: string, level?: string) => tell("notify", { text: String(text), level }),
    setStatus: (key: string, text?: string) => tell("setStatus", { key, text: text ?? undefined }),
    setWidget: (key: string, content: any, options: any = {}) =>
      tell("setWidget", {
        key,
        lines: isArray(content) ? mapped(content, String) : undefined,
        function: optional(content),
        placement: options?.placement,
      }),
    setTitle: (text: string) => tell("setTitle", { text }),
    setEditorText: (text: string) => tell("setEditorText", { text }),
    pasteToEditor: (text: string) => tell("pasteToEditor", { text }),
    getEditorText: () => ops.uiEditorText(id, call),
    setWorkingMessage: (text?: string) => tell("setWorkingMessage", { text }),
    setWorkingVisible: (value: boolean) => tell("setWorkingVisible", { value }),
    setWorkingIndicator: (options?: any) => tell("setWorkingIndicator", options ?? {}),
    setHiddenThinkingLabel: (text?: string) => tell("setHiddenThinkingLabel", { text }),
    setFooter: (factory?: any) => tell("setFooter", { function: optional(factory) }),
    setHeader: (factory?: any) => tell("setHeader", { function: optional(factory) }),
    setEditorComponent: (factory?: any) => tell("setEditorComponent", { function: optional(factory) }),
    getEditorComponent: () => undefined,
    addAutocompleteProvider: (factory: any) => tell("addAutocompleteProvider", { function: optional(factory) }),
    onTerminalInput: (handler: any) => {
      tell("onTerminalInput", { function: optional(handler) });
      return () => {};
    },
    custom: async (factory: any, options?: any) => {
      const blocked = typeof options?.blocked === "object" ? options.blocked : undefined;
      return available() ? ask("custom", { function: keep(mounted(id, factory)), blocked }) : undefined;
    },
    getToolsExpanded: () => false,
    setToolsExpanded: (value: boolean) => tell("setToolsExpanded", { value }),
    get theme() {
      const themes = importNow("tau:host/theme.ts");
      const changed = ops.uiTheme(id, call, themes.currentSerial());
      if (changed) themes.useTheme(changed);
      return themes.theme;
    },
    // Without a terminal there is nothing to choose a theme for.
    getAllThemes: () =>
      terminal() ? mapped(ops.uiThemes(id, call), ({ name, path }: any) => ({ name, path: path ?? undefined })) : [],
    getTheme(name: string) {
      const all = terminal() ? ops.uiThemes(id, call) : [];
      for (let index = 0; index < all.length; index++) {
        if (all[index].name === name) return importNow("tau:host/theme.ts").themeFrom(all[index]);
      }
      return undefined;
    },
    setTheme(theme: any) {
      if (!terminal()) {
        return { success: false, error: available() ? "Theme switching not supported in RPC mode" : "UI not available" };
      }
      const themes = importNow("tau:host/theme.ts");
      if (themes.isTheme(theme)) {
        themes.setThemeInstance(theme);
        return { success: true };
      }
      const error = ops.uiSetTheme(id, call, String(theme));
      return error === undefined || error === null ? { success: true } : { success: false, error };
    },
  };
}
