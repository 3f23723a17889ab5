/** `fs.watch`, `fs.watchFile` and the `watch` of promises. */

import { ops } from "tau:ops";
import { EventEmitter } from "../../node/events.ts";
import { abortError } from "../aborted.ts";
import { invalidArgType } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { validateAbortSignal, validateFunction } from "../validators.ts";
import { encodeName, toOptions, toPath } from "./args.ts";
import { makeStats, zeroStats } from "./stats.ts";

function open(path: any, recursive: boolean): number {
  try {
    return ops.watchOpen(toPath(path, "filename"), recursive);
  } catch (error: any) {
    if (error?.syscall === "watch") error.filename = path;
    throw error;
  }
}

/** What `fs.watch` gives: emits `change`, `error` and `close`. */
export class FSWatcher extends EventEmitter {
  #rid: number | undefined;

  constructor(path: any, options: any) {
    super();
    const { recursive, encoding, signal } = options;
    const rid = open(path, Boolean(recursive));
    this.#rid = rid;
    this.#run(rid, encoding);
    if (signal) {
      const onAbort = () => this.close();
      if (signal.aborted) nextTick(onAbort);
      else {
        signal.addEventListener("abort", onAbort, { once: true });
        this.once("close", () => signal.removeEventListener("abort", onAbort));
      }
    }
  }

  async #run(rid: number, encoding: any): Promise<void> {
    while (this.#rid !== undefined) {
      const change = await ops.watchNext(rid);
      if (!change || this.#rid === undefined) return;
      // A listener that throws must not end the watching.
      nextTick(() => {
        if (this.#rid !== undefined) this.emit("change", change[0], encodeName(change[1], encoding));
      });
    }
  }

  close(): void {
    if (this.#rid === undefined) return;
    ops.watchClose(this.#rid);
    this.#rid = undefined;
    nextTick(() => this.emit("close"));
  }
  start(): void {}
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

export function watch(path: unknown, options?: unknown, listener?: unknown): FSWatcher {
  if (typeof options === "function") [options, listener] = [undefined, options];
  const given = toOptions(options);
  validateAbortSignal(given.signal, "options.signal");
  if (listener !== undefined) validateFunction(listener, "listener");
  const watcher = new FSWatcher(path, given);
  if (listener) watcher.on("change", listener);
  return watcher;
}

/** `fs.promises.watch`: the changes as they come. */
export async function* watchChanges(path: unknown, options?: any): AsyncGenerator<{ eventType: string; filename: any }> {
  const { recursive, encoding, signal } = toOptions(options);
  validateAbortSignal(signal, "options.signal");
  if (signal?.aborted) throw abortError(signal.reason);
  const rid = open(path, Boolean(recursive));
  const onAbort = () => ops.watchClose(rid);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      const change = signal?.aborted ? null : await ops.watchNext(rid);
      if (signal?.aborted) throw abortError(signal.reason);
      if (!change) return;
      yield { eventType: change[0], filename: encodeName(change[1], encoding) };
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    ops.watchClose(rid);
  }
}

const watched = new Map<string, StatWatcher>();

/** What `fs.watchFile` gives: looks at a file again and again. */
export class StatWatcher extends EventEmitter {
  #timer: any;
  #last: any;

  constructor(path: string, interval: number, bigint: boolean) {
    super();
    const look = () =>
      ops.fsStatAsync(path).then(
        (numbers: number[]) => makeStats(numbers, bigint),
        () => zeroStats(bigint),
      );
    const missing = (stats: any) => Number(stats.ino) === 0;
    const check = async () => {
      const now = await look();
      const before = this.#last;
      if (this.#timer === undefined) return;
      this.#last = now;
      if (before === undefined) {
        // A file that is not there is told once.
        if (missing(now)) this.emit("change", now, now);
        return;
      }
      const changed = ["mtimeMs", "ctimeMs", "size", "ino", "mode", "nlink", "uid", "gid"];
      if (changed.some((field) => now[field] !== before[field])) this.emit("change", now, before);
    };
    this.#timer = setInterval(check, interval);
    check();
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    nextTick(() => this.emit("stop"));
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

export function watchFile(path: unknown, options?: any, listener?: any): StatWatcher {
  if (typeof options === "function") [options, listener] = [{}, options];
  if (typeof listener !== "function") throw invalidArgType("listener", "Function", listener);
  const name = toPath(path, "filename");
  const { interval = 5007, bigint = false } = options ?? {};
  let watcher = watched.get(name);
  if (!watcher) watched.set(name, (watcher = new StatWatcher(name, interval, bigint)));
  watcher.on("change", listener);
  return watcher;
}

export function unwatchFile(path: unknown, listener?: any): void {
  const name = toPath(path, "filename");
  const watcher = watched.get(name);
  if (!watcher) return;
  if (typeof listener === "function") watcher.off("change", listener);
  else watcher.removeAllListeners("change");
  if (watcher.listenerCount("change") === 0) {
    watcher.stop();
    watched.delete(name);
  }
}
