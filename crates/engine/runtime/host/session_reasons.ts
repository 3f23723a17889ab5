// Hooks of some weeks had one event for all that happens to sessions, told apart by its reason. They get it for the
// reasons that their source mentions.

type Handler = (event: any, ctx: any) => any;

type Moment = {
  /** The event as the table of dialects has it. */
  event: string;
  /** Reasons it stands for; one that the source mentions is enough. */
  reasons: string[];
  /** Which of them it is, as far as the source knows it. */
  reason: (event: any, mentioned: string[]) => string;
  /** What it brings in the words of that time. */
  brings?: (event: any, entries: any[], ctx: any) => any;
  /** What the handler's answer means to tau. */
  answer?: (said: any, entries: any[]) => any;
};

const isMessage = ({ type }: any) => type === "message";
// These hooks know no messages that record tools.
const isKnown = (entry: any) => !isMessage(entry) || entry.message.role !== "system";

const MOMENTS: Moment[] = [
  {
    event: "session before_switch",
    reasons: ["before_switch", "before_new", "before_clear"],
    reason: ({ reason }, mentioned) => {
      if (reason !== "new") return "before_switch";
      return mentioned.includes("before_new") ? "before_new" : "before_clear";
    },
    answer: ({ cancel }) => ({ cancel }),
  },
  {
    event: "branch",
    reasons: ["before_branch"],
    reason: () => "before_branch",
    brings: ({ targetTurnIndex, targetEntryId }) => ({ targetTurnIndex, targetEntryId }),
    // Nothing is what remains of a branch of the original hooks that is not restored.
    answer: ({ cancel }) => (cancel ? { skipConversationRestore: true } : undefined),
  },
  {
    event: "session before_compact",
    reasons: ["before_compact"],
    reason: () => "before_compact",
    brings({ preparation, customInstructions, signal }, entries, ctx) {
      const { firstKeptEntryId, messagesToSummarize, turnPrefixMessages, isSplitTurn } = preparation;
      const firstKeptEntryIndex = entries.findIndex(({ id }) => id === firstKeptEntryId);
      const isUser = (entry: any) => isMessage(entry) && entry.message.role === "user";
      const turnStartIndex = isSplitTurn ? entries.slice(0, firstKeptEntryIndex).findLastIndex(isUser) : -1;
      return {
        cutPoint: { firstKeptEntryIndex, turnStartIndex, isSplitTurn },
        previousSummary: preparation.previousSummary,
        messagesToSummarize: [...messagesToSummarize, ...turnPrefixMessages],
        messagesToKeep: entries.slice(firstKeptEntryIndex).filter(isMessage).map(({ message }) => message),
        tokensBefore: preparation.tokensBefore,
        customInstructions,
        model: ctx.model,
        resolveApiKey: (model: any) => ctx.modelRegistry.getApiKey(model),
        signal,
      };
    },
    answer({ cancel, compaction, compactionEntry }, entries) {
      const { summary, firstKeptEntryId, firstKeptEntryIndex, tokensBefore, details } = compaction ?? compactionEntry ?? {};
      if (summary === undefined) return { cancel };
      // A place behind all entries keeps none of them.
      const first = firstKeptEntryId ?? entries[firstKeptEntryIndex]?.id ?? "";
      return { cancel, compaction: { summary, firstKeptEntryId: first, tokensBefore, details } };
    },
  },
  {
    event: "session compact",
    reasons: ["compact"],
    reason: () => "compact",
    brings({ compactionEntry, fromExtension }, entries) {
      const { firstKeptEntryId, ...entry } = compactionEntry;
      const firstKeptEntryIndex = entries.findIndex(({ id }) => id === firstKeptEntryId);
      const { tokensBefore } = entry;
      return { compactionEntry: { ...entry, firstKeptEntryId, firstKeptEntryIndex }, tokensBefore, fromHook: fromExtension };
    },
  },
  { event: "session shutdown", reasons: ["shutdown"], reason: () => "shutdown" },
];

/**
 * What a handler of `session` is called for: the event itself as it knows it, and what else it is called for: events,
 * each with a handler for it.
 */
export function momentsOf(mentioned: string[], handler: Handler): { session: Handler; others: [string, Handler][] } {
  if (mentioned.length === 0) return { session: handler, others: [] };
  const wanted = MOMENTS.filter(({ reasons }) => reasons.some((reason) => mentioned.includes(reason)));
  const others: [string, Handler][] = wanted.map((moment) => [
    moment.event,
    (event, ctx) => told(moment, mentioned, handler, event, ctx),
  ]);
  // An event of its own was called `branch` before it was a reason: only one who knows the others means the reason.
  const knows = mentioned.includes("branch") && mentioned.some((reason) => reason.startsWith("before_"));
  if (!knows) return { session: renamed(mentioned, handler), others };
  // What comes behind a branch is told by what came before it.
  let place: any;
  const session = renamed(mentioned, (event, ctx) => {
    const { targetTurnIndex, previousSessionFile } = { ...event, ...place };
    place = undefined;
    const isBranch = targetTurnIndex !== undefined && event.entries[0]?.branchedFrom === previousSessionFile;
    return handler(isBranch ? { ...event, reason: "branch", targetTurnIndex } : event, ctx);
  });
  others.unshift(["branch", ({ targetTurnIndex }) => void (place = { targetTurnIndex })]);
  return { session, others };
}

/** `clear` was `new` for some hooks. */
function renamed(mentioned: string[], handler: Handler): Handler {
  if (!mentioned.includes("new") || mentioned.includes("clear")) return handler;
  return (event, ctx) => handler(event.reason === "clear" ? { ...event, reason: "new" } : event, ctx);
}

async function told(moment: Moment, mentioned: string[], handler: Handler, event: any, ctx: any): Promise<any> {
  const reason = moment.reason(event, mentioned);
  if (!mentioned.includes(reason)) return undefined;
  const entries = event.entries ?? [ctx.sessionManager.getHeader(), ...ctx.sessionManager.getBranch().filter(isKnown)];
  const { sessionFile } = ctx;
  const session = { type: "session", reason, entries, sessionFile, previousSessionFile: null };
  const said = await handler({ ...session, ...moment.brings?.(event, entries, ctx) }, ctx);
  return said && moment.answer ? moment.answer(said, entries) : undefined;
}
