// Moving the cursor of an editor, over rows as the screen shows them and through the history.
import { ops } from "tau:ops";
import { EditorEditing } from "./editor_editing.ts";

/** A row on the screen: which part of which line it shows. */
type VisualLine = { logicalLine: number; startCol: number; length: number };

/** How an editor's cursor moves. */
export class EditorMoving extends EditorEditing {
  tui: any;
  /** The columns that text was last laid out in. */
  lastWidth = 80;
  scrollOffset = 0;

  /** Called after the cursor moved; a list of completions is brought up to date then. */
  _afterMove(): void {}

  /** How many rows the editor shows at most. */
  _maxVisibleLines(): number {
    return Math.max(5, Math.floor(this.tui.terminal.rows * 0.3));
  }

  buildVisualLineMap(width: number): VisualLine[] {
    return this.state.lines.flatMap((line, logicalLine) => {
      let startCol = 0;
      return this._rows(line, width).map(({ length }) => {
        startCol += length;
        return { logicalLine, startCol: startCol - length, length };
      });
    });
  }

  /** The row that shows a position; a position between two rows belongs to the second. */
  findVisualLineAt(visualLines: VisualLine[], line: number, col: number): number {
    const found = visualLines.findIndex((row, index) => {
      const offset = col - row.startCol;
      const end = this._isLastOfLine(visualLines, index) ? row.length : row.length - 1;
      return row.logicalLine === line && offset >= 0 && offset <= end;
    });
    return found === -1 ? visualLines.length - 1 : found;
  }

  findCurrentVisualLine(visualLines: VisualLine[]): number {
    return this.findVisualLineAt(visualLines, this.state.cursorLine, this.state.cursorCol);
  }

  _isLastOfLine(visualLines: VisualLine[], index: number): boolean {
    return visualLines[index + 1]?.logicalLine !== visualLines[index].logicalLine;
  }

  isOnFirstVisualLine(): boolean {
    return this.findCurrentVisualLine(this.buildVisualLineMap(this.lastWidth)) === 0;
  }

  isOnLastVisualLine(): boolean {
    const rows = this.buildVisualLineMap(this.lastWidth);
    return this.findCurrentVisualLine(rows) === rows.length - 1;
  }

  moveToVisualLine(rows: VisualLine[], current: number, target: number): void {
    const from = rows[current];
    const to = rows[target];
    if (!from || !to) return;
    this.state.cursorCol = to.startCol + this._targetColumn(rows, current, target);
    this.state.cursorLine = to.logicalLine;
    const line = this._currentLine();
    this.state.cursorCol = Math.min(this.state.cursorCol, line.length);
    const unit = this._unitAround(line, this.state.cursorCol);
    if (!unit) {
      this.snappedFromCursorCol = null;
      return;
    }
    // A marker that goes over several rows was visited where it starts: going down leaves it.
    if (unit.start < to.startCol && target > current) {
      const end = unit.start + unit.length;
      const next = rows.findIndex(
        (row, index) => index > target && (row.logicalLine !== to.logicalLine || row.startCol >= end),
      );
      if (next !== -1) {
        this.moveToVisualLine(rows, current, next);
        return;
      }
    }
    this.snappedFromCursorCol = this.state.cursorCol;
    this.state.cursorCol = unit.start;
  }

  /** The column in the target row: the same as now, or the one that vertical movement started from. */
  _targetColumn(rows: VisualLine[], current: number, target: number): number {
    const max = (index: number) =>
      this._isLastOfLine(rows, index) ? rows[index].length : Math.max(0, rows[index].length - 1);
    let column = this.state.cursorCol - rows[current].startCol;
    if (this.snappedFromCursorCol !== null) {
      const snapped = this.findVisualLineAt(rows, rows[current].logicalLine, this.snappedFromCursorCol);
      column = this.snappedFromCursorCol - rows[snapped].startCol;
    }
    const preferred = this.preferredVisualCol;
    const clamped = preferred !== null && column >= max(current);
    const goal = clamped ? preferred : column;
    const fits = max(target) >= Math.max(goal, column);
    if (fits) this.preferredVisualCol = null;
    else if (!clamped) this.preferredVisualCol = column;
    return fits ? goal : max(target);
  }

  /** The character of several units that `col` stands in or before; nothing if the cursor may stand there. */
  _unitAround(line: string, col: number): { start: number; length: number } | undefined {
    let start = 0;
    for (const { length } of this._units(line)) {
      if (start > col) return undefined;
      if (length > 1 && col < start + length) return { start, length };
      start += length;
    }
    return undefined;
  }

