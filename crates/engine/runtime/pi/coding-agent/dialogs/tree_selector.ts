// The choice of a place in the tree of a session.
import { theme } from "../../../host/theme.ts";
import { Input } from "../../tui/input.ts";
import { Text } from "../../tui/text.ts";
import { hints, isKey, Panel, RowList, shade, typed, type InnerList } from "./panel.ts";
import { describe, FILTERS, rowsOf, textOf, type FilterMode, type TreeNode, type TreeRow } from "./tree_rows.ts";

/** The rows of the tree, of which one is selected. */
class TreeList extends RowList<TreeRow> {
  onSelect: ((entryId: string) => void) | undefined;
  onCancel: (() => void) | undefined;
  onCopy: ((text: string | undefined) => void) | undefined;
  onLabelEdit: ((entryId: string, currentLabel: string | undefined) => void) | undefined;
  readonly #tree: TreeNode[];
  readonly #leaf: string | null;
  readonly #folded = new Set<string>();
  readonly #search = new Input({ prompt: "  ", placeholder: "type to search" });
  #filter: FilterMode;

  constructor(tree: TreeNode[], currentLeafId: string | null, maxVisibleLines: number, initialSelectedId?: string, initialFilterMode: FilterMode = "default") {
    super([], {
      row: ({ node, depth, isActive, hasChildren }, isSelected) => {
        const fold = this.#folded.has(node.entry.id) ? "⊞ " : depth > 0 && hasChildren ? "⊟ " : "";
        const mark = isActive ? theme.fg("accent", "• ") : "";
        const label = node.label ? theme.fg("warning", `[${node.label}] `) : "";
        return `${"  ".repeat(depth)}${theme.fg("muted", fold)}${mark}${label}${shade(describe(node.entry), isSelected)}`;
      },
      empty: "No entries",
      most: Math.max(1, maxVisibleLines),
    });
    this.#tree = tree;
    this.#leaf = currentLeafId;
    this.#filter = initialFilterMode;
    this.#show(initialSelectedId ?? currentLeafId ?? undefined);
  }

  /** Shows what the filter leaves, with this entry selected, or the last one before it that is shown. */
  #show(selected = this.getSelectedNode()?.entry.id): void {
    const words = this.getSearchQuery().toLowerCase().split(/\s+/).filter(Boolean);
    const rows = rowsOf(this.#tree, this.#leaf, this.#filter, words, this.#folded);
    const at = rows.findIndex(({ node }) => node.entry.id === selected);
    this.setItems(rows, at >= 0 ? at : rows.findLastIndex(({ isActive }) => isActive));
  }

  get filter(): FilterMode {
    return this.#filter;
  }

  get searchLine(): Input {
    return this.#search;
  }

  getSearchQuery(): string {
    return this.#search.getValue();
  }

  getSelectedNode(): TreeNode | undefined {
    return this.current?.node;
  }

  copySelected(): void {
    const node = this.getSelectedNode();
    this.onCopy?.(node && (textOf(node.entry) || undefined));
  }

  updateNodeLabel(entryId: string, label: string | undefined, labelTimestamp?: string): void {
    const left = [...this.#tree];
    for (let node = left.pop(); node; node = left.pop()) {
      if (node.entry.id === entryId) Object.assign(node, { label, labelTimestamp: label ? labelTimestamp : undefined });
      left.push(...node.children);
    }
    this.#show();
  }

  handleInput(data: string): boolean {
    const node = this.getSelectedNode();
    const filter = filterOf(data);
    if (filter) {
      // The same key again shows the usual entries.
      this.#filter = this.#filter === filter ? "default" : filter;
      this.#show();
    } else if (isKey(data, "app.tree.filter.cycleForward") || isKey(data, "app.tree.filter.cycleBackward")) {
      const step = isKey(data, "app.tree.filter.cycleForward") ? 1 : FILTERS.length - 1;
      this.#filter = FILTERS[(FILTERS.indexOf(this.#filter) + step) % FILTERS.length];
      this.#show();
    } else if (isKey(data, "app.tree.foldOrUp")) this.#fold(true);
    else if (isKey(data, "app.tree.unfoldOrDown")) this.#fold(false);
    else if (node && isKey(data, "app.tree.editLabel")) this.onLabelEdit?.(node.entry.id, node.label);
    else if (isKey(data, "app.message.copy")) this.copySelected();
    else if (isKey(data, "tui.select.cancel")) this.#cancel();
    else if (isKey(data, "tui.select.confirm")) {
      if (node) this.onSelect?.(node.entry.id);
    } else if (!super.handleInput(data)) {
      if (!typed(this.#search, data)) return false;
      this.#show();
    }
    return true;
  }

  /** What is searched for is given up first. */
  #cancel(): void {
    if (!this.getSearchQuery()) return this.onCancel?.();
    this.#search.setValue("");
    this.#show();
  }

  /** Folds or unfolds what comes after the selected entry; where that is done already, goes up or down by a branch. */
  #fold(folds: boolean): void {
    const { current } = this;
    if (!current) return;
    const { id } = current.node.entry;
    if (current.hasChildren && current.depth > 0 && this.#folded.has(id) !== folds) {
      if (folds) this.#folded.add(id);
      else this.#folded.delete(id);
      this.#show();
    } else if (folds) {
      if (current.parent !== undefined) this.select(current.parent);
    } else {
      const next = this.items.findIndex(({ depth }, at) => at > this.selected && depth > current.depth);
      if (next >= 0) this.select(next);
    }
  }
}

function filterOf(data: string): FilterMode | undefined {
  const keys = { default: "default", "no-tools": "noTools", "user-only": "userOnly", "labeled-only": "labeledOnly", all: "all" };
  return FILTERS.find((filter) => isKey(data, `app.tree.filter.${keys[filter]}`));
}

/** Asks for an entry of a session, and takes labels for entries. */
export class TreeSelectorComponent extends Panel {
  private readonly treeList: TreeList;
  private readonly status = new Text("", 1, 0);
  private readonly onLabelChange: ((entryId: string, label: string | undefined) => void) | undefined;
  private label: { entryId: string; input: Input } | undefined;
  private hasFocus = false;

