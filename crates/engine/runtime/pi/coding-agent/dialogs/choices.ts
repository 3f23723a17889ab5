// Short lists of settings.
import { ops } from "tau:ops";
import { fuzzyFilter } from "../../tui/fuzzy.ts";
import { Input } from "../../tui/input.ts";
import { SelectList } from "../../tui/select_list.ts";
import { Spacer } from "../../tui/spacer.ts";
import { keyHint } from "../key_hints.ts";
import { getSelectListTheme } from "../themes.ts";
import { hints, isKey, MOST_ROWS, Panel, typed, type InnerList } from "./panel.ts";

type Item = { value: string; label: string; description?: string };

const KEYS: [string, string][] = [["tui.select.confirm", "select"], ["tui.select.cancel", "cancel"]];

function listOf(items: Item[], current: string, onSelect: (value: string) => void, onCancel: () => void): SelectList {
  const list = new SelectList(items, MOST_ROWS, getSelectListTheme());
  const at = items.findIndex(({ value }) => value === current);
  if (at >= 0) list.setSelectedIndex(at);
  list.onSelect = ({ value }) => onSelect(value);
  list.onCancel = onCancel;
  return list;
}

/** A dialog around one list. */
class Choice extends Panel {
  private readonly selectList: SelectList;

  constructor(title: string, list: SelectList) {
    super(title);
    this.selectList = list;
    this.addChild(list);
    this.close(hints(...KEYS));
  }

  handleInput(keyData: string): void {
    this.selectList.handleInput(keyData);
  }

  getSelectList(): InnerList {
    return this.selectList as InnerList;
  }
}

/** Asks whether images are shown. */
export class ShowImagesSelectorComponent extends Choice {
  constructor(currentValue: boolean, onSelect: (show: boolean) => void, onCancel: () => void) {
    const items = [
      { value: "yes", label: "Yes", description: "Show images in the terminal" },
      { value: "no", label: "No", description: "Show their names only" },
    ];
    super("Show images", listOf(items, currentValue ? "yes" : "no", (value) => onSelect(value === "yes"), onCancel));
  }
}

/** Asks for a theme; each is tried while it is selected. */
export class ThemeSelectorComponent extends Choice {
  constructor(
    currentTheme: string, onSelect: (themeName: string) => void, onCancel: () => void, onPreview: (themeName: string) => void,
  ) {
    const names = [...new Set(["dark", "light", ...ops.themeNames(), currentTheme])].filter(Boolean);
    const items = names.map((name) => ({ value: name, label: name, description: name === currentTheme ? "(current)" : undefined }));
    const list = listOf(items, currentTheme, onSelect, onCancel);
    list.onSelectionChange = ({ value }) => onPreview(value);
    super("Theme", list);
  }
}

const LEVELS: Record<string, string> = {
  off: "No thinking", minimal: "As little as possible", low: "A little", medium: "Some", high: "Much", xhigh: "Very much",
  max: "As much as the model can",
};

/** Takes a level. */
type Take = (level: never) => void;

/** Asks how much the model thinks. */
export class ThinkingSelectorComponent extends Panel {
  private readonly searchInput = new Input({ placeholder: "type to search" });
  private readonly items: Item[];
  private readonly selectList: SelectList;
  private readonly onSelectAsDefault: Take | undefined;

  constructor(
    currentLevel: string, availableLevels: string[], onSelect: Take, onCancel: () => void, onSelectAsDefault?: Take,
    defaultThinkingLevel?: string,
  ) {
    super("Thinking level");
    this.onSelectAsDefault = onSelectAsDefault;
    this.items = availableLevels.map((value) => {
      const about = LEVELS[value] ?? "";
      const label = `${value === currentLevel ? "✓" : " "} ${value}`;
      return { value, label, description: value === defaultThinkingLevel ? `${about} · default` : about };
    });
    this.selectList = listOf(this.items, currentLevel, (level) => onSelect(level as never), onCancel);
    this.addChild(this.searchInput);
    this.addChild(new Spacer(1));
    this.addChild(this.selectList);
    const keys = hints(...KEYS);
    this.close(onSelectAsDefault ? `${keys}  ${keyHint("app.thinking.save", "make it the default")}` : keys);
  }

  get focused(): boolean {
    return this.searchInput.focused;
  }

  set focused(hasFocus: boolean) {
    this.searchInput.focused = hasFocus;
  }

  handleInput(keyData: string): void {
    const isOfList = ["up", "down", "confirm", "cancel"].some((key) => isKey(keyData, `tui.select.${key}`));
    const selected = this.selectList.getSelectedItem();
    if (isOfList) this.selectList.handleInput(keyData);
    else if (this.onSelectAsDefault && isKey(keyData, "app.thinking.save")) {
      if (selected) this.onSelectAsDefault(selected.value as never);
    } else if (typed(this.searchInput, keyData)) {
      this.selectList.filteredItems = fuzzyFilter(this.items, this.searchInput.getValue(), ({ value }) => value);
      this.selectList.setSelectedIndex(0);
    }
  }

  getSelectList(): InnerList {
    return this.selectList as InnerList;
  }
}
