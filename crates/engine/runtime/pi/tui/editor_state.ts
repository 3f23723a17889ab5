// What an editor knows. All of it is in one model, which another editor can take over as a whole.
import { type EditorAction, type EditorModel, ops } from "tau:ops";
import { LivePastes, LiveUndo, liveHistory, liveKillRing, liveState, type State } from "./editor_live.ts";
import type { KillRing } from "./kill_ring.ts";
import { graphemes } from "./text_layout.ts";

/** The kinds of actions that go on when they follow each other. */
type LastAction = "kill" | "yank" | "type-word" | null;

/** The state of an editor, and the members by which programs read and change it. */
export class EditorState {
  /** Text, cursor, pastes, history, kills and undo. Rust knows the name (crates/js/src/pi/editor/model.rs). */
  _model: EditorModel = ops.editorNew();
  #state = liveState(this);
  /** The column that vertical movement tries to get back to. */
  preferredVisualCol: number | null = null;
  /** Where the cursor would be if it had not been moved to the start of a marker. */
  snappedFromCursorCol: number | null = null;
  onChange: ((text: string) => void) | undefined;

  get state(): State {
    return this.#state;
  }

  set state({ lines, cursorLine, cursorCol }: State) {
    ops.editorSetLines(this._model, [...lines], cursorLine, cursorCol);
  }

  /** The pasted texts, by the numbers of their markers. */
  get pastes(): Map<number, string> {
    return new LivePastes(this);
  }

  set pastes(pastes: Map<number, string>) {
    ops.editorSetPastes(this._model, [...pastes]);
  }

  /** The number of the last paste. What is set is not used: the next number always follows from the pastes. */
  get pasteCounter(): number {
    return Math.max(0, ...ops.editorPastes(this._model).map(([id]) => id));
  }

  set pasteCounter(_: number) {}

  /** What was sent, newest first. */
  get history(): string[] {
    return liveHistory(this);
  }

  set history(entries: string[]) {
    ops.editorSetHistory(this._model, [...entries]);
  }

  /** Which entry of the history is shown; -1 for none. */
  get historyIndex(): number {
    return ops.editorShown(this._model);
  }

  set historyIndex(index: number) {
    if (index !== -1) throw new RangeError("entries of the history are shown with navigateHistory");
    this.exitHistoryBrowsing();
  }

  get killRing(): KillRing {
    return liveKillRing(this);
  }

  get undoStack(): LiveUndo {
    return new LiveUndo(this);
  }

  get lastAction(): LastAction {
    return ops.editorLastAction(this._model) ?? null;
  }

  set lastAction(action: LastAction) {
    ops.editorSetLastAction(this._model, action);
  }

  getText(): string {
    return ops.editorText(this._model, false);
  }

  /** The text with pastes in place of their markers. */
  getExpandedText(): string {
    return ops.editorText(this._model, true);
  }

  expandPasteMarkers(text: string): string {
    return ops.editorExpand(this._model, text);
  }

  getLines(): string[] {
    return ops.editorLines(this._model);
  }

  getCursor(): { line: number; col: number } {
    const [line, col] = ops.editorCursor(this._model);
    return { line, col };
  }

  isEditorEmpty(): boolean {
    return this.getText() === "";
  }

  _beforeCursor(): string {
    return ops.editorAround(this._model)[0];
  }

  /** Does something to the model; whether that had anything to do. */
  _act(action: EditorAction): boolean {
    return ops.editorAct(this._model, action);
  }

  /** Moves the cursor within its line. */
  setCursorCol(col: number): void {
    this._place(this.getCursor().line, col);
  }

  _place(line: number, col: number): void {
    ops.editorPlace(this._model, line, col);
    this._settle();
  }

  /** Vertical movement starts from where the cursor is now. */
  _settle(): void {
    this.preferredVisualCol = null;
    this.snappedFromCursorCol = null;
  }

  /** The characters of `text`, as the cursor moves over them. */
  _units(text: string): string[] {
    return text.includes("[paste #") ? ops.editorUnits(this._model, text) : graphemes(text);
  }

  _changed(): void {
    this.onChange?.(this.getText());
  }

  pushUndoSnapshot(): void {
    this._act("beginStep");
  }

  undo(): void {
    if (!this._act("undo")) return;
    this.preferredVisualCol = null;
    this._changed();
  }

  /** Remembers a prompt for the history. */
  addToHistory(text: string): void {
    ops.editorAddToHistory(this._model, text);
  }

  exitHistoryBrowsing(): void {
    this._act("leaveHistory");
  }
}
