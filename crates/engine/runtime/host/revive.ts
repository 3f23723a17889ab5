// What JSON cannot carry, put back into an event before handlers see it.

const REVIVERS = new Map<string, (event: any) => void>([
  [
    "session_before_compact",
    ({ preparation: { fileOps } }) => {
      // Handlers share the event, so another one may have been here before.
      for (const name of Object.keys(fileOps)) if (Array.isArray(fileOps[name])) fileOps[name] = new Set(fileOps[name]);
    },
  ],
]);

/** The handler as it is called: with the event as extensions know it. */
export function reviving(event: string, handler: (event: unknown, ctx: unknown) => unknown): (event: unknown, ctx: unknown) => unknown {
  const revive = REVIVERS.get(event);
  if (!revive) return handler;
  return (payload, ctx) => {
    revive(payload);
    return handler(payload, ctx);
  };
}
