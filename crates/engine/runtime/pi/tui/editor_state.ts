// What an editor knows: its text, the cursor, what was pasted, killed and undone.
import { ops } from "tau:ops";
import { KillRing } from "./kill_ring.ts";
import { graphemes, visibleWidth } from "./text_layout.ts";

type State = { lines: string[]; cursorLine: number; cursorCol: number };
type Snapshot = { state: State; pastes: Map<number, string>; pasteCounter: number };

/** Stands for a long paste in the text; the numbers are those of `pastes`. */
export const PASTE_MARKER = /\[paste #(\d+)( (\+\d+ lines|\d+ chars))?\]/g;

/** The state of an editor, and the steps that every change of it takes. */
export class EditorState {
  state: State = { lines: [""], cursorLine: 0, cursorCol: 0 };
  pastes = new Map<number, string>();
  pasteCounter = 0;
  killRing = new KillRing();
  undoStack: Snapshot[] = [];
  /** Kinds of actions that go on when they follow each other. */
  lastAction: "kill" | "yank" | "type-word" | null = null;
  /** The column that vertical movement tries to get back to. */
  preferredVisualCol: number | null = null;
  /** Where the cursor would be if it had not been moved to the start of a marker. */
  snappedFromCursorCol: number | null = null;
  history: string[] = [];
  /** Which entry of the history is shown; -1 for none. */
  historyIndex = -1;
  historyDraft: State | null = null;
  onChange: ((text: string) => void) | undefined;

  getText(): string {
    return this.state.lines.join("\n");
  }

  /** The text with pastes in place of their markers. */
  getExpandedText(): string {
    return this.expandPasteMarkers(this.getText());
  }

  expandPasteMarkers(text: string): string {
    return text.replace(PASTE_MARKER, (marker, id) => this.pastes.get(Number(id)) ?? marker);
  }

  getLines(): string[] {
    return [...this.state.lines];
  }

  getCursor(): { line: number; col: number } {
    return { line: this.state.cursorLine, col: this.state.cursorCol };
  }

  isEditorEmpty(): boolean {
    return this.state.lines.length === 1 && this.state.lines[0] === "";
  }

  _currentLine(): string {
    return this.state.lines[this.state.cursorLine] || "";
  }

  _beforeCursor(): string {
    return this._currentLine().slice(0, this.state.cursorCol);
  }

  _afterCursor(): string {
    return this._currentLine().slice(this.state.cursorCol);
  }

  /** Moves the cursor within its line; vertical movement starts from here. */
  setCursorCol(col: number): void {
    this.state.cursorCol = col;
    this.preferredVisualCol = null;
    this.snappedFromCursorCol = null;
  }

  /** The numbers of the markers that count as one character in `text`; none for most text. */
  _markerIds(text: string): number[] | undefined {
    return this.pastes.size > 0 && text.includes("[paste #") ? [...this.pastes.keys()] : undefined;
  }

  /** The characters of `text`, as the cursor moves over them. */
  _units(text: string): string[] {
    return graphemes(text, this._markerIds(text));
  }

  /** The rows of a line of text in `width` columns. */
  _rows(line: string, width: number): string[] {
    return visibleWidth(line) <= width ? [line] : ops.viewWrapLine(line, width, this._markerIds(line));
  }

  _changed(): void {
    this.onChange?.(this.getText());
  }

  pushUndoSnapshot(): void {
    const { lines, cursorLine, cursorCol } = this.state;
    const state = { lines: [...lines], cursorLine, cursorCol };
    this.undoStack.push({ state, pastes: new Map(this.pastes), pasteCounter: this.pasteCounter });
  }

  undo(): void {
    this.exitHistoryBrowsing();
    const snapshot = this.undoStack.pop();
    if (!snapshot) return;
    Object.assign(this.state, snapshot.state);
    this.pastes = snapshot.pastes;
    this.pasteCounter = snapshot.pasteCounter;
    this.lastAction = null;
    this.preferredVisualCol = null;
    this._changed();
  }

  /** Remembers a prompt for the history. */
  addToHistory(text: string): void {
    const entry = text.trim();
    if (!entry || this.history[0] === entry) return;
    this.history.unshift(entry);
    if (this.history.length > 100) this.history.pop();
  }

  exitHistoryBrowsing(): void {
    this.historyIndex = -1;
    this.historyDraft = null;
  }
}
