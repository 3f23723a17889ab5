// `pi.events`: one bus for all extensions of an engine. Payloads go by reference, functions included.
type Listener = (data: any) => unknown;
type Entry = { owner: number; listener: Listener };

const channels = new Map<string, Entry[]>();

export function emit(channel: string, data: any): void {
  const entries = channels.get(channel);
  if (!entries || entries.length === 0) {
    // An error nobody listens for must not vanish.
    if (channel === "error") throw data;
    return;
  }
  for (const { listener } of [...entries]) {
    const failed = (error: any) => console.error(`Event handler error (${channel}):`, error);
    try {
      const result: any = listener(data);
      if (result && typeof result.then === "function") result.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }
}

export function on(owner: number, channel: string, listener: Listener): () => void {
  const entry = { owner, listener };
  const entries = channels.get(channel);
  if (entries) entries.push(entry);
  else channels.set(channel, [entry]);
  return () => {
    const entries = channels.get(channel);
    const index = entries ? entries.indexOf(entry) : -1;
    if (index >= 0) entries!.splice(index, 1);
  };
}

/** Forgets the listeners of an extension that could not be loaded. */
export function dropListeners(owner: number): void {
  for (const [channel, entries] of channels) channels.set(channel, entries.filter((entry) => entry.owner !== owner));
}
