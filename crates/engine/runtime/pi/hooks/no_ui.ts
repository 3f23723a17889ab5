// The user interface where there is none: nothing is chosen, nothing is shown.
import { importNow } from "../../internal/loader.ts";

/** A user interface that gives `closed` for dialogs nobody answers. */
export function noUI(closed: null | undefined): any {
  return {
    select: async () => closed,
    confirm: async () => false,
    input: async () => closed,
    editor: async () => closed,
    notify() {},
    setStatus() {},
    custom: async () => undefined,
    setEditorText() {},
    getEditorText: () => "",
    get theme() {
      return importNow("tau:host/theme.ts").theme;
    },
  };
}
