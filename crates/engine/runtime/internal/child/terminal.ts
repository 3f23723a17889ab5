/** A child that has a terminal of its own, as the packages around `node-pty` give it. */

import { ops } from "tau:ops";
import { EventEmitter } from "../../node/events.ts";
import { signalNumber } from "../process/signals.ts";
import { makePlan } from "./options.ts";
import { PipeBoth } from "./streams.ts";

export interface Disposable {
  dispose(): void;
}

export type Event<T> = (listener: (event: T) => unknown) => Disposable;

export interface TerminalOptions {
  /** What `TERM` says. */
  name?: string;
  cols?: number;
  rows?: number;
  cwd?: string;
  env?: { [name: string]: string | undefined };
  /** `null`: listeners get bytes. */
  encoding?: string | null;
  handleFlowControl?: boolean;
  flowControlPause?: string;
  flowControlResume?: string;
  uid?: number;
  gid?: number;
}

type Listener = Parameters<EventEmitter["on"]>[1];

/** How long what a child has shown is waited for when it has ended: something else may keep the terminal open. */
const LAST_WORDS = 200;

/** The most columns or rows that a system can tell a program. */
const LARGEST = 65535;

/** Variables that say of the terminal around tau what is not so in another one. */
const OTHER_TERMINAL = ["TMUX", "TMUX_PANE", "STY", "WINDOW", "WINDOWID", "TERMCAP", "COLUMNS", "LINES"];

const TYPES: [name: keyof TerminalOptions, type: string][] = [
  ["name", "string"], ["cols", "number"], ["rows", "number"], ["cwd", "string"], ["env", "object"], ["uid", "number"],
  ["gid", "number"], ["encoding", "string"],
];

function check(options: TerminalOptions): void {
  for (const [name, type] of TYPES) {
    const value = options[name];
    if (value && typeof value !== type) throw new Error(`${name} must be a ${type} (not a ${typeof value})`);
  }
}

function environment(options: TerminalOptions, cwd: string): Record<string, string | undefined> {
  const own = globalThis.process.env;
  const env = { ...(options.env || own) };
  if (!options.env || options.env === own) for (const name of OTHER_TERMINAL) delete env[name];
  env.PWD = cwd;
  env.TERM = options.name || env.TERM || "xterm";
  return env;
}

function size(value: number): number {
  return Math.min(LARGEST, Math.trunc(value));
}

/** An event that is listened to by calling it. */
class Listeners<T> {
  #all: ((event: T) => unknown)[] = [];

  readonly event: Event<T> = (listener) => {
    this.#all.push(listener);
    return {
      dispose: () => {
        const at = this.#all.indexOf(listener);
        if (at >= 0) this.#all.splice(at, 1);
      },
    };
  };

