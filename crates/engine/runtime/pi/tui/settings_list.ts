// Settings to look at and change.
import { fuzzyFilter } from "./fuzzy.ts";
import { Input } from "./input.ts";
import { getKeybindings } from "./keybindings.ts";
import { visibleRange } from "./select_list.ts";
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "./text_layout.ts";

const MAX_LABEL_WIDTH = 36;

type Setting = {
  id: string;
  label: string;
  description?: string;
  currentValue: string;
  /** Values to go round. */
  values?: string[];
  /** Makes the component that the value is chosen in. */
  submenu?: (current: string, done: (value?: string, options?: { navigateTo?: string }) => void) => any;
};

/** Settings with their values; a value is changed by going round or in a submenu. */
export class SettingsList {
  items: Setting[];
  filteredItems: Setting[];
  theme: any;
  selectedIndex = 0;
  maxVisible: number;
  onChange: (id: string, value: string) => void;
  onCancel: () => void;
  searchEnabled: boolean;
  searchInput: Input | undefined;
  mousePressedIndex: number | undefined;
  submenuComponent: any = null;
  submenuItemIndex: number | null = null;
  navigateAfterClose: string | null = null;

  constructor(
    items: Setting[], maxVisible: number, theme: any, onChange: (id: string, value: string) => void,
    onCancel: () => void, options: { enableSearch?: boolean } = {},
  ) {
    this.items = items;
    this.filteredItems = items;
    this.maxVisible = maxVisible;
    this.theme = theme;
    this.onChange = onChange;
    this.onCancel = onCancel;
    this.searchEnabled = options.enableSearch ?? false;
    if (this.searchEnabled) this.searchInput = new Input();
  }

  /** Shows another value for a setting, without reporting a change. */
  updateValue(id: string, newValue: string): void {
    const item = this.items.find((item) => item.id === id);
    if (item) item.currentValue = newValue;
  }

  selectItem(id: string): void {
    const index = this._displayItems().findIndex((item) => item.id === id);
    if (index !== -1) this.selectedIndex = index;
  }

  invalidate(): void {
    this.submenuComponent?.invalidate?.();
  }

  render(width: number): string[] {
    if (this.submenuComponent) return this.submenuComponent.render(width);
    const search = this.searchInput ? [...this.searchInput.render(width), ""] : [];
    const hint = this._hint(width);
    if (this.items.length === 0) {
      const lines = [...search, this.theme.hint("  No settings available")];
      return this.searchEnabled ? [...lines, ...hint] : lines;
    }
    const items = this._displayItems();
    if (items.length === 0) {
      return [...search, truncateToWidth(this.theme.hint("  No matching settings"), width), ...hint];
    }
    return [...search, ...this._rows(items, width), ...this._description(items, width), ...hint];
  }

  _rows(items: Setting[], width: number): string[] {
    const labelWidth = Math.min(MAX_LABEL_WIDTH, Math.max(...this.items.map((item) => visibleWidth(item.label))));
    const [start, end] = visibleRange(this.selectedIndex, this.maxVisible, items.length);
    const lines: string[] = [];
    for (let index = start; index < end; index++) {
      const item = items[index];
      if (!item) continue;
      const selected = index === this.selectedIndex;
      const prefix = selected ? this.theme.cursor : "  ";
      const label = item.label + " ".repeat(Math.max(0, labelWidth - visibleWidth(item.label)));
      const room = width - visibleWidth(prefix) - labelWidth - 4;
      const value = this.theme.value(truncateToWidth(item.currentValue, room, ""), selected);
      lines.push(truncateToWidth(`${prefix}${this.theme.label(label, selected)}  ${value}`, width));
    }
    if (start > 0 || end < items.length) {
      lines.push(this.theme.hint(truncateToWidth(`  (${this.selectedIndex + 1}/${items.length})`, width - 2, "")));
    }
    return lines;
  }

