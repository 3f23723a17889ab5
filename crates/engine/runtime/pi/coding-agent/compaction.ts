// When a conversation is too long, and where it may be cut.
import { createFileOps, extractFileOpsFromMessage } from "./file_operations.ts";
import { buildSessionProjection, sessionEntryToContextMessages } from "./session_entries.ts";

/** What settings leave open. */
export const DEFAULT_COMPACTION_SETTINGS = { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 };

/** The tokens of a request, from the provider's count. */
export function calculateContextTokens(usage: any): number {
  return usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

/** The provider's count of an answer, when it can be believed. */
function usageOf(message: any): any {
  if (message?.role !== "assistant" || !message.usage) return undefined;
  const failed = message.stopReason === "aborted" || message.stopReason === "error";
  return failed || calculateContextTokens(message.usage) <= 0 ? undefined : message.usage;
}

/** The latest count of the provider. */
export function getLastAssistantUsage(entries: any[]): any {
  const last = entries.findLast((entry) => entry.type === "message" && usageOf(entry.message));
  return last && usageOf(last.message);
}

/** The tokens of a conversation: the provider's last count, and a guess for what came after. */
export function estimateContextTokens(messages: any[]): any {
  const last = messages.findLastIndex((message) => usageOf(message));
  const usageTokens = last === -1 ? 0 : calculateContextTokens(messages[last].usage);
  let trailingTokens = 0;
  for (const message of messages.slice(last + 1)) trailingTokens += estimateTokens(message);
  return {
    tokens: usageTokens + trailingTokens,
    usageTokens,
    trailingTokens,
    lastUsageIndex: last === -1 ? null : last,
  };
}

/** Whether so many tokens leave too little room. */
export function shouldCompact(contextTokens: number, contextWindow: number, settings: any): boolean {
  return Boolean(settings.enabled) && contextTokens > contextWindow - settings.reserveTokens;
}

/** What a picture counts as. */
const IMAGE_CHARS = 4800;

function contentChars(content: any): number {
  if (typeof content === "string") return content.length;
  let chars = 0;
  for (const block of content ?? []) {
    if (block.type === "text") chars += block.text?.length ?? 0;
    else if (block.type === "image") chars += IMAGE_CHARS;
  }
  return chars;
}

function answerChars(content: any[]): number {
  let chars = 0;
  for (const block of content) {
    if (block.type === "text") chars += block.text.length;
    else if (block.type === "thinking") chars += block.thinking.length;
    else if (block.type === "toolCall") chars += block.name.length + JSON.stringify(block.arguments).length;
  }
  return chars;
}

function chars(message: any): number {
  switch (message.role) {
    case "user":
    case "custom":
    case "toolResult":
      return contentChars(message.content);
    case "assistant":
      return answerChars(message.content);
    case "bashExecution":
      return message.command.length + message.output.length;
    case "branchSummary":
    case "compactionSummary":
      return message.summary.length;
    case "system": {
      const sections: any[] = Object.values(message.sections ?? {});
      const tools = message.toolsAdded ? JSON.stringify(message.toolsAdded).length : 0;
      return sections.reduce((sum, section) => sum + (section?.length ?? 0), contentChars(message.content) + tools);
    }
    default:
      return 0;
  }
}

/** A guess at a message's tokens that rather errs upwards: four characters each. */
export function estimateTokens(message: any): number {
  return Math.ceil(chars(message) / 4);
}

const TURN_STARTS = ["user", "bashExecution", "custom", "branchSummary", "compactionSummary"];

function has(entry: any, roles: string[]): boolean {
  return entry.type !== "compaction" && sessionEntryToContextMessages(entry).some(({ role }) => roles.includes(role));
}

/** The entry at or before `entryIndex` with which a turn begins; -1 when there is none. */
export function findTurnStartIndex(entries: any[], entryIndex: number, startIndex: number): number {
  let index = entryIndex;
  while (index >= startIndex && !has(entries[index], TURN_STARTS)) index--;
  return index >= startIndex ? index : -1;
}

/**
 * Where to cut so that about `keepRecentTokens` remain: before a message that a conversation may go on with, never
 * before the result of a tool. `isSplitTurn` says that the cut is inside a turn, which began at `turnStartIndex`.
 */
export function findCutPoint(entries: any[], startIndex: number, endIndex: number, keepRecentTokens: number): any {
  const allowed: number[] = [];
  for (let at = startIndex; at < endIndex; at++) if (has(entries[at], [...TURN_STARTS, "assistant"])) allowed.push(at);
  if (allowed.length === 0) return { firstKeptEntryIndex: startIndex, turnStartIndex: -1, isSplitTurn: false };
  let cut = allowed[0];
  let kept = 0;
  for (let at = endIndex - 1; at >= startIndex; at--) {
    for (const message of sessionEntryToContextMessages(entries[at])) kept += estimateTokens(message);
    if (kept < keepRecentTokens) continue;
    // Results that are too long alone keep the call they belong to.
    cut = allowed.find((candidate) => candidate >= at) ?? allowed[allowed.length - 1];
    break;
  }
  // What changed settings just before belongs to what is kept.
  while (cut > startIndex) {
    const before = entries[cut - 1];
    if (before.type === "compaction" || sessionEntryToContextMessages(before).length > 0) break;
    cut--;
  }
  const whole = has(entries[cut], TURN_STARTS);
  const turnStartIndex = whole ? -1 : findTurnStartIndex(entries, cut, startIndex);
  return { firstKeptEntryIndex: cut, turnStartIndex, isSplitTurn: turnStartIndex !== -1 };
}

/**
 * What a compaction of these entries (a path, oldest first) would summarise and keep; undefined when there is nothing
 * to summarise.
 */
export function prepareCompaction(pathEntries: any[], settings: any): any {
  if (pathEntries.length === 0 || pathEntries.at(-1).type === "compaction") return undefined;
  const previous = pathEntries.findLastIndex((entry) => entry.type === "compaction");
  const compaction = pathEntries[previous];
  const kept = compaction ? pathEntries.findIndex((entry) => entry.id === compaction.firstKeptEntryId) : -1;
  const start = kept === -1 ? previous + 1 : kept;
  const { messages } = buildSessionProjection(pathEntries);
  const tokensBefore = estimateContextTokens(messages).tokens;
  const cut = findCutPoint(pathEntries, start, pathEntries.length, settings.keepRecentTokens);
  const firstKeptEntryId = pathEntries[cut.firstKeptEntryIndex]?.id;
  if (!firstKeptEntryId) return undefined;
  const between = (from: number, to: number) =>
    pathEntries
      .slice(from, to)
      .flatMap((entry) => (entry.type === "compaction" ? [] : sessionEntryToContextMessages(entry)));
  const end = cut.isSplitTurn ? cut.turnStartIndex : cut.firstKeptEntryIndex;
  const messagesToSummarize = between(start, end);
  const turnPrefixMessages = cut.isSplitTurn ? between(cut.turnStartIndex, cut.firstKeptEntryIndex) : [];
  if (messagesToSummarize.length === 0 && turnPrefixMessages.length === 0) return undefined;
  const fileOps = createFileOps(compaction?.fromHook ? undefined : compaction?.details);
  for (const message of [...messagesToSummarize, ...turnPrefixMessages]) extractFileOpsFromMessage(message, fileOps);
  return {
    firstKeptEntryId,
    messagesToSummarize,
    turnPrefixMessages,
    isSplitTurn: cut.isSplitTurn,
    tokensBefore,
    previousSummary: compaction?.summary,
    fileOps,
    settings,
  };
}
