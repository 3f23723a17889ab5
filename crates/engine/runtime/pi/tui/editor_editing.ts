// Changing the text of an editor.
import { ops } from "tau:ops";
import { EditorState, PASTE_MARKER } from "./editor_state.ts";

/** Pastes of more than this become a marker. */
const MAX_PASTED_LINES = 10;
const MAX_PASTED_CHARS = 1000;

const WHOLE_MARKER = new RegExp(`^${PASTE_MARKER.source}$`);

/** How an editor's text changes. */
export class EditorEditing extends EditorState {
  /** Called after a character was typed; the editor looks for completions then. */
  _afterInsert(_char: string): void {}

  /** Called after a character was deleted. */
  _afterDelete(): void {}

  /** Closes the list of completions. */
  cancelAutocomplete(): void {}

  normalizeText(text: string): string {
    return text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ");
  }

  /** Inserts text as one step of undo. */
  insertTextAtCursor(text: string): void {
    if (!text) return;
    this.cancelAutocomplete();
    this.pushUndoSnapshot();
    this.lastAction = null;
    this.exitHistoryBrowsing();
    this.insertTextAtCursorInternal(text);
  }

  insertTextAtCursorInternal(text: string): void {
    if (!text) return;
    this._splice(this.normalizeText(text));
    this._changed();
  }

  /** Puts text, which may have several lines, in at the cursor, and the cursor behind it. */
  _splice(text: string): void {
    const inserted = text.split("\n");
    const last = inserted.length - 1;
    const col = last === 0 ? this.state.cursorCol + text.length : inserted[last].length;
    const after = this._afterCursor();
    inserted[0] = this._beforeCursor() + inserted[0];
    inserted[last] += after;
    this.state.lines.splice(this.state.cursorLine, 1, ...inserted);
    this.state.cursorLine += last;
    this.setCursorCol(col);
  }

  insertCharacter(char: string, skipUndoCoalescing?: boolean): void {
    this.exitHistoryBrowsing();
    if (!skipUndoCoalescing) {
      // A word is undone as one, with the space before it.
      if (/\s/.test(char) || this.lastAction !== "type-word") this.pushUndoSnapshot();
      this.lastAction = "type-word";
    }
    this.state.lines[this.state.cursorLine] = this._beforeCursor() + char + this._afterCursor();
    this.setCursorCol(this.state.cursorCol + char.length);
    this._changed();
    this._afterInsert(char);
  }

  addNewLine(): void {
    this.cancelAutocomplete();
    this.exitHistoryBrowsing();
    this.lastAction = null;
    this.pushUndoSnapshot();
    this._splice("\n");
    this._changed();
  }

