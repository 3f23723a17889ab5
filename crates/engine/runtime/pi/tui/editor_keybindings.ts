// Key bindings by the names of pi-tui's older generation (`cursorUp`), for extensions written for it.
import { matchesKey } from "./keys.ts";
import { TUI_KEYBINDINGS } from "./keybindings.ts";

type Keys = string | string[];

function defaults(): Record<string, Keys> {
  const of = (group: string, names: string, rename = (name: string) => name) =>
    names.split(" ").map((name) => [rename(name), TUI_KEYBINDINGS[`tui.${group}.${name}`].defaultKeys]);
  const select = (name: string) => "select" + name[0].toUpperCase() + name.slice(1);
  return {
    ...Object.fromEntries([
      ...of("editor", "cursorUp cursorDown cursorLeft cursorRight cursorWordLeft cursorWordRight"),
      ["cursorLineStart", ["home", "ctrl+a"]],
      ["cursorLineEnd", ["end", "ctrl+e"]],
      ...of("editor", "jumpForward jumpBackward"),
      ["pageUp", "pageUp"],
      ["pageDown", "pageDown"],
      ...of("editor", "deleteCharBackward deleteCharForward deleteWordBackward deleteWordForward"),
      ...of("editor", "deleteToLineStart deleteToLineEnd"),
      ["newLine", "shift+enter"],
      ...of("input", "submit tab"),
      ...of("select", "up down pageUp pageDown confirm cancel", select),
      ...of("input", "copy"),
      ...of("editor", "yank yankPop undo"),
    ]),
    expandTools: "ctrl+o",
    treeFoldOrUp: ["ctrl+left", "alt+left"],
    treeUnfoldOrDown: ["ctrl+right", "alt+right"],
    toggleSessionPath: "ctrl+p",
    toggleSessionSort: "ctrl+s",
    renameSession: "ctrl+r",
    deleteSession: "ctrl+d",
    deleteSessionNoninvasive: "ctrl+backspace",
  };
}

/** The keys of each action. */
export const DEFAULT_EDITOR_KEYBINDINGS: Record<string, Keys> = defaults();

/** The keys of each action, with a user's own in place of the defaults. */
export class EditorKeybindingsManager {
  actionToKeys = new Map<string, string[]>();

  constructor(config: Record<string, Keys | undefined> = {}) {
    this.setConfig(config);
  }

  /** Whether `data` is a key of `action`. */
  matches(data: string, action: string): boolean {
    return this.actionToKeys.get(action)?.some((key) => matchesKey(data, key)) ?? false;
  }

  getKeys(action: string): string[] {
    return this.actionToKeys.get(action) ?? [];
  }

  setConfig(config: Record<string, Keys | undefined>): void {
    this.actionToKeys.clear();
    for (const [action, keys] of Object.entries({ ...DEFAULT_EDITOR_KEYBINDINGS, ...config })) {
      const chosen = keys ?? DEFAULT_EDITOR_KEYBINDINGS[action];
      if (chosen !== undefined) this.actionToKeys.set(action, Array.isArray(chosen) ? [...chosen] : [chosen]);
    }
  }
}

let current: EditorKeybindingsManager | undefined;

/** The key bindings of the older generation in force. */
export function getEditorKeybindings(): EditorKeybindingsManager {
  return (current ??= new EditorKeybindingsManager());
}

/** Replaces the key bindings of the older generation. */
export function setEditorKeybindings(manager: EditorKeybindingsManager): void {
  current = manager;
}
