// Changing the text of an editor.
import { type EditorAction, ops } from "tau:ops";
import { EditorState } from "./editor_state.ts";

/** How an editor's text changes. */
export class EditorEditing extends EditorState {
  /** Called after a character was typed; the editor looks for completions then. */
  _afterInsert(_char: string): void {}

  /** Called after a character was deleted. */
  _afterDelete(): void {}

  /** Closes the list of completions. */
  cancelAutocomplete(): void {}

  /** The text and the cursor have changed. */
  _edited(): void {
    this._settle();
    this._changed();
  }

  /** Inserts text as one step of undo. */
  insertTextAtCursor(text: string): void {
    if (!text) return;
    this.cancelAutocomplete();
    ops.editorInsert(this._model, text);
    this._edited();
  }

  /** Inserts text as a part of the step that is being taken. */
  insertTextAtCursorInternal(text: string): void {
    if (!text) return;
    ops.editorType(this._model, text, true);
    this._edited();
  }

  /** Types a character. A word is undone as one, with the space before it. */
  insertCharacter(char: string, skipUndoCoalescing?: boolean): void {
    ops.editorType(this._model, char, skipUndoCoalescing === true);
    this._edited();
    this._afterInsert(char);
  }

  addNewLine(): void {
    this.cancelAutocomplete();
    this._act("newLine");
    this._edited();
  }

  handlePaste(pasted: string): void {
    this.cancelAutocomplete();
    ops.editorPaste(this._model, pasted);
    this._edited();
  }

  handleBackspace(): void {
    this._backward("deleteBackward");
    this._afterDelete();
  }

  handleForwardDelete(): void {
    this._act("deleteForward");
    this._changed();
    this._afterDelete();
  }

  deleteToStartOfLine(): void {
    this._backward("killToLineStart");
  }

  deleteWordBackwards(): void {
    this._backward("killWordBackward");
  }

  deleteToEndOfLine(): void {
    this._act("killToLineEnd");
    this._changed();
  }

  deleteWordForward(): void {
    this._act("killWordForward");
    this._changed();
  }

  /** Deletes what is before the cursor, which moves by that. */
  _backward(action: EditorAction): void {
    if (this._act(action)) this._settle();
    this._changed();
  }

  yank(): void {
    if (this._act("yank")) this._edited();
  }

  /** Right after a yank: the text killed before, in place of what was yanked. */
  yankPop(): void {
    if (this._act("yankPop")) this._edited();
  }
}
