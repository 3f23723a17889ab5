// A text editor of several lines.
import { ops } from "tau:ops";
import { CURSOR_MARKER } from "./component.ts";
import { EditorCompletion } from "./editor_completion.ts";
import { getKeybindings } from "./keybindings.ts";
import { decodePrintableKey, matchesKey } from "./keys.ts";
import { PasteBuffer } from "./paste_buffer.ts";
import { sliceByColumn, visibleWidth } from "./text_layout.ts";

type EditorOptions = { paddingX?: number; autocompleteMaxVisible?: number };
type LayoutLine = { text: string; hasCursor: boolean; cursorPos?: number; under?: string };

const wholeNumber = (value: number, fallback: number) => (Number.isFinite(value) ? Math.floor(value) : fallback);
const listHeight = (value: number) => Math.max(3, Math.min(20, wholeNumber(value, 5)));

/** An editor between two lines, with history, completions, and markers in place of long pastes. */
export class Editor extends EditorCompletion {
  /** Set while the keyboard focus is here. */
  focused = false;
  borderColor: (text: string) => string;
  paddingX = 0;
  renderedVisibleLineCount = 1;
  renderedAutocompleteHeight = 0;
  _paste = new PasteBuffer();
  /** Which way to jump to the character that is typed next. */
  jumpMode: "forward" | "backward" | null = null;
  onSubmit: ((text: string) => void) | undefined;
  disableSubmit = false;

  constructor(tui: any, theme: any, options: EditorOptions = {}) {
    super();
    this.tui = tui;
    this.theme = theme;
    this.borderColor = theme.borderColor;
    this.paddingX = Math.max(0, wholeNumber(options.paddingX ?? 0, 0));
    this.autocompleteMaxVisible = listHeight(options.autocompleteMaxVisible ?? 5);
  }

  getPaddingX(): number {
    return this.paddingX;
  }

  setPaddingX(padding: number): void {
    const paddingX = Math.max(0, wholeNumber(padding, 0));
    if (this.paddingX === paddingX) return;
    this.paddingX = paddingX;
    this.tui.requestRender();
  }

  getAutocompleteMaxVisible(): number {
    return this.autocompleteMaxVisible;
  }

  setAutocompleteMaxVisible(maxVisible: number): void {
    const height = listHeight(maxVisible);
    if (this.autocompleteMaxVisible === height) return;
    this.autocompleteMaxVisible = height;
    this.tui.requestRender();
  }

  /** Replaces the text; undo brings the old one back. */
  setText(text: string): void {
    this.cancelAutocomplete();
    ops.editorSetText(this._model, text);
    this.scrollOffset = 0;
    this._edited();
  }

  submitValue(): void {
    this.cancelAutocomplete();
    const text = this.getExpandedText().trim();
    this._act("submit");
    this.scrollOffset = 0;
    this.onChange?.("");
    this.onSubmit?.(text);
  }

  /** Another editor's model, or its content, has taken the place of this one's. */
  _modelChanged(): void {
    this.cancelAutocomplete();
    this.jumpMode = null;
    this.scrollOffset = 0;
    this._edited();
    this.tui.requestRender();
  }

  handleInput(data: string): void {
    const keys = getKeybindings();
    if (this._handleJump(data, keys)) return;
    const paste = this._paste.take(data);
    if (paste) {
      if (paste.pasted) this.handlePaste(paste.pasted);
      if (paste.rest) this.handleInput(paste.rest);
      return;
    }
    // Copying, which is also how a prompt is cleared, belongs to whoever holds the editor.
    if (keys.matches(data, "tui.input.copy")) return;
    if (keys.matches(data, "tui.editor.undo")) this.undo();
    else if (this._handleCompletionKey(data, keys)) return;
    else if (keys.matches(data, "tui.input.tab") && !this.autocompleteState) this.handleTabCompletion();
    else if (this._handleEditingKey(data, keys)) return;
    else if (this._isNewLine(data, keys)) this._newLineOrSubmit(data, keys);
    else if (keys.matches(data, "tui.input.submit")) this._submitOrNewLine();
    else if (!this._handleMovingKey(data, keys)) this._type(data);
  }

  /** The key after a jump key; true if it is the character to jump to, or ends the jump. */
  _handleJump(data: string, keys: any): boolean {
    const direction = this.jumpMode;
    if (direction === null) return false;
    this.jumpMode = null;
    if (keys.matches(data, "tui.editor.jumpForward") || keys.matches(data, "tui.editor.jumpBackward")) return true;
    const char = decodePrintableKey(data) ?? (data.charCodeAt(0) >= 32 ? data : undefined);
    if (char !== undefined) this.jumpToChar(char, direction);
    return char !== undefined;
  }

