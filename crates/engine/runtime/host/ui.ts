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

const shared: ProxyHandler<any> & { __proto__: null } = {
  __proto__: null,
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
  /** Asks in a way that a signal or a time can end. */
  const ask = <T>(options: any, start: (waiting: { token?: number; timeout: unknown }) => Promise<T>): Promise<T> =>
    withToken(options?.signal, (token) => start({ token, timeout: options?.timeout }));
  // What a dialog gives that was closed is for the dialect to say.
  const choose = async (asked: Promise<string | undefined>) => (await safe(asked)) ?? dialectOf(id).closed;
  const available = () => ops.uiAvailable(id, call);
  const terminal = () => ops.uiTerminal(id, call);
  return {
    select: async (title: string, options: string[], opts?: any) =>
      choose(ask(opts, (waiting) => ops.uiSelect(id, call, title, options, waiting))),
    confirm: async (title: string, message?: string, opts?: any) =>
      safe(ask(opts, (waiting) => ops.uiConfirm(id, call, title, message, waiting))),
    input: async (title: string, placeholder?: string, opts?: any) =>
      choose(ask(opts, (waiting) => ops.uiInput(id, call, title, placeholder, waiting))),
    editor: async (title: string, prefill?: string) => choose(ops.uiEditor(id, call, title, prefill)),
    notify: (text: string, level?: string) => ops.uiNotify(id, call, String(text), level),
    setStatus: (key: string, text?: string) => ops.uiSetStatus(id, call, key, text),
    setWidget: (key: string, content: any, options: any = {}) => {
      const lines = isArray(content) ? mapped(content, String) : undefined;
      return ops.uiSetWidget(id, call, key, lines, optional(content), options?.placement);
    },
    setTitle: (text: string) => ops.uiSetTitle(id, call, text),
    setEditorText: (text: string) => ops.uiSetEditorText(id, call, text),
    pasteToEditor: (text: string) => ops.uiPasteToEditor(id, call, text),
    getEditorText: () => ops.uiEditorText(id, call),
    setWorkingMessage: (text?: string) => ops.uiSetWorkingMessage(id, call, text),
    setWorkingVisible: (value: boolean) => ops.uiSetWorkingVisible(id, call, value),
    setWorkingIndicator: (options?: any) => ops.uiSetWorkingIndicator(id, call, options),
    setHiddenThinkingLabel: (text?: string) => ops.uiSetHiddenThinkingLabel(id, call, text),
    setFooter: (factory?: any) => ops.uiSetFooter(id, call, optional(factory)),
    setHeader: (factory?: any) => ops.uiSetHeader(id, call, optional(factory)),
    setEditorComponent: (factory?: any) => ops.uiSetEditorComponent(id, call, optional(factory)),
    getEditorComponent: () => undefined,
    addAutocompleteProvider: (factory: any) => ops.uiAddAutocompleteProvider(id, call, optional(factory)),
    onTerminalInput: (handler: any) => {
      ops.uiOnTerminalInput(id, call, optional(handler));
      return () => {};
    },
    custom: async (factory: any, options?: any) => {
      const blocked = typeof options?.blocked === "object" ? options.blocked : undefined;
      return available() ? safe(ops.uiCustom(id, call, keep(mounted(id, factory)), blocked)) : undefined;
    },
    getToolsExpanded: () => false,
    setToolsExpanded: (value: boolean) => ops.uiSetToolsExpanded(id, call, value),
    get theme() {
      const themes = importNow("tau:host/theme.ts");
      const changed = ops.uiTheme(id, call, themes.currentSerial());
      if (changed) themes.useTheme(changed);
      return themes.theme;
    },
    // Without a terminal there is nothing to choose a theme for.
    getAllThemes: () =>
      terminal() ? mapped(ops.uiThemes(id, call), ({ name, path }) => ({ name, path: path ?? undefined })) : [],
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
