// What dialogs are made of: lines around them, a title, lists, and the keys that count.
import { theme } from "../../../host/theme.ts";
import { Container } from "../../tui/component.ts";
import type { Input } from "../../tui/input.ts";
import { matchesKey } from "../../tui/keys.ts";
import { getKeybindings } from "../../tui/keybindings.ts";
import { visibleRange } from "../../tui/select_list.ts";
import { Spacer } from "../../tui/spacer.ts";
import { Text } from "../../tui/text.ts";
import { truncateToWidth } from "../../tui/text_layout.ts";
import { DynamicBorder } from "../dynamic_border.ts";
import { keyHint, keyText } from "../key_hints.ts";

/** How many rows lists show at most. */
export const MOST_ROWS = 10;

/** Whether what was typed is a key of an action, also of the application's. */
export function isKey(data: string, action: string): boolean {
  if (action.startsWith("tui.")) return getKeybindings().matches(data, action);
  return keyText(action).split("/").some((key) => key !== "" && matchesKey(data, key));
}

/** The keys of actions with what they do, in one line. */
export function hints(...pairs: [action: string, does: string][]): string {
  return pairs.map(([action, does]) => keyHint(action, does)).join("  ");
}

/** A dialog between two lines. */
export class Panel extends Container {
  readonly #title = new Text("", 1, 0);

  constructor(title: string, description?: string) {
    super();
    this.addChild(new DynamicBorder());
    this.addChild(new Spacer(1));
    this.setTitle(title);
    this.addChild(this.#title);
    if (description) {
      this.addChild(new Spacer(1));
      this.addChild(new Text(theme.fg("text", description), 1, 0));
    }
    this.addChild(new Spacer(1));
  }

  protected setTitle(title: string): void {
    this.#title.setText(theme.fg("accent", theme.bold(title)));
  }

  /** Adds what is the last of it: the keys that count, and the line below. */
  protected close(keys: string): void {
    this.addChild(new Spacer(1));
    if (keys) {
      this.addChild(new Text(keys, 1, 0));
      this.addChild(new Spacer(1));
    }
    this.addChild(new DynamicBorder());
  }
}

/**
 * A list inside of a dialog, as those get it who ask for it: TypeScript takes tau's classes for others than the published
 * ones, since both have parts of their own.
 */
export type InnerList = never;

/** How a list shows its items. */
export interface RowLook<T> {
  /** The item in one row, without its mark. */
  row: (item: T, isSelected: boolean) => string;
  /** What stands in the place of no items. */
  empty?: string;
  most?: number;
}

/** Items one below the other, of which one is selected. */
export class RowList<T> {
  items: readonly T[];
  selected = 0;
  onMove: ((item: T) => void) | undefined;
  readonly #look: RowLook<T>;

  constructor(items: readonly T[], look: RowLook<T>) {
    this.items = items;
    this.#look = look;
  }

  get current(): T | undefined {
    return this.items[this.selected];
  }

  /** Shows other items; the selection stays where it is if it can. */
  setItems(items: readonly T[], selected = this.selected): void {
    this.items = items;
    this.selected = Math.max(0, Math.min(selected, items.length - 1));
  }

  select(index: number): void {
    const next = Math.max(0, Math.min(index, this.items.length - 1));
    if (next === this.selected) return;
    this.selected = next;
    const item = this.current;
    if (item !== undefined) this.onMove?.(item);
  }

  /** Moves the selection; whether that is what the key is for. */
  handleInput(data: string): boolean {
    const last = this.items.length - 1;
    const page = this.#look.most ?? MOST_ROWS;
    if (isKey(data, "tui.select.up")) this.select(this.selected === 0 ? last : this.selected - 1);
    else if (isKey(data, "tui.select.down")) this.select(this.selected === last ? 0 : this.selected + 1);
    else if (isKey(data, "tui.select.pageUp")) this.select(this.selected - page);
    else if (isKey(data, "tui.select.pageDown")) this.select(this.selected + page);
    else return false;
    return true;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const count = this.items.length;
    if (count === 0) return [truncateToWidth(theme.fg("muted", `  ${this.#look.empty ?? "Nothing matches"}`), width)];
    const [start, end] = visibleRange(this.selected, this.#look.most ?? MOST_ROWS, count);
    const rows = this.items.slice(start, end).map((item, at) => {
      const isSelected = start + at === this.selected;
      const mark = isSelected ? theme.fg("accent", "→ ") : "  ";
      return truncateToWidth(` ${mark}${this.#look.row(item, isSelected)}`, width);
    });
    if (end - start < count) rows.push(truncateToWidth(theme.fg("muted", `   (${this.selected + 1}/${count})`), width));
    return rows;
  }
}

/** A text in the colour of what is selected, or of what is not. */
export function shade(text: string, isSelected: boolean): string {
  return theme.fg(isSelected ? "accent" : "text", text);
}

/** The text of a list in which something can be typed. */
export function typed(input: Input, data: string): boolean {
  const before = input.getValue();
  input.handleInput(data);
  return input.getValue() !== before;
}