  handlePaste(pasted: string): void {
    this.cancelAutocomplete();
    this.exitHistoryBrowsing();
    this.lastAction = null;
    this.pushUndoSnapshot();
    // Some multiplexers send the control characters of a paste as the keys that would type them.
    const decoded = pasted.replace(/\x1b\[(\d+);5u/g, (sequence, code) => {
      const letter = String.fromCharCode(code);
      return /[a-zA-Z]/.test(letter) && code < 128 ? String.fromCharCode(code & 0x1f) : sequence;
    });
    let text = this.normalizeText(decoded).replace(/[\x00-\x09\x0b-\x1f]/g, "");
    // A path that is pasted behind a word is meant to be a word of its own.
    if (/^[/~.]/.test(text) && /\w$/.test(this._beforeCursor())) text = ` ${text}`;
    const lines = text.split("\n").length;
    if (lines > MAX_PASTED_LINES || text.length > MAX_PASTED_CHARS) {
      const id = ++this.pasteCounter;
      this.pastes.set(id, text);
      text = `[paste #${id} ${lines > MAX_PASTED_LINES ? `+${lines} lines` : `${text.length} chars`}]`;
    }
    this.insertTextAtCursorInternal(text);
  }

  handleBackspace(): void {
    this.exitHistoryBrowsing();
    this.lastAction = null;
    if (this.state.cursorCol > 0) {
      this.pushUndoSnapshot();
      const removed = this._units(this._beforeCursor()).at(-1) ?? "";
      const marker = this._markerIds(removed) && WHOLE_MARKER.exec(removed);
      if (marker) this._forgetPaste(Number(marker[1]));
      const from = this.state.cursorCol - removed.length;
      this.state.lines[this.state.cursorLine] = this._currentLine().slice(0, from) + this._afterCursor();
      this.setCursorCol(from);
    } else if (this.state.cursorLine > 0) {
      this.pushUndoSnapshot();
      this._joinWithPrevious();
    }
    this._changed();
    this._afterDelete();
  }

  handleForwardDelete(): void {
    this.exitHistoryBrowsing();
    this.lastAction = null;
    const after = this._afterCursor();
    if (after !== "") {
      this.pushUndoSnapshot();
      const removed = this._units(after)[0] ?? "";
      this.state.lines[this.state.cursorLine] = this._beforeCursor() + after.slice(removed.length);
    } else if (this.state.cursorLine < this.state.lines.length - 1) {
      this.pushUndoSnapshot();
      this._joinWithNext();
    }
    this._changed();
    this._afterDelete();
  }

  /** Drops a paste; the numbers after it move up, in the text too. */
  _forgetPaste(removed: number): void {
    this.pastes = new Map(
      [...this.pastes]
        .filter(([id]) => id !== removed)
        .map(([id, text]) => [id > removed ? id - 1 : id, text]),
    );
    this.pasteCounter--;
    this.state.lines = this.state.lines.map((line) =>
      line.replace(PASTE_MARKER, (marker, id, size = "") => (id > removed ? `[paste #${id - 1}${size}]` : marker)),
    );
  }

  _joinWithPrevious(): void {
    const { lines, cursorLine } = this.state;
    const previous = lines[cursorLine - 1] || "";
    lines.splice(cursorLine - 1, 2, previous + this._currentLine());
    this.state.cursorLine--;
    this.setCursorCol(previous.length);
  }

  _joinWithNext(): void {
    const { lines, cursorLine } = this.state;
    lines.splice(cursorLine, 2, this._currentLine() + (lines[cursorLine + 1] || ""));
  }

  deleteToStartOfLine(): void {
    this._killBackward(() => 0);
  }

  deleteWordBackwards(): void {
    this._killBackward((before) => before.length - ops.viewWordLeft(before, this._markerIds(before)));
  }

  deleteToEndOfLine(): void {
    this._killForward((after) => after.length);
  }

  deleteWordForward(): void {
    this._killForward((after) => ops.viewWordRight(after, this._markerIds(after)));
  }

  /** Kills from a column of the line up to the cursor; at the start of the line, the line break before it. */
  _killBackward(start: (before: string) => number): void {
    this.exitHistoryBrowsing();
    const before = this._beforeCursor();
    if (before !== "") {
      this.pushUndoSnapshot();
      const from = start(before);
      this._kill(before.slice(from), true);
      this.state.lines[this.state.cursorLine] = before.slice(0, from) + this._afterCursor();
      this.setCursorCol(from);
    } else if (this.state.cursorLine > 0) {
      this.pushUndoSnapshot();
      this._kill("\n", true);
      this._joinWithPrevious();
    }
    this._changed();
  }

  /** Kills so many characters after the cursor; at the end of the line, the line break. */
  _killForward(length: (after: string) => number): void {
    this.exitHistoryBrowsing();
    const after = this._afterCursor();
    if (after !== "") {
      this.pushUndoSnapshot();
      const killed = after.slice(0, length(after));
      this._kill(killed, false);
      this.state.lines[this.state.cursorLine] = this._beforeCursor() + after.slice(killed.length);
    } else if (this.state.cursorLine < this.state.lines.length - 1) {
      this.pushUndoSnapshot();
      this._kill("\n", false);
      this._joinWithNext();
    }
    this._changed();
  }

  _kill(text: string, prepend: boolean): void {
    this.killRing.push(text, { prepend, accumulate: this.lastAction === "kill" });
    this.lastAction = "kill";
  }

  yank(): void {
    const text = this.killRing.peek();
    if (text === undefined) return;
    this.pushUndoSnapshot();
    this.insertYankedText(text);
  }

  /** Right after a yank: the text killed before, in place of what was yanked. */
  yankPop(): void {
    if (this.lastAction !== "yank" || this.killRing.length <= 1) return;
    this.pushUndoSnapshot();
    this.deleteYankedText(this.killRing.peek()!);
    this.killRing.rotate();
    this.insertYankedText(this.killRing.peek()!);
  }

  insertYankedText(text: string): void {
    this.exitHistoryBrowsing();
    this._splice(text);
    this._changed();
    this.lastAction = "yank";
  }

  deleteYankedText(text: string): void {
    const yanked = text.split("\n");
    const last = yanked.length - 1;
    const line = this.state.cursorLine - last;
    const first = this.state.lines[line] || "";
    const col = (last === 0 ? this.state.cursorCol : first.length) - yanked[0].length;
    this.state.lines.splice(line, yanked.length, first.slice(0, col) + this._afterCursor());
    this.state.cursorLine = line;
    this.setCursorCol(col);
    this._changed();
  }
}
