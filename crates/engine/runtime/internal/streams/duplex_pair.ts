/** `stream.duplexPair`: two duplex streams, each reading what the other is written. */

import { Duplex } from "./duplex.ts";

export function duplexPair(options?: any): [any, any] {
  const ends: any[] = [];
  // A write is done when the other side has asked for more.
  const waiting: ((() => void) | undefined)[] = [undefined, undefined];
  for (const index of [0, 1]) {
    const other = 1 - index;
    const pass = (chunk: unknown, callback: () => void) => {
      waiting[index] = callback;
      ends[other].push(chunk);
    };
    ends.push(
      new (Duplex as any)({
        ...options,
        read() {
          const callback = waiting[other];
          waiting[other] = undefined;
          callback?.();
        },
        write(chunk: any, _encoding: string, callback: () => void) {
          if (chunk.length === 0) callback();
          else pass(chunk, callback);
        },
        final(callback: () => void) {
          ends[other].on("end", callback);
          ends[other].push(null);
        },
      }),
    );
  }
  return ends as [any, any];
}
