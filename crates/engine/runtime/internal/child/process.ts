/** `ChildProcess`: a child that runs beside the program. */

import { type ChildPlan, ops } from "tau:ops";
import { EventEmitter } from "../../node/events.ts";
import { abortError } from "../aborted.ts";
import { signalName, signalNumber } from "../process/signals.ts";
import { nextTick } from "../tick.ts";
import { noChannel, startChild } from "./options.ts";
import { PipeBoth, PipeReader, PipeWriter } from "./streams.ts";

/** Failures to start that are told by an event; others are thrown. */
const TOLD = ["EACCES", "EAGAIN", "EMFILE", "ENFILE", "ENOENT"];

/** A child process. */
export class ChildProcess extends EventEmitter {
  pid: number | undefined;
  stdin: any = null;
  stdout: any = null;
  stderr: any = null;
  stdio: any[] = [];
  exitCode: number | null = null;
  signalCode: string | null = null;
  killed = false;
  connected = false;
  channel: undefined;
  spawnfile: string | undefined;
  spawnargs: string[] = [];
  #rid: number | undefined;
  #open = 1;

  /** Starts the child. */
  _start(plan: ChildPlan): void {
    this.spawnfile = plan.file;
    this.spawnargs = plan.args;
    let started;
    try {
      started = startChild(plan);
    } catch (error: any) {
      if (!TOLD.includes(error?.code)) throw error;
      this.#connect(plan, []);
      error.spawnargs = plan.args.slice(1);
      nextTick(() => this.#ended(error.errno, null, error));
      return;
    }
    this.pid = started.pid;
    this.#rid = started.rid;
    this.#connect(plan, started.stdio);
    nextTick(() => this.emit("spawn"));
    ops.childWait(started.rid).then(({ code, signal }: any) => this.#ended(code, signal));
  }

  #connect(plan: ChildPlan, rids: (number | null)[]): void {
    this.stdio = plan.stdio.map((target, at) => {
      if (target !== "pipe") return null;
      const rid = rids[at] ?? undefined;
      const stream = at === 0 ? new PipeWriter(rid) : at < 3 ? new PipeReader(rid) : new PipeBoth(rid);
      if (at > 0) {
        this.#open++;
        stream.once("close", () => this.#closed());
      }
      return stream;
    });
    [this.stdin, this.stdout, this.stderr] = this.stdio;
  }

  #ended(code: number | null, signal: number | null, error?: Error): void {
    this.signalCode = signalName(signal);
    this.exitCode = this.signalCode === null ? code : null;
    if (this.#rid !== undefined) ops.resourceClose(this.#rid);
    this.#rid = undefined;
    this.stdin?.destroy();
    // Whatever a listener does, the rest takes its course.
    nextTick(() => {
      for (const stream of this.stdio) if (stream?.readable) stream.resume();
    });
    nextTick(() => this.#closed());
    if (error) this.emit("error", error);
    else this.emit("exit", this.exitCode, this.signalCode);
  }

  #closed(): void {
    this.#open--;
    if (this.#open === 0) this.emit("close", this.exitCode, this.signalCode);
  }

  /** Sends a signal; `false` when the child has ended. */
  kill(signal?: any): boolean {
    const number = signalNumber(signal, true);
    if (this.#rid === undefined || !ops.childKill(this.#rid, number)) return false;
    this.killed = true;
    return true;
  }

  ref(): void {
    if (this.#rid !== undefined) ops.childRef(this.#rid, true);
  }
  /** Lets go of the child: a detached one then outlives the program. */
  unref(): void {
    if (this.#rid !== undefined) ops.childRef(this.#rid, false);
  }
  send(): never {
    throw noChannel();
  }
  disconnect(): never {
    throw noChannel();
  }
  [Symbol.dispose](): void {
    if (!this.killed) this.kill();
  }
}

/** Ends a child when a signal aborts. */
export function watchSignal(child: ChildProcess, signal: AbortSignal | undefined, killSignal: any): void {
  if (!signal) return;
  const onAbort = () => {
    try {
      if (child.kill(killSignal)) child.emit("error", abortError(signal.reason));
    } catch (error) {
      child.emit("error", error);
    }
  };
  if (signal.aborted) {
    nextTick(onAbort);
    return;
  }
  signal.addEventListener("abort", onAbort, { once: true });
  child.once("exit", () => signal.removeEventListener("abort", onAbort));
}

/** Ends a child that takes too long. */
export function watchTime(child: ChildProcess, timeout: number | undefined, killSignal: any): void {
  if (!timeout) return;
  let timer: any = setTimeout(() => {
    timer = undefined;
    try {
      child.kill(killSignal);
    } catch (error) {
      child.emit("error", error);
    }
  }, timeout);
  child.once("exit", () => {
    clearTimeout(timer);
    timer = undefined;
  });
}
