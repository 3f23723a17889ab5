// A list to choose from.
import { getKeybindings } from "./keybindings.ts";
import { truncateToWidth, visibleWidth } from "./text_layout.ts";

const PRIMARY_COLUMN_WIDTH = 32;
const COLUMN_GAP = 2;
/** Descriptions in fewer columns than this are left out. */
const MIN_DESCRIPTION_WIDTH = 10;

type Item = { value: string; label: string; description?: string };
type Layout = {
  minPrimaryColumnWidth?: number;
  maxPrimaryColumnWidth?: number;
  truncatePrimary?: (context: any) => string;
};

/** Items with descriptions, of which one is selected. */
export class SelectList {
  items: Item[];
  filteredItems: Item[];
  selectedIndex = 0;
  maxVisible: number;
  theme: any;
  layout: Layout;
  mousePressedIndex: number | undefined;
  onSelect: ((item: Item) => void) | undefined;
  onCancel: (() => void) | undefined;
  onSelectionChange: ((item: Item) => void) | undefined;

  constructor(items: Item[], maxVisible: number, theme: any, layout: Layout = {}) {
    this.items = items;
    this.filteredItems = items;
    this.maxVisible = maxVisible;
    this.theme = theme;
    this.layout = layout;
  }

  /** Shows only the items whose value starts with `filter`. */
  setFilter(filter: string): void {
    const prefix = filter.toLowerCase();
    this.filteredItems = this.items.filter((item) => item.value.toLowerCase().startsWith(prefix));
    this.selectedIndex = 0;
  }

  setSelectedIndex(index: number): void {
    this.selectedIndex = Math.max(0, Math.min(index, this.filteredItems.length - 1));
  }

  getSelectedItem(): Item | null {
    return this.filteredItems[this.selectedIndex] || null;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const count = this.filteredItems.length;
    if (count === 0) return [this.theme.noMatch("  No matching commands")];
    const column = this._primaryColumnWidth();
    const [start, end] = visibleRange(this.selectedIndex, this.maxVisible, count);
    const lines: string[] = [];
    for (let index = start; index < end; index++) {
      const item = this.filteredItems[index];
      if (item) lines.push(this.renderItem(item, index === this.selectedIndex, width, column));
    }
    if (start > 0 || end < count) {
      lines.push(this.theme.scrollInfo(truncateToWidth(`  (${this.selectedIndex + 1}/${count})`, width - 2, "")));
    }
    return lines;
  }

  handleInput(data: string): void {
    const keys = getKeybindings();
    const last = this.filteredItems.length - 1;
    if (keys.matches(data, "tui.select.up")) {
      this._select(this.selectedIndex === 0 ? last : this.selectedIndex - 1);
    } else if (keys.matches(data, "tui.select.down")) {
      this._select(this.selectedIndex === last ? 0 : this.selectedIndex + 1);
    } else if (keys.matches(data, "tui.select.confirm")) {
      const item = this.getSelectedItem();
      if (item) this.onSelect?.(item);
    } else if (keys.matches(data, "tui.select.cancel")) {
      this.onCancel?.();
    }
  }

  handleMouse(event: any): any {
    const count = this.filteredItems.length;
    if (count === 0) return undefined;
    const previous = this.selectedIndex;
    if (event.type === "wheel" && event.wheelDelta) {
      const next = Math.max(0, Math.min(count - 1, previous + Math.sign(event.wheelDelta)));
      if (next !== previous) this._select(next);
      return { handled: true, render: next !== previous };
    }
    // Moving the mouse selects nothing: the list would scroll under it.
    if (event.button !== "left" || (event.type !== "press" && event.type !== "click")) return undefined;
    const [start, end] = visibleRange(previous, this.maxVisible, count);
    const index = start + event.y;
    if (index < start || index >= end) return undefined;
    if (event.type === "press") {
      this.mousePressedIndex = index;
      if (index !== previous) this._select(index);
      return { handled: true, focus: true };
    }
    const clicked = this.mousePressedIndex ?? index;
    this.mousePressedIndex = undefined;
    if (clicked !== previous) this._select(clicked);
    const item = this.getSelectedItem();
    if (item) this.onSelect?.(item);
    return { handled: true };
  }

  _select(index: number): void {
    this.selectedIndex = index;
    const item = this.getSelectedItem();
    if (item) this.onSelectionChange?.(item);
  }

  renderItem(item: Item, isSelected: boolean, width: number, column: number): string {
    const prefix = isSelected ? "→ " : "  ";
    const description = item.description?.replace(/[\r\n]+/g, " ").trim();
    if (description && width > 40) {
      const columnWidth = Math.max(1, Math.min(column, width - prefix.length - 4));
      const value = this._truncate(item, isSelected, Math.max(1, columnWidth - COLUMN_GAP), columnWidth);
      const gap = " ".repeat(Math.max(1, columnWidth - visibleWidth(value)));
      const remaining = width - prefix.length - visibleWidth(value) - gap.length - 2;
      if (remaining > MIN_DESCRIPTION_WIDTH) {
        const shown = truncateToWidth(description, remaining, "");
        if (isSelected) return this.theme.selectedText(prefix + value + gap + shown);
        return prefix + value + this.theme.description(gap + shown);
      }
    }
    const maxWidth = width - prefix.length - 2;
    const value = this._truncate(item, isSelected, maxWidth, maxWidth);
    return isSelected ? this.theme.selectedText(prefix + value) : prefix + value;
  }

  _truncate(item: Item, isSelected: boolean, maxWidth: number, columnWidth: number): string {
    const text = item.label || item.value;
    const truncate = this.layout.truncatePrimary;
    const cut = truncate ? truncate({ text, maxWidth, columnWidth, item, isSelected }) : text;
    return truncateToWidth(cut, maxWidth, "");
  }

  _primaryColumnWidth(): number {
    const { minPrimaryColumnWidth, maxPrimaryColumnWidth } = this.layout;
    const low = minPrimaryColumnWidth ?? maxPrimaryColumnWidth ?? PRIMARY_COLUMN_WIDTH;
    const high = maxPrimaryColumnWidth ?? minPrimaryColumnWidth ?? PRIMARY_COLUMN_WIDTH;
    const widest = this.filteredItems.reduce(
      (most, item) => Math.max(most, visibleWidth(item.label || item.value) + COLUMN_GAP), 0,
    );
    return Math.max(Math.max(1, Math.min(low, high)), Math.min(Math.max(1, low, high), widest));
  }
}

/** The part of a list of `count` items that shows at most `max` with the selected one in the middle. */
export function visibleRange(selected: number, max: number, count: number): [number, number] {
  const start = Math.max(0, Math.min(selected - Math.floor(max / 2), count - max));
  return [start, Math.min(start + max, count)];
}
