// Reading the entries of a session: which of them count at a leaf, and what the model sees of them.
import type { CompactionEntry, ContextEditEntry, Message, SessionContext, SessionEntry } from "tau:ops";
import { createBranchSummaryMessage, createCompactionSummaryMessage, createCustomMessage } from "./messages.ts";

/** Entries by their id. */
type ById = Map<string, SessionEntry>;

/** The lines of a session file that can be read. */
export function parseSessionEntries(content: string): any[] {
  const entries: any[] = [];
  for (const line of content.split("\n")) {
    if (!line.trim()) continue;
    try {
      entries.push(JSON.parse(line));
    } catch {
      // A line that was cut off or damaged; the others still count.
    }
  }
  return entries;
}

/** Brings entries of an older format, header first, into today's; in place. */
export function migrateSessionEntries(entries: any[]): void {
  const header = entries.find((entry) => entry.type === "session");
  const version = header?.version ?? 1;
  if (version < 2) giveIds(entries);
  if (version < 3) renameRoles(entries);
  if (header) header.version = Math.max(version, 3);
}

/** The first format was a plain list. */
function giveIds(entries: any[]): void {
  const taken = new Set<string>();
  let parentId: string | null = null;
  const order: any[] = [];
  for (const entry of entries) {
    if (entry.type === "session") {
      order.push(entry);
      continue;
    }
    let id: string;
    do id = crypto.randomUUID().slice(0, 8);
    while (taken.has(id));
    taken.add(id);
    entry.id = id;
    entry.parentId = parentId;
    parentId = id;
    order.push(entry);
  }
  for (const entry of entries) {
    if (entry.type !== "compaction" || typeof entry.firstKeptEntryIndex !== "number") continue;
    const kept = order[entry.firstKeptEntryIndex];
    if (kept && kept.type !== "session") entry.firstKeptEntryId = kept.id;
    delete entry.firstKeptEntryIndex;
  }
}

function renameRoles(entries: any[]): void {
  for (const { type, message } of entries) {
    if (type === "message" && message?.role === "hookMessage") message.role = "custom";
  }
}

/** The last compaction of a list of entries. */
export function getLatestCompactionEntry(entries: SessionEntry[]): CompactionEntry | null {
  return entries.findLast((entry) => entry.type === "compaction") ?? null;
}

/** The messages that an entry puts into the conversation; most kinds put none. */
export function sessionEntryToContextMessages(entry: SessionEntry): Message[] {
  switch (entry.type) {
    case "message":
      return [entry.message];
    case "custom_message": {
      const { customType, content, display, details, timestamp } = entry;
      return [createCustomMessage(customType, content, display, details, timestamp)];
    }
    case "branch_summary":
      return entry.summary ? [createBranchSummaryMessage(entry.summary, entry.fromId, entry.timestamp)] : [];
    case "compaction":
      return [createCompactionSummaryMessage(entry.summary, entry.tokensBefore, entry.timestamp)];
    default:
      return [];
  }
}

/** The entries from the root to a leaf; the last entry unless the leaf is named, none when it is null. */
export function pathTo(entries: SessionEntry[], leafId?: string | null, byId?: ById): SessionEntry[] {
  if (leafId === null) return [];
  const known = byId ?? new Map(entries.map((entry) => [entry.id, entry]));
  const path: SessionEntry[] = [];
  const seen = new Set<SessionEntry>();
  let entry = (leafId && known.get(leafId)) || entries.at(-1);
  // Files that other programs damaged may name a parent in a circle.
  while (entry && !seen.has(entry)) {
    seen.add(entry);
    path.push(entry);
    entry = entry.parentId ? known.get(entry.parentId) : undefined;
  }
  return path.reverse();
}

/** The entries that count: the latest compaction first, then what it keeps and what came after. */
function counting(path: SessionEntry[]): SessionEntry[] {
  const at = path.findLastIndex((entry) => entry.type === "compaction");
  if (at === -1) return path;
  const first = path.findIndex((entry) => entry.id === (path[at] as CompactionEntry).firstKeptEntryId);
  const kept = first === -1 || first > at ? [] : path.slice(first, at);
  return [path[at], ...kept, ...path.slice(at + 1)];
}

/** The entries that count at a leaf, without those that a later compaction stands for. */
export function buildContextEntries(entries: SessionEntry[], leafId?: string | null, byId?: ById): SessionEntry[] {
  return counting(pathTo(entries, leafId, byId));
}

/** What the model sees at a leaf, with the entries that it comes from. */
export type SessionProjection = SessionContext & { entries: { sourceEntry: SessionEntry; messages: Message[] }[] };

/** What the model sees at a leaf, entry by entry. */
export function buildSessionProjection(entries: SessionEntry[], leafId?: string | null, byId?: ById): SessionProjection {
  const path = pathTo(entries, leafId, byId);
  const edits = new Map<string, ContextEditEntry["replacement"]>();
  for (const entry of path) if (entry.type === "context_edit") edits.set(entry.targetId, entry.replacement);
  const projected = counting(path).map((sourceEntry, position) => {
    // Of several compactions only the latest speaks.
    const silent = sourceEntry.type === "compaction" && position > 0;
    const messages = silent ? [] : sessionEntryToContextMessages(sourceEntry);
    if (!edits.has(sourceEntry.id)) return { sourceEntry, messages };
    const replacement = edits.get(sourceEntry.id);
    return { sourceEntry, messages: replacement ? messages.map((message) => ({ ...message, ...replacement }) as Message) : [] };
  });
  const messages = projected.flatMap((entry) => entry.messages);
  return { entries: projected, messages, thinkingLevel: thinkingLevelOf(path), model: modelOf(path) };
}

/** What the model sees at a leaf. */
export function buildSessionContext(entries: SessionEntry[], leafId?: string | null, byId?: ById): SessionContext {
  const { messages, thinkingLevel, model } = buildSessionProjection(entries, leafId, byId);
  return { messages, thinkingLevel, model };
}

function thinkingLevelOf(path: SessionEntry[]): string {
  return path.findLast((entry) => entry.type === "thinking_level_change")?.thinkingLevel ?? "off";
}

function modelOf(path: SessionEntry[]): { provider: string; modelId: string } | null {
  for (const entry of path.toReversed()) {
    if (entry.type === "model_change") return { provider: entry.provider, modelId: entry.modelId };
    if (entry.type !== "message" || entry.message.role !== "assistant") continue;
    return { provider: entry.message.provider, modelId: entry.message.model };
  }
  return null;
}
