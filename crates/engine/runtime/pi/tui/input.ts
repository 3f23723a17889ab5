// One line of text that is being edited.
import { ops } from "tau:ops";
import { CURSOR_MARKER } from "./component.ts";
import { getKeybindings } from "./keybindings.ts";
import { decodeKittyPrintable } from "./keys.ts";
import { KillRing } from "./kill_ring.ts";
import { PasteBuffer } from "./paste_buffer.ts";
import { firstGrapheme, graphemes, lastGrapheme, sliceByColumn, truncateToWidth, visibleWidth } from "./text_layout.ts";

const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

/** An input line that scrolls sideways. */
export class Input {
  value = "";
  cursor = 0;
  prompt: string;
  placeholder: string;
  placeholderStyle: (text: string) => string;
  /** Set while the keyboard focus is here. */
  focused = false;
  onSubmit: ((value: string) => void) | undefined;
  onEscape: (() => void) | undefined;
  renderedStartColumn = 0;
  _paste = new PasteBuffer();
  killRing = new KillRing();
  lastAction: "kill" | "yank" | "type-word" | null = null;
  undoStack: { value: string; cursor: number }[] = [];

  constructor(options: { prompt?: string; placeholder?: string; placeholderStyle?: (text: string) => string } = {}) {
    this.prompt = options.prompt ?? "> ";
    this.placeholder = options.placeholder ?? "";
    this.placeholderStyle = options.placeholderStyle ?? ((text) => text);
  }

  getValue(): string {
    return this.value;
  }

  setValue(value: string): void {
    this.value = value;
    this.cursor = Math.min(this.cursor, value.length);
  }

  handleInput(data: string): void {
    const paste = this._paste.take(data);
    if (paste) {
      if (paste.pasted !== undefined) this.handlePaste(paste.pasted);
      if (paste.rest) this.handleInput(paste.rest);
      return;
    }
    const keys = getKeybindings();
    if (keys.matches(data, "tui.select.cancel")) this.onEscape?.();
    else if (keys.matches(data, "tui.editor.undo")) this.undo();
    else if (keys.matches(data, "tui.input.submit") || data === "\n") this.onSubmit?.(this.value);
    else if (!this._handleEditingKey(data, keys)) this._type(data);
  }

  /** Does what a key is bound to; false if it is not bound. */
  _handleEditingKey(data: string, keys: any): boolean {
    const bound: [string, () => void][] = [
      ["deleteCharBackward", () => this._deleteChar(lastGrapheme(this._before()), "")],
      ["deleteCharForward", () => this._deleteChar("", firstGrapheme(this._after()))],
      ["deleteWordBackward", () => this._kill(this._wordLeft(), this.cursor)],
      ["deleteWordForward", () => this._kill(this.cursor, this._wordRight())],
      ["deleteToLineStart", () => this._kill(0, this.cursor)],
      ["deleteToLineEnd", () => this._kill(this.cursor, this.value.length)],
      ["yank", () => this.yank()],
      ["yankPop", () => this.yankPop()],
      ["cursorLeft", () => this._moveTo(this.cursor - lastGrapheme(this._before()).length)],
      ["cursorRight", () => this._moveTo(this.cursor + firstGrapheme(this._after()).length)],
      ["cursorLineStart", () => this._moveTo(0)],
      ["cursorLineEnd", () => this._moveTo(this.value.length)],
      ["cursorWordLeft", () => this.cursor > 0 && this._moveTo(this._wordLeft())],
      ["cursorWordRight", () => this.cursor < this.value.length && this._moveTo(this._wordRight())],
    ];
    const found = bound.find(([name]) => keys.matches(data, `tui.editor.${name}`));
    found?.[1]();
    return found !== undefined;
  }

  _type(data: string): void {
    const text = decodeKittyPrintable(data) ?? (CONTROL.test(data) ? undefined : data);
    if (text === undefined) return;
    // A word is undone as one, with the space before it.
    if (/\s/.test(text) || this.lastAction !== "type-word") this.pushUndo();
    this.lastAction = "type-word";
    this._insert(text);
  }

  handlePaste(text: string): void {
    this.lastAction = null;
    this.pushUndo();
    this._insert(text.replace(/[\r\n]/g, "").replaceAll("\t", "    "));
  }

