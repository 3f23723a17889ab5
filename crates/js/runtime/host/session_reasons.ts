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
  /** What the handler's answer means to tau. */
  answer?: (said: any, entries: any[]) => any;
};

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
    // Nothing is what remains of a branch of the original hooks that is not restored.
    answer: ({ cancel }) => (cancel ? { skipConversationRestore: true } : undefined),
  },
  {
    event: "session before_compact",
    reasons: ["before_compact"],
    reason: () => "before_compact",
    answer: ({ cancel, compaction, compactionEntry }, entries) => {
      const { summary, firstKeptEntryId, firstKeptEntryIndex, tokensBefore, details } = compaction ?? compactionEntry ?? {};
      const first = firstKeptEntryId ?? entries[firstKeptEntryIndex]?.id;
      return summary === undefined ? { cancel } : { cancel, compaction: { summary, firstKeptEntryId: first, tokensBefore, details } };
    },
  },
  { event: "session compact", reasons: ["compact"], reason: () => "compact" },
  { event: "session shutdown", reasons: ["shutdown"], reason: () => "shutdown" },
];

/** What else a handler of `session` is called for: events, each with a handler for it. */
export function momentsOf(mentioned: string[], handler: Handler): [string, Handler][] {
  const wanted = MOMENTS.filter(({ reasons }) => reasons.some((reason) => mentioned.includes(reason)));
  return wanted.map((moment) => [moment.event, (event, ctx) => told(moment, mentioned, handler, event, ctx)]);
}

async function told({ reason, answer }: Moment, mentioned: string[], handler: Handler, event: any, ctx: any): Promise<any> {
  const now = reason(event, mentioned);
  if (!mentioned.includes(now)) return undefined;
  const header = ctx.sessionManager.getHeader();
  const entries = event.entries ?? [header, ...ctx.sessionManager.getBranch()];
  const { sessionFile } = ctx;
  const session = { type: "session", reason: now, entries, sessionFile, previousSessionFile: null };
  const said = await handler({ ...event, ...event.preparation, ...session }, ctx);
  return said && answer ? answer(said, entries) : undefined;
}