  _handleEditingKey(data: string, keys: any): boolean {
    return this._handleBoundKey(data, keys, [
      ["deleteToLineEnd", () => this.deleteToEndOfLine()],
      ["deleteToLineStart", () => this.deleteToStartOfLine()],
      ["deleteWordBackward", () => this.deleteWordBackwards()],
      ["deleteWordForward", () => this.deleteWordForward()],
      ["deleteCharBackward", () => this.handleBackspace(), "shift+backspace"],
      ["deleteCharForward", () => this.handleForwardDelete(), "shift+delete"],
      ["yank", () => this.yank()],
      ["yankPop", () => this.yankPop()],
      ["historyPrevious", () => (this.cancelAutocomplete(), this.navigateHistory(-1))],
      ["historyNext", () => (this.cancelAutocomplete(), this.navigateHistory(1))],
      ["cursorLineStart", () => this.moveToLineStart()],
      ["cursorLineEnd", () => this.moveToLineEnd()],
      ["cursorWordLeft", () => this.moveWordBackwards()],
      ["cursorWordRight", () => this.moveWordForwards()],
    ]);
  }

  _handleMovingKey(data: string, keys: any): boolean {
    return this._handleBoundKey(data, keys, [
      ["cursorUp", () => this._up()],
      ["cursorDown", () => this._down()],
      ["cursorRight", () => this.moveCursor(0, 1)],
      ["cursorLeft", () => this.moveCursor(0, -1)],
      ["pageUp", () => this.pageScroll(-1)],
      ["pageDown", () => this.pageScroll(1)],
      ["jumpForward", () => (this.jumpMode = "forward")],
      ["jumpBackward", () => (this.jumpMode = "backward")],
    ]);
  }

  _handleBoundKey(data: string, keys: any, actions: [string, () => unknown, string?][]): boolean {
    const found = actions.find(
      ([name, , key]) => keys.matches(data, `tui.editor.${name}`) || (key !== undefined && matchesKey(data, key)),
    );
    found?.[1]();
    return found !== undefined;
  }

  /** At the top, up goes to the start of the line first and to the history then. */
  _up(): void {
    if (!this.isOnFirstVisualLine()) this.moveCursor(-1, 0);
    else if (this.isEditorEmpty() || this.historyIndex > -1 || this.getCursor().col === 0) this.navigateHistory(-1);
    else this.moveToLineStart();
  }

  _down(): void {
    if (!this.isOnLastVisualLine()) this.moveCursor(1, 0);
    else if (this.historyIndex > -1) this.navigateHistory(1);
    else this.moveToLineEnd();
  }

  /** Terminals have many ways to say shift+enter. */
  _isNewLine(data: string, keys: any): boolean {
    return (
      keys.matches(data, "tui.input.newLine") ||
      data.startsWith("\n") ||
      data === "\x1b\r" ||
      data === "\x1b[13;2~" ||
      (data.length > 1 && data.includes("\x1b") && data.includes("\r"))
    );
  }

  _isAfterBackslash(): boolean {
    return this._beforeCursor().endsWith("\\");
  }

  /** Where shift+enter submits, a backslash makes plain enter submit. */
  _newLineOrSubmit(data: string, keys: any): void {
    const submit = keys.getKeys("tui.input.submit");
    const swapped = submit.includes("shift+enter") || submit.includes("shift+return");
    if (!this.disableSubmit && swapped && matchesKey(data, "enter") && this._isAfterBackslash()) {
      this.handleBackspace();
      this.submitValue();
    } else {
      this.addNewLine();
    }
  }

  /** A backslash makes enter a line break, for terminals that cannot tell shift+enter. */
  _submitOrNewLine(): void {
    if (this.disableSubmit) return;
    if (this._isAfterBackslash()) {
      this.handleBackspace();
      this.addNewLine();
    } else {
      this.submitValue();
    }
  }

  _type(data: string): void {
    if (matchesKey(data, "shift+space")) {
      this.insertCharacter(" ");
      return;
    }
    const char = decodePrintableKey(data) ?? (data.charCodeAt(0) >= 32 ? data : undefined);
    if (char !== undefined) this.insertCharacter(char);
  }

  invalidate(): void {}

  /** The text as rows of `width` columns, with the cursor in one of them. */
  layoutText(width: number): LayoutLine[] {
    const { texts, row, column, under } = ops.editorRows(this._model, width);
    return texts.map((text, index): LayoutLine => {
      return index === row ? { text, hasCursor: true, cursorPos: column, under } : { text, hasCursor: false };
    });
  }