  handleMouse(event: any): any {
    if (event.type !== "press" || event.button !== "left" || event.y !== 0) return undefined;
    const target = this.renderedStartColumn + Math.max(0, event.x - 2);
    let column = 0;
    let index = 0;
    for (const grapheme of graphemes(this.value)) {
      column += visibleWidth(grapheme);
      if (target < column) break;
      index += grapheme.length;
    }
    this._moveTo(index);
    return { handled: true, focus: true };
  }

  _before(): string {
    return this.value.slice(0, this.cursor);
  }

  _after(): string {
    return this.value.slice(this.cursor);
  }

  _wordLeft(): number {
    return this.cursor - ops.viewWordLeft(this._before());
  }

  _wordRight(): number {
    return this.cursor + ops.viewWordRight(this._after());
  }

  _moveTo(cursor: number): void {
    this.lastAction = null;
    this.cursor = cursor;
  }

  _insert(text: string): void {
    this.value = this._before() + text + this._after();
    this.cursor += text.length;
  }

  _remove(from: number, to: number): void {
    this.value = this.value.slice(0, from) + this.value.slice(to);
    this.cursor = from;
  }

  _deleteChar(before: string, after: string): void {
    this.lastAction = null;
    if (!before && !after) return;
    this.pushUndo();
    this._remove(this.cursor - before.length, this.cursor + after.length);
  }

  _kill(from: number, to: number): void {
    if (from >= to) return;
    this.pushUndo();
    const prepend = from < this.cursor;
    this.killRing.push(this.value.slice(from, to), { prepend, accumulate: this.lastAction === "kill" });
    this.lastAction = "kill";
    this._remove(from, to);
  }

  yank(): void {
    const text = this.killRing.peek();
    if (!text) return;
    this.pushUndo();
    this._insert(text);
    this.lastAction = "yank";
  }

  yankPop(): void {
    if (this.lastAction !== "yank" || this.killRing.length <= 1) return;
    this.pushUndo();
    this._remove(this.cursor - this.killRing.peek()!.length, this.cursor);
    this.killRing.rotate();
    this._insert(this.killRing.peek()!);
    this.lastAction = "yank";
  }

  pushUndo(): void {
    this.undoStack.push({ value: this.value, cursor: this.cursor });
  }

  undo(): void {
    const snapshot = this.undoStack.pop();
    if (!snapshot) return;
    this.value = snapshot.value;
    this.cursor = snapshot.cursor;
    this.lastAction = null;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const room = width - visibleWidth(this.prompt);
    if (room <= 0) return [truncateToWidth(this.prompt, width, "")];
    if (this.value === "" && this.placeholder) {
      return [this._withCursor("", truncateToWidth(this.placeholder, room, ""), room, this.placeholderStyle)];
    }
    const [before, after] = this._visiblePart(room);
    return [this._withCursor(before, after, room, (text) => text)];
  }

  /** The part of the value that is shown, before and after the cursor. */
  _visiblePart(room: number): [string, string] {
    this.renderedStartColumn = 0;
    const total = visibleWidth(this.value);
    if (total < room) return [this._before(), this._after()];
    // A cursor behind the last character needs a column of its own.
    const columns = this.cursor === this.value.length ? room - 1 : room;
    if (columns <= 0) return ["", ""];
    const cursorColumn = visibleWidth(this._before());
    const half = Math.floor(columns / 2);
    let start = Math.max(0, cursorColumn - half);
    if (cursorColumn < half) start = 0;
    else if (cursorColumn > total - half) start = Math.max(0, total - columns);
    this.renderedStartColumn = start;
    const visible = sliceByColumn(this.value, start, columns, true);
    const before = sliceByColumn(this.value, start, Math.max(0, cursorColumn - start), true);
    return [visible.slice(0, before.length), visible.slice(before.length)];
  }

  _withCursor(before: string, after: string, room: number, style: (text: string) => string): string {
    const under = firstGrapheme(after);
    const marker = this.focused ? CURSOR_MARKER : "";
    const rest = after.slice(under.length || 1);
    const shown = `${before}${marker}\x1b[7m${style(under || " ")}\x1b[27m${style(rest)}`;
    return this.prompt + shown + " ".repeat(Math.max(0, room - visibleWidth(shown)));
  }
}
