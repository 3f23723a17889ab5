// An editor of an extension in the place of the prompt's: what it does reaches the program, and the other way round.
import { ops } from "tau:ops";
import { importNow } from "../../internal/loader.ts";
import { Map } from "../../internal/primordials.ts";
import { type EditorText, isTextComing, wholeText } from "./editor_text.ts";
import { mountedAt } from "./mounted.ts";
import { provider } from "./suggest.ts";
import type { Mounted } from "./component.ts";

/** What of an editor the program uses, where it is there. */
interface EditorLike extends EditorText {
  onSubmit?: (text: string) => void;
  onChange?: (text: string) => void;
  onEscape?: () => void;
  onCtrlD?: () => void;
  onPasteImage?: () => void;
  onExtensionShortcut?: (data: string) => boolean;
  actionHandlers?: unknown;
  onAction?: (action: string, handler: () => void) => void;
  setAutocompleteProvider?: (provider: object) => void;
  addToHistory?: (text: string) => void;
  borderColor?: (text: string) => string;
  setPaddingX?: (columns: number) => void;
  setAutocompleteMaxVisible?: (rows: number) => void;
}

/** Connects a component that was made for the place of the editor. */
export function connectEditor(mounted: Mounted): void {
  const { number, extension, component } = mounted;
  const editor = component as EditorLike;
  const wish = (what: string, value?: string) => ops.mountWish(number, what, value);
  editor.onSubmit = (text) => {
    wish("submit", String(text));
    editor.addToHistory?.(String(text));
    // One that keeps its text leaves it to the program to empty it.
    if (editor.getText?.()) editor.setText?.("");
  };
  let told = editor.getText?.();
  editor.onChange = (text) => {
    told = editor.getText?.();
    wish("changed", String(text));
  };
  // Of one that does not say that it has changed, this is found out.
  mounted.onTold = () => {
    const text = editor.getText?.();
    if (text === told) return;
    told = text;
    wish("changed", wholeText(editor) ?? "");
  };
  editor.setAutocompleteProvider?.(provider(extension));
  mounted.onDraw = looks(extension, editor);
  mounted.onDraw();
  // It says by its colour how much the model thinks, and that a command of the shell is typed.
  if (editor.borderColor !== undefined) {
    const { theme } = importNow("tau:host/theme.ts");
    editor.borderColor = (text) => {
      const isCommand = editor.getText?.().trimStart().startsWith("!");
      const color = isCommand ? theme.getBashModeBorderColor() : theme.getThinkingBorderColor(ops.getThinkingLevel(extension));
      return color(text);
    };
  }
  connectActions(extension, editor, wish);
}

/** Gives an editor what the settings say, whenever that is something else. */
function looks(extension: number, editor: EditorLike): () => void {
  let known: number[] = [];
  return () => {
    const [padding, rows] = ops.uiEditorLook(extension);
    if (padding !== known[0]) editor.setPaddingX?.(padding);
    if (rows !== known[1]) editor.setAutocompleteMaxVisible?.(rows);
    known = [padding, rows];
  };
}

/** Gives one that knows the actions of the program what they do. */
function connectActions(extension: number, editor: EditorLike, wish: (what: string, value?: string) => void): void {
  const { actionHandlers } = editor;
  if (!actionHandlers) return;
  const act = (action: string) => () => wish("action", action);
  // What it does itself at these keys stays.
  editor.onEscape ||= act("app.interrupt");
  editor.onCtrlD ||= act("app.exit");
  editor.onPasteImage ||= act("app.clipboard.pasteImage");
  editor.onExtensionShortcut ||= (data) => {
    const is = ops.uiIsShortcut(extension, data);
    if (is) wish("shortcut", data);
    return is;
  };
  for (const action of ops.uiActions(extension)) {
    if (actionHandlers instanceof Map) actionHandlers.set(action, act(action));
    else editor.onAction?.(action, act(action));
  }
}

/** The text of the editor on the screen, where one of an extension stands there and has been told everything. */
export function shownText(): string | undefined {
  const editor = isTextComing() ? undefined : mountedAt("editor");
  return editor && wholeText(editor.component as EditorText);
}
