// The text of an editor of an extension: how it gets one, and what it has.
import { importNow } from "../../internal/loader.ts";
import type { Component } from "./component.ts";

/** What of an editor has to do with its text, where it is there. */
export interface EditorText {
  getText?: () => string;
  getExpandedText?: () => string;
  setText?: (text: string) => void;
  insertTextAtCursor?: (text: string) => void;
}

/** The text, with what was pasted in the place of its marks. */
export function wholeText(editor: EditorText): string | undefined {
  return editor.getExpandedText?.() ?? editor.getText?.();
}

/** A text was given to the editor on the screen which that one has not got yet. */
let isComing = false;

export const isTextComing = (): boolean => isComing;

/** A text is on its way to the editor. */
export function textComes(): void {
  isComing = true;
}

/** Gives an editor a text. */
export function giveText(component: Component, text: string): void {
  isComing = false;
  (component as EditorText).setText?.(text);
}

/** An editor has this text already, as it shares it: one that does more when it gets a text gets it nevertheless. */
export function sharesText(component: Component, text: string): void {
  isComing = false;
  const { Editor } = importNow("tau:pi/tui/editor.ts");
  const { setText } = component as EditorText;
  if (typeof setText === "function" && setText !== Editor.prototype.setText) giveText(component, text);
}

/** Puts a text into an editor, at the cursor. */
export function insertText(component: Component, text: string): void {
  isComing = false;
  const editor = component as EditorText;
  // As a paste of the user, whose end it must not contain: what is long becomes a mark.
  if (component.handleInput) component.handleInput(`\x1b[200~${text.split("\x1b[201~").join("")}\x1b[201~`);
  else editor.insertTextAtCursor?.(text);
}