  render(width: number): string[] {
    const paddingX = Math.min(this.paddingX, Math.max(0, Math.floor((width - 1) / 2)));
    const contentWidth = Math.max(1, width - paddingX * 2);
    // A cursor behind the last column needs one more: the padding, or one that is kept free for it.
    this.lastWidth = Math.max(1, contentWidth - (paddingX ? 0 : 1));
    const rows = this.layoutText(this.lastWidth);
    const height = this._maxVisibleLines();
    const cursorRow = Math.max(0, rows.findIndex((row) => row.hasCursor));
    const scrolled = Math.min(cursorRow, Math.max(this.scrollOffset, cursorRow - height + 1));
    this.scrollOffset = Math.max(0, Math.min(scrolled, rows.length - height));
    const visible = rows.slice(this.scrollOffset, this.scrollOffset + height);
    this.renderedVisibleLineCount = visible.length;
    const below = rows.length - this.scrollOffset - visible.length;
    const completions = this.autocompleteState && this.autocompleteList ? this.autocompleteList.render(contentWidth) : [];
    this.renderedAutocompleteHeight = completions.length;
    const margin = " ".repeat(paddingX);
    const padding = (columns: number) => " ".repeat(Math.max(0, contentWidth - columns));
    return [
      this.renderTopBorder(width, this.scrollOffset),
      ...visible.map((row) => this._renderRow(row, contentWidth, margin)),
      this.renderBottomBorder(width, below),
      ...completions.map((line) => margin + line + padding(visibleWidth(line)) + margin),
    ];
  }

  renderTopBorder(width: number, hidden: number): string {
    return this.borderColor(border("↑", hidden, width));
  }

  renderBottomBorder(width: number, hidden: number): string {
    return this.borderColor(border("↓", hidden, width));
  }

  _renderRow(row: LayoutLine, contentWidth: number, margin: string): string {
    let { text } = row;
    let columns = visibleWidth(text);
    let rightMargin = margin;
    if (row.hasCursor) {
      const before = text.slice(0, row.cursorPos);
      const after = text.slice(row.cursorPos!);
      const under = row.under || " ";
      if (after === "") {
        columns++;
        if (columns > contentWidth) rightMargin = margin.slice(1);
      }
      const marker = this.focused ? CURSOR_MARKER : "";
      text = `${before}${marker}\x1b[7m${under}\x1b[0m${after.slice(under.length)}`;
    }
    return margin + text + " ".repeat(Math.max(0, contentWidth - columns)) + rightMargin;
  }

  handleMouse(event: any): any {
    const paddingX = Math.min(this.paddingX, Math.max(0, Math.floor((event.width - 1) / 2)));
    const x = event.x - paddingX;
    const listTop = this.renderedVisibleLineCount + 2;
    const list = this.autocompleteState ? this.autocompleteList : undefined;
    if (list && event.y >= listTop && event.y < listTop + this.renderedAutocompleteHeight) {
      const width = Math.max(1, event.width - paddingX * 2);
      const height = this.renderedAutocompleteHeight;
      const result = list.handleMouse({ ...event, x, y: event.y - listTop, width, height });
      return result ? { ...result, focus: true } : undefined;
    }
    // Presses and drags select text on the screen; only a click in place moves the cursor.
    if (event.type !== "click" || event.button !== "left") return undefined;
    if (event.y > 0 && event.y <= this.renderedVisibleLineCount) this._clickRow(this.scrollOffset + event.y - 1, Math.max(0, x));
    return { handled: true, focus: true };
  }

  _clickRow(index: number, column: number): void {
    const rows = this.buildVisualLineMap(this.lastWidth);
    const row = rows[index];
    if (!row) return;
    const end = row.startCol + row.length;
    const text = (this.getLines()[row.logicalLine] ?? "").slice(row.startCol, end);
    let [target, last, columns] = [0, 0, 0];
    for (const unit of this._units(text)) {
      last = target;
      columns += visibleWidth(unit);
      if (column < columns) break;
      target += unit.length;
    }
    // Behind a row that goes on is the start of the next one.
    if (target === text.length && text.length > 0 && !this._isLastOfLine(rows, index)) target = last;
    this._place(row.logicalLine, row.startCol + target);
    this.lastAction = null;
    this.exitHistoryBrowsing();
    this._afterMove();
  }
}

/** A horizontal line that says how many rows are hidden behind it. */
function border(direction: string, hidden: number, width: number): string {
  if (hidden <= 0) return "─".repeat(width);
  const room = Math.max(0, width);
  const label = ` ${direction} ${hidden} more `;
  if (label.length + 2 <= room) {
    const left = Math.floor((room - label.length) / 2);
    return "─".repeat(left) + label + "─".repeat(room - left - label.length);
  }
  const indicator = `───${label}`;
  if (indicator.length <= room) return indicator + "─".repeat(room - indicator.length);
  const ellipsis = "...".slice(0, room);
  return sliceByColumn(indicator, 0, room - ellipsis.length, true) + ellipsis;
}