  constructor(
    tree: TreeNode[], currentLeafId: string | null, terminalHeight: number, onSelect: (entryId: string) => void,
    onCancel: () => void, onLabelChange?: (entryId: string, label: string | undefined) => void, initialSelectedId?: string,
    initialFilterMode?: FilterMode,
  ) {
    super("Session tree");
    this.onLabelChange = onLabelChange;
    this.treeList = new TreeList(tree, currentLeafId, Math.max(5, Math.floor(terminalHeight / 2)), initialSelectedId, initialFilterMode);
    this.treeList.onSelect = onSelect;
    this.treeList.onCancel = onCancel;
    this.treeList.onLabelEdit = (entryId, current) => this.editLabel(entryId, current);
    this.addChild(this.treeList.searchLine);
    this.addChild(this.treeList);
    this.addChild(this.status);
    this.close(
      hints(
        ["tui.select.confirm", "select"], ["app.tree.foldOrUp", "fold"], ["app.tree.editLabel", "label"],
        ["app.tree.filter.cycleForward", "filter"], ["tui.select.cancel", "cancel"],
      ),
    );
  }

  /** Gets the text of an entry that is to be copied. */
  get onCopy(): ((text: string | undefined) => void) | undefined {
    return this.treeList.onCopy;
  }

  set onCopy(onCopy: ((text: string | undefined) => void) | undefined) {
    this.treeList.onCopy = onCopy;
  }

  get focused(): boolean {
    return this.hasFocus;
  }

  set focused(hasFocus: boolean) {
    this.hasFocus = hasFocus;
    this.treeList.searchLine.focused = hasFocus && !this.label;
    if (this.label) this.label.input.focused = hasFocus;
  }

  /** It takes the keys that would scroll the screen, unless a label is written. */
  get capturesViewportInput(): boolean {
    return !this.label;
  }

  private editLabel(entryId: string, current: string | undefined): void {
    const input = new Input({ prompt: "  Label: " });
    input.setValue(current ?? "");
    input.cursor = input.getValue().length;
    this.label = { entryId, input };
    this.focused = this.hasFocus;
  }

  handleInput(keyData: string): void {
    const { label } = this;
    if (!label) {
      this.treeList.handleInput(keyData);
      return;
    }
    const isDone = isKey(keyData, "tui.select.confirm");
    if (!isDone && !isKey(keyData, "tui.select.cancel")) return label.input.handleInput(keyData);
    this.label = undefined;
    this.focused = this.hasFocus;
    if (!isDone) return;
    const text = label.input.getValue().trim() || undefined;
    this.treeList.updateNodeLabel(label.entryId, text, new Date().toISOString());
    this.onLabelChange?.(label.entryId, text);
  }

  render(width: number): string[] {
    const { filter } = this.treeList;
    this.status.setText(filter === "default" ? "" : theme.fg("muted", `[${filter}]`));
    const rows = super.render(width);
    return this.label ? [...rows.slice(0, -4), ...this.label.input.render(width), ...rows.slice(-4)] : rows;
  }

  getTreeList(): InnerList {
    return this.treeList as InnerList;
  }
}
