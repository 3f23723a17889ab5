// Which keys do what, with those that the user chose: what components are given as `keybindings`.
import { ops } from "tau:ops";
import { getKeybindings, KeybindingsManager, setKeybindings, TUI_KEYBINDINGS } from "../../pi/tui/keybindings.ts";

/** The keys that there were when the object was made. */
let known = -1;

/** The key bindings in force, those of the application among them. */
export function keybindings(extension: number): unknown {
  const now = ops.uiKeys(extension, known);
  if (now) {
    known = now.serial;
    const definitions: Record<string, { defaultKeys: string | string[]; description?: string }> = {};
    for (const [id, keys, description] of now.actions) {
      definitions[id] = { defaultKeys: keys.length === 1 ? keys[0] : keys, description };
    }
    const manager = getKeybindings();
    // Components keep the object.
    if (manager instanceof KeybindingsManager) {
      manager.definitions = { ...TUI_KEYBINDINGS, ...definitions };
      manager.setUserBindings(now.own);
    } else {
      setKeybindings(new KeybindingsManager({ ...TUI_KEYBINDINGS, ...definitions }, now.own));
    }
  }
  return getKeybindings();
}
