// Which keys do what, by the names of pi-tui's newer generation (`tui.editor.cursorUp`).
import { matchesKey } from "./keys.ts";

type Keys = string | string[];
type Definition = { defaultKeys: Keys; description?: string };

const TABLE: Record<string, [string, Keys, string][]> = {
  editor: [
    ["cursorUp", "up", "Move cursor up"],
    ["cursorDown", "down", "Move cursor down"],
    ["historyPrevious", [], "Select previous prompt history entry"],
    ["historyNext", [], "Select next prompt history entry"],
    ["cursorLeft", ["left", "ctrl+b"], "Move cursor left"],
    ["cursorRight", ["right", "ctrl+f"], "Move cursor right"],
    ["cursorWordLeft", ["alt+left", "ctrl+left", "alt+b"], "Move cursor word left"],
    ["cursorWordRight", ["alt+right", "ctrl+right", "alt+f"], "Move cursor word right"],
    ["cursorLineStart", ["home", "ctrl+a"], "Move to line start"],
    ["cursorLineEnd", ["end", "ctrl+e"], "Move to line end"],
    ["jumpForward", "ctrl+]", "Jump forward to character"],
    ["jumpBackward", "ctrl+alt+]", "Jump backward to character"],
    ["pageUp", ["pageUp", "ctrl+pageUp"], "Page up"],
    ["pageDown", ["pageDown", "ctrl+pageDown"], "Page down"],
    ["deleteCharBackward", "backspace", "Delete character backward"],
    ["deleteCharForward", ["delete", "ctrl+d"], "Delete character forward"],
    ["deleteWordBackward", ["ctrl+w", "alt+backspace"], "Delete word backward"],
    ["deleteWordForward", ["alt+d", "alt+delete"], "Delete word forward"],
    ["deleteToLineStart", "ctrl+u", "Delete to line start"],
    ["deleteToLineEnd", "ctrl+k", "Delete to line end"],
    ["yank", "ctrl+y", "Yank"],
    ["yankPop", "alt+y", "Yank pop"],
    ["undo", "ctrl+-", "Undo"],
  ],
  input: [
    ["newLine", ["shift+enter", "ctrl+j"], "Insert newline"],
    ["submit", "enter", "Submit input"],
    ["tab", "tab", "Tab / autocomplete"],
    ["copy", "ctrl+c", "Copy selection"],
  ],
  select: [
    ["up", "up", "Move selection up"],
    ["down", "down", "Move selection down"],
    ["pageUp", "pageUp", "Selection page up"],
    ["pageDown", "pageDown", "Selection page down"],
    ["confirm", "enter", "Confirm selection"],
    ["cancel", ["escape", "ctrl+c"], "Cancel selection"],
  ],
  altScreen: [
    ["pageUp", "pageUp", "Scroll viewport up one page"],
    ["pageDown", "pageDown", "Scroll viewport down one page"],
    ["halfPageUp", [], "Scroll viewport up half a page"],
    ["halfPageDown", [], "Scroll viewport down half a page"],
    ["lineUp", [], "Scroll viewport up one line"],
    ["lineDown", [], "Scroll viewport down one line"],
    ["previousPrompt", ["ctrl+shift+up", "ctrl+up"], "Jump to previous semantic prompt"],
    ["nextPrompt", ["ctrl+shift+down", "ctrl+down"], "Jump to next semantic prompt"],
    ["search", "ctrl+shift+f", "Search the primary scroll view"],
    ["searchNext", ["enter", "ctrl+g"], "Select the next search match"],
    ["searchPrevious", ["shift+enter", "ctrl+shift+g"], "Select the previous search match"],
    ["searchClose", "escape", "Close transcript search"],
    ["top", "ctrl+home", "Scroll viewport to top"],
    ["bottom", "ctrl+end", "Scroll viewport to bottom"],
  ],
};

/** The key bindings of the components, with what each does. */
export const TUI_KEYBINDINGS: Record<string, Definition> = Object.fromEntries(
  Object.entries(TABLE).flatMap(([group, bindings]) =>
    bindings.map(([name, defaultKeys, description]) => [`tui.${group}.${name}`, { defaultKeys, description }]),
  ),
);

function keyList(keys: Keys | undefined): string[] {
  return keys === undefined ? [] : [...new Set(Array.isArray(keys) ? keys : [keys])];
}

/** Key bindings with a user's own in place of the defaults. */
export class KeybindingsManager {
  definitions: Record<string, Definition>;
  userBindings: Record<string, Keys | undefined>;
  keysById = new Map<string, string[]>();
  conflicts: { key: string; keybindings: string[] }[] = [];

  constructor(definitions: Record<string, Definition>, userBindings: Record<string, Keys | undefined> = {}) {
    this.definitions = definitions;
    this.userBindings = userBindings;
    this.rebuild();
  }

  rebuild(): void {
    const claims = new Map<string, Set<string>>();
    for (const [id, keys] of Object.entries(this.userBindings)) {
      if (!(id in this.definitions)) continue;
      for (const key of keyList(keys)) claims.set(key, (claims.get(key) ?? new Set()).add(id));
    }
    this.conflicts = [...claims]
      .filter(([, ids]) => ids.size > 1)
      .map(([key, ids]) => ({ key, keybindings: [...ids] }));
    this.keysById = new Map(
      Object.entries(this.definitions).map(([id, { defaultKeys }]) => [id, keyList(this.userBindings[id] ?? defaultKeys)]),
    );
  }

  /** Whether `data` is a key bound to `keybinding`. */
  matches(data: string, keybinding: string): boolean {
    return this.keysById.get(keybinding)?.some((key) => matchesKey(data, key)) ?? false;
  }

  getKeys(keybinding: string): string[] {
    return [...(this.keysById.get(keybinding) ?? [])];
  }

  getDefinition(keybinding: string): Definition | undefined {
    return this.definitions[keybinding];
  }

  /** Keys that the user bound to several actions. */
  getConflicts(): { key: string; keybindings: string[] }[] {
    return this.conflicts.map(({ key, keybindings }) => ({ key, keybindings: [...keybindings] }));
  }

  setUserBindings(userBindings: Record<string, Keys | undefined>): void {
    this.userBindings = userBindings;
    this.rebuild();
  }

  getUserBindings(): Record<string, Keys | undefined> {
    return { ...this.userBindings };
  }

  /** What is in force: one key as a string, several as a list. */
  getResolvedBindings(): Record<string, Keys> {
    return Object.fromEntries([...this.keysById].map(([id, keys]) => [id, keys.length === 1 ? keys[0] : [...keys]]));
  }

  getEffectiveConfig(): Record<string, Keys> {
    return this.getResolvedBindings();
  }
}

let current: any;

/** Replaces the key bindings that all components use. */
export function setKeybindings(keybindings: unknown): void {
  current = keybindings;
}

/** The key bindings that all components use. */
export function getKeybindings(): any {
  return (current ??= new KeybindingsManager(TUI_KEYBINDINGS));
}
