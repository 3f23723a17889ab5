// What is worth telling about a branch that is left.
import { estimateTokens } from "./compaction.ts";
import { createFileOps, extractFileOpsFromMessage } from "./file_operations.ts";
import { sessionEntryToContextMessages } from "./session_entries.ts";

/** The entries from the point where the way to `targetId` parts from the way to `oldLeafId`, down to the latter. */
export function collectEntriesForBranchSummary(session: any, oldLeafId: string | null, targetId: string): any {
  if (!oldLeafId) return { entries: [], commonAncestorId: null };
  const left = session.getBranch(oldLeafId);
  const taken = new Set(session.getBranch(targetId).map((entry: any) => entry.id));
  const common = left.findLastIndex((entry: any) => taken.has(entry.id));
  return { entries: left.slice(common + 1), commonAncestorId: left[common]?.id ?? null };
}

/** The messages of entries that fit into `tokenBudget` (0: all), the latest first to be taken; and their files. */
export function prepareBranchEntries(entries: any[], tokenBudget = 0): any {
  const fileOps = createFileOps();
  for (const entry of entries) {
    if (entry.type !== "branch_summary" || entry.fromHook || !entry.details) continue;
    const earlier = createFileOps(entry.details);
    for (const file of earlier.read) fileOps.read.add(file);
    for (const file of earlier.edited) fileOps.edited.add(file);
  }
  const messages: any[] = [];
  let totalTokens = 0;
  for (const entry of entries.toReversed()) {
    // What a tool said is known from the call.
    const message = sessionEntryToContextMessages(entry).find(({ role }) => role !== "toolResult");
    if (!message) continue;
    extractFileOpsFromMessage(message, fileOps);
    const tokens = estimateTokens(message);
    if (tokenBudget > 0 && totalTokens + tokens > tokenBudget) {
      // A summary says much in little: it may go over the budget.
      const summary = entry.type === "compaction" || entry.type === "branch_summary";
      if (summary && totalTokens < tokenBudget * 0.9) {
        messages.unshift(message);
        totalTokens += tokens;
      }
      break;
    }
    messages.unshift(message);
    totalTokens += tokens;
  }
  return { messages, fileOps, totalTokens };
}
