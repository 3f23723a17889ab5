// Ops that call back into JavaScript while they run.
import { ops } from "tau:ops";

/** What an op may call, by name; what a handler gives (or the promise of it) is the answer. */
export type Handlers = Record<string, (...args: any[]) => unknown>;

/**
 * Runs `work` with the number of a port: the op calls `handlers` through it, and stops when `signal` fires. A handler
 * gets the op's arguments, then a function that sends bytes before the answer.
 */
export async function answered<T>(
  handlers: Handlers,
  signal: AbortSignal | undefined,
  work: (port: number) => Promise<T>,
): Promise<T> {
  const port = openPort(handlers);
  const stop = () => ops.piPortCancel(port);
  if (signal?.aborted) stop();
  else signal?.addEventListener("abort", stop, { once: true });
  try {
    return await work(port);
  } finally {
    signal?.removeEventListener("abort", stop);
    ops.resourceClose(port);
  }
}

/** A port that stays open until `ops.resourceClose`. */
export function openPort(handlers: Handlers): number {
  const port: number = ops.piPort((id: number, method: string, args: any[]) => {
    if (id === 0) return void handlers[method]?.(...args);
    const fail = (error: any) => ops.piPortReply(port, id, false, described(error));
    try {
      const handler = handlers[method];
      if (!handler) throw new TypeError(`operations.${method} is not a function`);
      const value: any = handler(...args, (bytes: any) => ops.piPortData(port, id, bytes));
      if (typeof value?.then === "function") value.then((value: any) => ops.piPortReply(port, id, true, value), fail);
      else ops.piPortReply(port, id, true, value);
    } catch (error) {
      fail(error);
    }
  });
  return port;
}

function described(error: any): { message: string; code?: string } {
  if (error === null || typeof error !== "object") return { message: String(error) };
  const code = typeof error.code === "string" ? error.code : undefined;
  return { message: String(error.message ?? error), code };
}