  _description(items: Setting[], width: number): string[] {
    const text = items[this.selectedIndex]?.description;
    if (!text) return [];
    return ["", ...wrapTextWithAnsi(text, width - 4).map((line) => this.theme.description(`  ${line}`))];
  }

  _hint(width: number): string[] {
    const search = this.searchEnabled ? "Type to search · " : "";
    return ["", truncateToWidth(this.theme.hint(`  ${search}Enter/Space to change · Esc to cancel`), width)];
  }

  handleInput(data: string): void {
    if (this.submenuComponent) {
      this.submenuComponent.handleInput?.(data);
      return;
    }
    const keys = getKeybindings();
    const count = this._displayItems().length;
    if (keys.matches(data, "tui.select.up")) {
      if (count > 0) this.selectedIndex = this.selectedIndex === 0 ? count - 1 : this.selectedIndex - 1;
    } else if (keys.matches(data, "tui.select.down")) {
      if (count > 0) this.selectedIndex = this.selectedIndex === count - 1 ? 0 : this.selectedIndex + 1;
    } else if (keys.matches(data, "tui.select.confirm") || (data === " " && !this.searchInput?.getValue())) {
      this.activateItem();
    } else if (keys.matches(data, "tui.select.cancel")) {
      this.onCancel();
    } else if (this.searchInput) {
      this.searchInput.handleInput(data);
      this.filteredItems = fuzzyFilter(this.items, this.searchInput.getValue(), (item) => item.label);
      this.selectedIndex = 0;
    }
  }

  handleMouse(event: any): any {
    if (this.submenuComponent) return withFocus(this.submenuComponent.handleMouse?.(event));
    if (this.searchInput && event.y <= 1) {
      return event.y === 0 ? withFocus(this.searchInput.handleMouse(event)) : undefined;
    }
    const count = this._displayItems().length;
    if (count === 0) return undefined;
    if (event.type === "wheel" && event.wheelDelta) {
      const previous = this.selectedIndex;
      this.selectedIndex = Math.max(0, Math.min(count - 1, previous + Math.sign(event.wheelDelta)));
      return { handled: true, render: this.selectedIndex !== previous };
    }
    // Moving the mouse selects nothing: the list would scroll under it.
    if (event.button !== "left" || (event.type !== "press" && event.type !== "click")) return undefined;
    const [start, end] = visibleRange(this.selectedIndex, this.maxVisible, count);
    const index = start + event.y - (this.searchEnabled ? 2 : 0);
    if (index < start || index >= end) return undefined;
    if (event.type === "press") {
      this.mousePressedIndex = index;
      this.selectedIndex = index;
      return { handled: true, focus: true };
    }
    this.selectedIndex = this.mousePressedIndex ?? index;
    this.mousePressedIndex = undefined;
    this.activateItem();
    return { handled: true };
  }

  _displayItems(): Setting[] {
    return this.searchEnabled ? this.filteredItems : this.items;
  }

  activateItem(): void {
    const item = this._displayItems()[this.selectedIndex];
    if (!item) return;
    const change = (value: string) => {
      item.currentValue = value;
      this.onChange(item.id, value);
    };
    if (item.submenu) {
      this.submenuItemIndex = this.selectedIndex;
      this.submenuComponent = item.submenu(item.currentValue, (value, options) => {
        if (value !== undefined) change(value);
        if (options?.navigateTo) this.navigateAfterClose = options.navigateTo;
        this.closeSubmenu();
      });
    } else if (item.values && item.values.length > 0) {
      change(item.values[(item.values.indexOf(item.currentValue) + 1) % item.values.length]);
    }
  }

  closeSubmenu(): void {
    this.submenuComponent = null;
    const opener = this.submenuItemIndex;
    const target = this.navigateAfterClose;
    this.submenuItemIndex = null;
    this.navigateAfterClose = null;
    if (target !== null) {
      this.selectItem(target);
      this.activateItem();
    } else if (opener !== null) {
      this.selectedIndex = opener;
    }
  }
}

function withFocus(result: any): any {
  return result ? { ...result, focus: true } : undefined;
}
