// The entries of a session as the rows of a tree.
import { textsOf } from "../conversation/block.ts";

/** An entry, with what comes after it. */
export interface TreeNode {
  entry: Entry;
  children: TreeNode[];
  label?: string;
  labelTimestamp?: string;
}

/** What of an entry is looked at; not all kinds have all of it. */
type Entry = { id: string; type: string; message?: object; summary?: unknown; content?: unknown };

type Message = { role?: string; content?: unknown; toolName?: unknown; command?: unknown; stopReason?: unknown };

export type FilterMode = "default" | "no-tools" | "user-only" | "labeled-only" | "all";

export const FILTERS: FilterMode[] = ["default", "no-tools", "user-only", "labeled-only", "all"];

/** A row of the tree. */
export interface TreeRow {
  node: TreeNode;
  /** How many branchings lead to it. */
  depth: number;
  /** The number of the row that it hangs on; none at the top. */
  parent: number | undefined;
  isActive: boolean;
  hasChildren: boolean;
}

/** Entries that only say what was set. */
const SETTINGS = new Set(["label", "custom", "model_change", "thinking_level_change", "session_info", "usage"]);

function isShown({ entry, label }: TreeNode, mode: FilterMode): boolean {
  const { role, stopReason } = messageOf(entry);
  switch (mode) {
    case "all":
      return true;
    case "labeled-only":
      return label !== undefined;
    case "user-only":
      return role === "user";
    default: {
      if (SETTINGS.has(entry.type) || (mode === "no-tools" && role === "toolResult")) return false;
      // Answers of nothing but calls say nothing here.
      return role !== "assistant" || textOf(entry).trim() !== "" || stopReason === "error" || stopReason === "aborted";
    }
  }
}

/** The rows of a tree; those that are folded away, or filtered out, are left out, and what hangs on them moves up. */
export function rowsOf(
  roots: TreeNode[], leaf: string | null, mode: FilterMode, words: string[], folded: ReadonlySet<string>,
): TreeRow[] {
  const active = activePath(roots, leaf);
  const rows: TreeRow[] = [];
  type Left = { node: TreeNode; depth: number; parent: number | undefined };
  const left: Left[] = [];
  const push = (nodes: TreeNode[], depth: number, parent: number | undefined) => {
    // The branch that leads to where the session is comes first.
    const inOrder = [...nodes].sort((one, other) => Number(active.has(other.entry.id)) - Number(active.has(one.entry.id)));
    const deeper = nodes.length > 1 ? depth + 1 : depth;
    for (const node of inOrder.reverse()) left.push({ node, depth: deeper, parent });
  };
  push(roots, 0, undefined);
  for (let next = left.pop(); next; next = left.pop()) {
    const { node, depth, parent } = next;
    const text = `${node.label ?? ""} ${describe(node.entry)}`.toLowerCase();
    const shows = isShown(node, mode) && words.every((word) => text.includes(word));
    const own = shows ? rows.length : parent;
    if (shows) rows.push({ node, depth, parent, isActive: active.has(node.entry.id), hasChildren: node.children.length > 0 });
    if (!folded.has(node.entry.id)) push(node.children, depth, own);
  }
  return rows;
}

/** The entries from the start to where the session is. */
function activePath(roots: TreeNode[], leaf: string | null): Set<string> {
  const parents = new Map<string, string | undefined>();
  const left: [TreeNode, string | undefined][] = roots.map((node) => [node, undefined]);
  for (let next = left.pop(); next; next = left.pop()) {
    const [node, parent] = next;
    parents.set(node.entry.id, parent);
    for (const child of node.children) left.push([child, node.entry.id]);
  }
  const path = new Set<string>();
  for (let id: string | undefined = leaf ?? undefined; id !== undefined && parents.has(id); id = parents.get(id)) path.add(id);
  return path;
}

function messageOf(entry: Entry): Message {
  return entry.message ?? {};
}

/** All of the text of an entry. */
export function textOf(entry: Entry): string {
  const { content, command } = messageOf(entry);
  if (entry.message) return textsOf(content) || String(command ?? "");
  return typeof entry.summary === "string" ? entry.summary : textsOf(entry.content);
}

/** An entry in one line. */
export function describe(entry: Entry): string {
  const { role, toolName } = messageOf(entry);
  const kind = role === "toolResult" ? `tool ${String(toolName ?? "")}` : (role ?? entry.type.replaceAll("_", " "));
  return `${kind}: ${textOf(entry).replace(/\s+/g, " ").trim()}`;
}