  fire(event: T): void {
    for (const listener of [...this.#all]) listener(event);
  }
}

/** A terminal with the program that runs in it. */
export class Terminal {
  /** Whether two texts pause and resume instead of being typed. */
  handleFlowControl: boolean;
  readonly pid: number;
  #cols: number;
  #rows: number;
  #file: string;
  #rid: number;
  #terminal: number;
  #socket: PipeBoth;
  #isOpen = true;
  #pauses: string;
  #resumes: string;
  #data = new Listeners<string>();
  #exit = new Listeners<{ exitCode: number; signal?: number }>();
  #events = new EventEmitter();

  constructor(file: string, args: string[] | string, options: TerminalOptions = {}) {
    if (typeof args === "string") throw new Error("args as a string is not supported on unix.");
    check(options);
    const cwd = options.cwd || globalThis.process.cwd();
    const encoding = options.encoding === undefined ? "utf8" : options.encoding;
    this.handleFlowControl = Boolean(options.handleFlowControl);
    this.#pauses = options.flowControlPause || "\x13";
    this.#resumes = options.flowControlResume || "\x11";
    this.#file = file || "sh";
    this.#cols = options.cols || 80;
    this.#rows = options.rows || 24;
    const given = { cwd, env: environment(options, cwd), uid: options.uid, gid: options.gid, stdio: "ignore" };
    const plan = makePlan(this.#file, (args || []).map(String), given);
    const started = ops.terminalSpawn(plan, size(this.#cols), size(this.#rows), encoding === "utf8");
    this.pid = started.pid;
    this.#rid = started.rid;
    this.#terminal = started.terminal;
    this.#socket = new PipeBoth(started.stream);
    if (encoding) this.#socket.setEncoding(encoding);
    this.#follow();
    ops.childWait(started.rid).then(({ code, signal }) => this.#ended(code ?? 0, signal ?? 0));
  }

  #follow(): void {
    const socket = this.#socket;
    socket.on("data", (data: string) => {
      this.#data.fire(data);
      this.#events.emit("data", data);
    });
    socket.on("end", () => {
      this.#events.emit("end");
      // Nothing is typed where nobody reads.
      socket.destroy();
    });
    socket.on("error", (error: Error & { code?: string }) => {
      // The program is gone; other events report that.
      if (error.code !== "EIO" && error.code !== "EPIPE") this.#events.emit("error", error);
    });
    socket.on("close", () => {
      this.#isOpen = false;
      ops.resourceClose(this.#terminal);
      this.#events.emit("close");
    });
  }

  #ended(code: number, signal: number): void {
    ops.resourceClose(this.#rid);
    const tell = () => {
      this.#exit.fire({ exitCode: code, signal });
      this.#events.emit("exit", code, signal);
    };
    if (!this.#isOpen) return tell();
    const timer = setTimeout(() => this.#socket.destroy(), LAST_WORDS);
    this.#events.prependOnceListener("close", () => {
      clearTimeout(timer);
      tell();
    });
  }

  get cols(): number {
    return this.#cols;
  }

  get rows(): number {
    return this.#rows;
  }

  /** The name of the program in the foreground. */
  get process(): string {
    return ops.terminalProgram(this.#terminal) || this.#file;
  }

  /** What the terminal shows. */
  get onData(): Event<string> {
    return this.#data.event;
  }

  /** How the program ended; the code is zero when a signal ended it. */
  get onExit(): Event<{ exitCode: number; signal?: number }> {
    return this.#exit.event;
  }

  /** Types in the terminal. */
  write(data: string | Uint8Array): void {
    if (this.handleFlowControl && data === this.#pauses) this.pause();
    else if (this.handleFlowControl && data === this.#resumes) this.resume();
    else if (this.#isOpen) this.#socket.write(data);
  }

  end(data?: string | Uint8Array): void {
    if (data !== undefined) this.write(data);
  }

  resize(columns: number, rows: number): void {
    if (![columns, rows].every((value) => value > 0 && value < Infinity)) {
      throw new Error("resizing must be done using positive cols and rows");
    }
    ops.terminalResize(this.#terminal, size(columns), size(rows));
    this.#cols = columns;
    this.#rows = rows;
  }

  /** Does nothing: only the terminals of Windows keep what they have shown. */
  clear(): void {}

  /** Sends the program a signal, `SIGHUP` without a name. One that has ended or a signal that is none is no failure. */
  kill(signal?: string): void {
    try {
      ops.childKill(this.#rid, signalNumber(signal || "SIGHUP"));
    } catch {
      // Whether it still runs, its end tells.
    }
  }

  /** Closes the terminal, by which it hangs up. */
  destroy(): void {
    this.#isOpen = false;
    this.#socket.once("close", () => this.kill("SIGHUP"));
    this.#socket.destroy();
  }

  /** What the program shows is not read, until it waits because nobody does. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  pipe<Target>(target: Target, options?: { end?: boolean }): Target {
    return this.#socket.pipe(target, options);
  }

  setEncoding(encoding: string): void {
    this.#socket.setEncoding(encoding);
  }

  on(name: string, listener: Listener): void {
    this.#events.on(name, listener);
  }

  addListener(name: string, listener: Listener): void {
    this.on(name, listener);
  }

  once(name: string, listener: Listener): void {
    this.#events.once(name, listener);
  }

  off(name: string, listener: Listener): void {
    this.#events.removeListener(name, listener);
  }

  removeListener(name: string, listener: Listener): void {
    this.off(name, listener);
  }

  removeAllListeners(name?: string): void {
    if (name === undefined) this.#events.removeAllListeners();
    else this.#events.removeAllListeners(name);
  }

  listeners(name: string): unknown[] {
    return this.#events.listeners(name);
  }
}
