// `ctx.ui`: dialogs through the broker, everything else as calls that nobody waits for. Every context has its own
// object, so that a call is known to be its extension's; what an extension replaces is replaced for all of them, until
// the session is. An object that was kept goes on to work in the next session.
import { ops } from "tau:ops";
import { importNow } from "../internal/loader.ts";
import {
  define, isArray, Map, mapClear, mapGet, mapHas, mapped, mapSet, Proxy, safe, String,
} from "../internal/primordials.ts";
import { keep, withToken } from "./calls.ts";
import { dialectOf } from "./dialect.ts";
import { textComes } from "./mount/editor_text.ts";
import type { Factory } from "./mount/factory.ts";

const editors = () => importNow("tau:host/mount/editor.ts");
const factories = () => importNow("tau:host/mount/factory.ts");
/** A factory of a component, by the number that Rust calls it by. */
const factory = (id: number, call: number, place: string, make: unknown) =>
  typeof make === "function" && ops.uiMounts(id, call) ? factories().keepFactory(id, place, make as Factory) : undefined;

/** The editor that an extension put in the place of ours. */
let editorFactory: unknown;

/** Methods that an extension put in the place of ours. */
const replaced = new Map<string | symbol, any>();

/** Another session begins with our own methods. */
export function forgetReplaced(): void {
  mapClear(replaced);
  editorFactory = undefined;
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
      // Where nobody draws, a component is nothing, and not the end of what is there.
      if (typeof content === "function" && !ops.uiMounts(id, call)) return;
      return ops.uiSetWidget(id, call, key, lines, lines ? undefined : factory(id, call, "widget", content), options?.placement);
    },
    setTitle: (text: string) => ops.uiSetTitle(id, call, text),
    setEditorText(text: string) {
      ops.uiSetEditorText(id, call, text);
      textComes();
    },
    pasteToEditor(text: string) {
      ops.uiPasteToEditor(id, call, text);
      textComes();
    },
    getEditorText: () => (available() ? editors().shownText() : undefined) ?? ops.uiEditorText(id, call),
    setWorkingMessage: (text?: string) => ops.uiSetWorkingMessage(id, call, text),
    setWorkingVisible: (value: boolean) => ops.uiSetWorkingVisible(id, call, value),
    setWorkingIndicator: (options?: any) => ops.uiSetWorkingIndicator(id, call, options),
    setHiddenThinkingLabel: (text?: string) => ops.uiSetHiddenThinkingLabel(id, call, text),
    setFooter: (make?: unknown) => ops.uiSetFooter(id, call, factory(id, call, "footer", make)),
    setHeader: (make?: unknown) => ops.uiSetHeader(id, call, factory(id, call, "header", make)),
    setEditorComponent: (make?: unknown) => {
      editorFactory = typeof make === "function" ? make : undefined;
      return ops.uiSetEditorComponent(id, call, factory(id, call, "editor", make));
    },
    getEditorComponent: () => editorFactory,
    addAutocompleteProvider: (make: any) => {
      const number = importNow("tau:host/mount/suggest.ts").keepProvider(id, make);
      return ops.uiAddAutocompleteProvider(id, call, number);
    },
    onTerminalInput: (handler: any) => importNow("tau:host/mount/tui.ts").listen(id, call, handler),
    custom: async (make: any, options?: any) => {
      if (!available()) return undefined;
      const overlays = options?.overlay === true;
      const blocked = typeof options?.blocked === "object" ? options.blocked : undefined;
      const outcome: { value?: unknown; error?: { thrown: unknown } } = {};
      const number = ops.uiMounts(id, call)
        ? factories().keepFactory(id, overlays ? "overlay" : "dialog", make, options ?? {}, outcome)
        : keep(() => 0);
      try {
        await safe(ops.uiCustom(id, call, number, overlays, blocked));
      } catch (error) {
        // The caller gets the very error that the factory threw.
        throw outcome.error ? outcome.error.thrown : error;
      }
      return outcome.value;
    },
    getToolsExpanded: () => ops.uiToolsExpanded(id, call),
    setToolsExpanded: (value: boolean) => ops.uiSetToolsExpanded(id, call, value),
    get theme() {
      const themes = importNow("tau:host/theme.ts");
      const changed = ops.uiTheme(id, call, themes.currentSerial());
      if (changed) themes.useTheme(changed);
      return themes.theme;
    },
    // Without a terminal there is nothing to choose a theme for.
    getAllThemes() {
      if (!terminal()) return [];
      const all: { name: string; path?: string }[] = mapped(ops.uiThemes(id, call), ({ name, path }) => ({ name, path: path ?? undefined }));
      // It is made of the colours of the terminal.
      for (let index = 0; index < all.length; index++) {
        if (all[index].name === "system") return all;
      }
      define(all, String(all.length), { name: "system", path: undefined });
      return all;
    },
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
        // What was kept of the current one stands for the one that it is.
        const error = theme === themes.theme ? undefined : themes.showTheme(id, call, theme);
        return error === undefined ? { success: true } : { success: false, error };
      }
      const error = ops.uiSetTheme(id, call, String(theme));
      return error === undefined || error === null ? { success: true } : { success: false, error };
    },
  };
}
