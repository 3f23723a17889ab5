// A bus like `pi.events`, for extensions that want one of their own.

type Listener = (data: unknown) => unknown;

/** A new bus: `emit` calls the listeners at once, and what one of them throws stops no other. */
export function createEventBus(): any {
  const channels = new Map<string, Set<Listener>>();
  const failed = (channel: string, error: unknown) => console.error(`Event handler error (${channel}):`, error);
  return {
    emit(channel: string, data: unknown): void {
      const listeners = channels.get(channel);
      // As with Node's emitters, an error that nobody listens for is thrown.
      if (!listeners?.size && channel === "error") throw data;
      for (const listener of [...(listeners ?? [])]) {
        try {
          Promise.resolve(listener(data)).catch((error) => failed(channel, error));
        } catch (error) {
          failed(channel, error);
        }
      }
    },
    on(channel: string, listener: Listener): () => void {
      // Each registration counts for itself.
      const own: Listener = (data) => listener(data);
      let listeners = channels.get(channel);
      if (!listeners) channels.set(channel, (listeners = new Set()));
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    clear(): void {
      channels.clear();
    },
  };
}
