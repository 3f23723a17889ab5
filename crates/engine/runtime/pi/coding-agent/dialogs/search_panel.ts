// A dialog with a list that is searched by what is typed.
import { theme } from "../../../host/theme.ts";
import { fuzzyFilter } from "../../tui/fuzzy.ts";
import { Input } from "../../tui/input.ts";
import { Spacer } from "../../tui/spacer.ts";
import { Text } from "../../tui/text.ts";
import { hints, isKey, Panel, RowList, typed, type RowLook } from "./panel.ts";

/** What a searched list is about. */
export interface Searched<T> extends RowLook<T> {
  title: string;
  items: readonly T[];
  /** What is searched of an item. */
  text: (item: T) => string;
  onSelect: (item: T) => void;
  onCancel: () => void;
  /** What is typed already. */
  search?: string;
  /** The item that is selected at first. */
  isCurrent?: (item: T) => boolean;
  description?: string;
  /** What other keys do, in words. */
  keys?: [action: string, does: string][];
}

/** A list to search and to choose from. */
export class SearchPanel<T> extends Panel {
  /** It takes the keys that would scroll the screen. */
  readonly capturesViewportInput = true;
  protected readonly searchInput = new Input({ placeholder: "type to search" });
  protected readonly list: RowList<T>;
  protected readonly about: Searched<T>;
  #items: readonly T[];
  readonly #status = new Text("", 1, 0);
  #hasFocus = false;

  constructor(about: Searched<T>) {
    super(about.title, about.description);
    this.about = about;
    this.#items = about.items;
    this.list = new RowList(about.items, about);
    this.addChild(this.searchInput);
    this.addChild(new Spacer(1));
    this.addChild(this.list);
    this.addChild(this.#status);
    this.close(hints(["tui.select.confirm", "select"], ...(about.keys ?? []), ["tui.select.cancel", "cancel"]));
    if (about.search) this.searchInput.setValue(about.search);
    this.searchInput.cursor = this.searchInput.getValue().length;
    this.setItems(about.items);
  }

  get focused(): boolean {
    return this.#hasFocus;
  }

  set focused(hasFocus: boolean) {
    this.#hasFocus = hasFocus;
    this.searchInput.focused = hasFocus;
  }

  /** Shows other items, as far as they match what is typed. */
  protected setItems(items: readonly T[]): void {
    this.#items = items;
    const search = this.searchInput.getValue();
    const found = this.found(items, search);
    const current = search ? 0 : found.findIndex((item) => this.about.isCurrent?.(item));
    this.list.setItems(found, Math.max(0, current));
  }

  /** The items that match, the best first. */
  protected found(items: readonly T[], search: string): readonly T[] {
    return search.trim() ? fuzzyFilter([...items], search, this.about.text) : items;
  }

  /** A word below the list. */
  protected say(text: string, color = "muted"): void {
    this.#status.setText(text && theme.fg(color, text));
  }

  handleInput(data: string): void {
    if (this.list.handleInput(data)) return;
    if (isKey(data, "tui.select.cancel")) return this.about.onCancel();
    if (isKey(data, "tui.select.confirm")) {
      const item = this.list.current;
      if (item !== undefined) this.about.onSelect(item);
    } else if (typed(this.searchInput, data)) {
      this.setItems(this.#items);
    }
  }
}
