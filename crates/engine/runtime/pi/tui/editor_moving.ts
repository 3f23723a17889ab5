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
    const { texts, lines, starts } = ops.editorRows(this._model, width);
    return texts.map(({ length }, row) => ({ logicalLine: lines[row], startCol: starts[row], length }));
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
    const { line, col } = this.getCursor();
    return this.findVisualLineAt(visualLines, line, col);
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
    this._moveToRow(rows, current, target, this.getCursor().col);
  }

  _moveToRow(rows: VisualLine[], current: number, target: number, cursorCol: number): void {
    const from = rows[current];
    const to = rows[target];
    if (!from || !to) return;
    const line = this.getLines()[to.logicalLine] ?? "";
    const col = Math.min(to.startCol + this._targetColumn(rows, current, target, cursorCol), line.length);
    const unit = this._unitAround(line, col);
    if (!unit) {
      this.snappedFromCursorCol = null;
      ops.editorPlace(this._model, to.logicalLine, col);
      return;
    }
    // A marker that goes over several rows was visited where it starts: going down leaves it.
    if (unit.start < to.startCol && target > current) {
      const end = unit.start + unit.length;
      const next = rows.findIndex(
        (row, index) => index > target && (row.logicalLine !== to.logicalLine || row.startCol >= end),
      );
      if (next !== -1) {
        this._moveToRow(rows, current, next, col);
        return;
      }
    }
    this.snappedFromCursorCol = col;
    ops.editorPlace(this._model, to.logicalLine, unit.start);
  }

  /** The column in the target row: the same as now, or the one that vertical movement started from. */
  _targetColumn(rows: VisualLine[], current: number, target: number, cursorCol: number): number {
    const max = (index: number) =>
      this._isLastOfLine(rows, index) ? rows[index].length : Math.max(0, rows[index].length - 1);
    let column = cursorCol - rows[current].startCol;
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
    if (deltaLine !== 0) {
      const rows = this.buildVisualLineMap(this.lastWidth);
      const current = this.findCurrentVisualLine(rows);
      if (rows[current + deltaLine]) this.moveToVisualLine(rows, current, current + deltaLine);
    }
    if (deltaCol > 0) this._moveRight();
    else if (deltaCol < 0 && this._act("moveLeft")) this._settle();
    this._afterMove();
  }

  /** At the very end, the column counts anew for vertical movement. */
  _moveRight(): void {
    if (this._act("moveRight")) {
      this._settle();
      return;
    }
    const rows = this.buildVisualLineMap(this.lastWidth);
    this.preferredVisualCol = this.getCursor().col - rows[this.findCurrentVisualLine(rows)].startCol;
  }

  moveToLineStart(): void {
    this._act("moveToLineStart");
    this._settle();
  }

  moveToLineEnd(): void {
    this._act("moveToLineEnd");
    this._settle();
  }

  moveWordBackwards(): void {
    if (this._act("moveWordLeft")) this._settle();
  }

  moveWordForwards(): void {
    if (this._act("moveWordRight")) this._settle();
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
    const lines = this.getLines();
    const cursor = this.getCursor();
    for (let index = cursor.line; index >= 0 && index < lines.length; index += step) {
      const from = index === cursor.line ? cursor.col + step : undefined;
      const col = forward ? lines[index].indexOf(char, from) : lines[index].lastIndexOf(char, from);
      if (col === -1) continue;
      this._place(index, col);
      return;
    }
  }

  /** Shows an older (-1) or newer (1) entry of the history; newer than the newest is what was typed before. */
  navigateHistory(direction: number): void {
    if (!this._act(direction === -1 ? "historyPrevious" : "historyNext")) return;
    this.scrollOffset = 0;
    this._edited();
  }

  setTextInternal(text: string, cursor: "start" | "end" = "end"): void {
    const lines = text.split("\n");
    const atStart = cursor === "start";
    ops.editorSetLines(this._model, lines, atStart ? 0 : lines.length - 1, atStart ? 0 : Infinity);
    this.scrollOffset = 0;
    this._edited();
  }
}