  moveCursor(deltaLine: number, deltaCol: number): void {
    this.lastAction = null;
    const rows = this.buildVisualLineMap(this.lastWidth);
    const current = this.findCurrentVisualLine(rows);
    if (deltaLine !== 0 && rows[current + deltaLine]) this.moveToVisualLine(rows, current, current + deltaLine);
    if (deltaCol > 0) this._moveRight(rows[current]);
    else if (deltaCol < 0) this._moveLeft();
    this._afterMove();
  }

  _moveRight(row: VisualLine): void {
    const after = this._afterCursor();
    if (after !== "") {
      this.setCursorCol(this.state.cursorCol + (this._units(after)[0]?.length ?? 1));
    } else if (this.state.cursorLine < this.state.lines.length - 1) {
      this.state.cursorLine++;
      this.setCursorCol(0);
    } else {
      this.preferredVisualCol = this.state.cursorCol - row.startCol;
    }
  }

  _moveLeft(): void {
    const before = this._beforeCursor();
    if (before !== "") {
      this.setCursorCol(this.state.cursorCol - (this._units(before).at(-1)?.length ?? 1));
    } else if (this.state.cursorLine > 0) {
      this.state.cursorLine--;
      this.setCursorCol(this._currentLine().length);
    }
  }

  moveToLineStart(): void {
    this.lastAction = null;
    this.setCursorCol(0);
  }

  moveToLineEnd(): void {
    this.lastAction = null;
    this.setCursorCol(this._currentLine().length);
  }

  moveWordBackwards(): void {
    this.lastAction = null;
    const before = this._beforeCursor();
    if (before !== "") this.setCursorCol(before.length - ops.viewWordLeft(before, this._markerIds(before)));
    else this._moveLeft();
  }

  moveWordForwards(): void {
    this.lastAction = null;
    const after = this._afterCursor();
    if (after !== "") {
      this.setCursorCol(this.state.cursorCol + ops.viewWordRight(after, this._markerIds(after)));
    } else if (this.state.cursorLine < this.state.lines.length - 1) {
      this.state.cursorLine++;
      this.setCursorCol(0);
    }
  }

  pageScroll(direction: number): void {
    this.lastAction = null;
    const rows = this.buildVisualLineMap(this.lastWidth);
    const current = this.findCurrentVisualLine(rows);
    const target = Math.max(0, Math.min(rows.length - 1, current + direction * this._maxVisibleLines()));
    this.moveToVisualLine(rows, current, target);
  }

  /** Moves to the next place where `char` stands, over lines. */
  jumpToChar(char: string, direction: "forward" | "backward"): void {
    this.lastAction = null;
    const forward = direction === "forward";
    const step = forward ? 1 : -1;
    const { lines, cursorLine, cursorCol } = this.state;
    for (let index = cursorLine; index >= 0 && index < lines.length; index += step) {
      const from = index === cursorLine ? cursorCol + step : undefined;
      const col = forward ? lines[index].indexOf(char, from) : lines[index].lastIndexOf(char, from);
      if (col === -1) continue;
      this.state.cursorLine = index;
      this.setCursorCol(col);
      return;
    }
  }

  /** Shows an older (-1) or newer (1) entry of the history; newer than the newest is what was typed before. */
  navigateHistory(direction: number): void {
    this.lastAction = null;
    const index = this.historyIndex - direction;
    if (this.history.length === 0 || index < -1 || index >= this.history.length) return;
    if (this.historyIndex === -1 && index >= 0) {
      this.pushUndoSnapshot();
      this.historyDraft = { ...this.state, lines: [...this.state.lines] };
    }
    this.historyIndex = index;
    if (index >= 0) {
      this.setTextInternal(this.history[index] || "", direction === -1 ? "start" : "end");
      return;
    }
    const draft = this.historyDraft;
    this.historyDraft = null;
    if (!draft) {
      this.setTextInternal("");
      return;
    }
    this.state = draft;
    this.preferredVisualCol = null;
    this.snappedFromCursorCol = null;
    this.scrollOffset = 0;
    this._changed();
  }

  setTextInternal(text: string, cursor: "start" | "end" = "end"): void {
    const lines = text.split("\n");
    this.state.lines = lines;
    this.state.cursorLine = cursor === "start" ? 0 : lines.length - 1;
    this.setCursorCol(cursor === "start" ? 0 : lines[lines.length - 1].length);
    this.scrollOffset = 0;
    this._changed();
  }
}
