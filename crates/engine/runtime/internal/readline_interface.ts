/** The line reader behind `node:readline` and `node:readline/promises`. */

import { EventEmitter, type EventEmitterStatics } from "../node/events.ts";
import { abortError } from "./aborted.ts";
import { codeError, invalidArgType, invalidArgValue } from "./errors.ts";
import { iterateEvents } from "./event_iterator.ts";
import { lazyModule } from "./lazy.ts";
import { kPromisify } from "./symbols.ts";
import { sequences } from "./readline_cursor.ts";
import { validateAbortSignal } from "./validators.ts";

const loadDecoder = lazyModule("node/string_decoder.ts");
// CR LF is one end of line; the two separators of Unicode are ends of lines too.
const LINE_END = /\r\n|\n|\r|\u2028|\u2029/g;

const proto: any = {};

type Completer = (line: string, callback?: (error?: Error | null, result?: [string[], string]) => void) => unknown;

/** What `new Interface()` gives. */
interface Typed extends EventEmitter {
  readonly input: any;
  readonly output: any;
  readonly completer: Completer | undefined;
  readonly terminal: boolean;
  readonly crlfDelay: number;
  readonly historySize: number;
  history: string[];
  line: string;
  cursor: number;
  closed: boolean;
  paused: boolean;
  setPrompt(prompt: string): void;
  getPrompt(): string;
  prompt(preserveCursor?: boolean): void;
  question(query: string, callback: (answer: string) => void): void;
  question(query: string, options: { signal?: AbortSignal }, callback: (answer: string) => void): void;
  close(): void;
  pause(): this;
  resume(): this;
  write(data: string | Uint8Array | null | undefined, key?: { ctrl?: boolean; name?: string }): void;
  getCursorPos(): { rows: number; cols: number };
  [Symbol.asyncIterator](): AsyncIterableIterator<string>;
  [Symbol.dispose](): void;
}

export interface InterfaceClass extends EventEmitterStatics {
  new (input: any, output?: any, completer?: Completer, terminal?: boolean): Typed;
  (this: unknown, input: any, output?: any, completer?: Completer, terminal?: boolean): Typed;
  readonly prototype: Typed;
}

/** Reads lines from `options.input`. Works with and without `new`, and as a base class. */
function Interface(this: any, input: any, output?: any, completer?: any, terminal?: any): any {
  if (!(this instanceof (Interface as any))) return new (Interface as any)(input, output, completer, terminal);
  EventEmitter.call(this);
  let options: any = { input, output, completer, terminal };
  if (input?.input) options = input;
  if (!options.input || typeof options.input.on !== "function") throw invalidArgType("input", "Stream", options.input);
  const { historySize = 30, crlfDelay } = options;
  if (typeof historySize !== "number" || Number.isNaN(historySize) || historySize < 0) {
    throw invalidArgValue("historySize", historySize);
  }
  validateAbortSignal(options.signal, "options.signal");
  this.input = options.input;
  this.output = options.output;
  this.completer = options.completer;
  this.terminal = Boolean(options.terminal ?? options.output?.isTTY);
  this.crlfDelay = crlfDelay ? Math.max(100, crlfDelay) : 100;
  this.historySize = historySize;
  this.history = options.history ? options.history.slice(0, historySize) : [];
  this.line = "";
  this.cursor = 0;
  this.closed = false;
  this.paused = false;
  this._prompt = options.prompt === undefined ? "> " : `${options.prompt}`;
  this._buffer = "";
  this._lastReturn = 0;
  this._question = null;
  this._decoder = new (loadDecoder().StringDecoder)("utf8");

  const onData = (chunk: any) => take(this, chunk);
  const onEnd = () => {
    const rest = this._buffer + this._decoder.end();
    this._buffer = "";
    if (rest !== "") give(this, rest);
    this.close();
  };
  const onError = (error: any) => this.emit("error", error);
  this.input.on("data", onData);
  this.input.on("end", onEnd);
  this.input.on("error", onError);
  this._detach = () => {
    this.input.removeListener("data", onData);
    this.input.removeListener("end", onEnd);
    this.input.removeListener("error", onError);
  };
  const { signal } = options;
  if (signal) {
    const onAbort = () => this.close();
    if (signal.aborted) queueMicrotask(onAbort);
    else {
      signal.addEventListener("abort", onAbort, { once: true });
      this.once("close", () => signal.removeEventListener("abort", onAbort));
    }
  }
  this.input.resume?.();
}
const Typed = Interface as unknown as InterfaceClass;
export { Typed as Interface };

Object.setPrototypeOf(Interface.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Interface, EventEmitter);

function take(rl: any, chunk: any): void {
  if (rl.closed) return;
  let text = typeof chunk === "string" ? chunk : rl._decoder.write(chunk);
  if (text === "") return;
  // The line feed of a pair whose carriage return ended the chunk before.
  if (rl._lastReturn && text.startsWith("\n") && Date.now() - rl._lastReturn <= rl.crlfDelay) text = text.slice(1);
  rl._lastReturn = text.endsWith("\r") ? Date.now() : 0;
  text = rl._buffer + text;
  rl._buffer = "";
  let start = 0;
  LINE_END.lastIndex = 0;
  const lines: string[] = [];
  for (let match = LINE_END.exec(text); match; match = LINE_END.exec(text)) {
    lines.push(text.slice(start, match.index));
    start = LINE_END.lastIndex;
  }
  rl._buffer = text.slice(start);
  rl.line = rl._buffer;
  for (const line of lines) give(rl, line);
}

function give(rl: any, line: string): void {
  const question = rl._question;
  if (question) {
    rl._question = null;
    rl.setPrompt(rl._questionPrompt);
    question(line);
    return;
  }
  if (line !== "" && rl.historySize > 0 && rl.terminal && rl.history[0] !== line) {
    rl.history.unshift(line);
    rl.history.length = Math.min(rl.history.length, rl.historySize);
    rl.emit("history", rl.history);
  }
  rl.emit("line", line);
}

function closedError(): Error {
  return codeError("ERR_USE_AFTER_CLOSE", "readline was closed");
}

Object.assign(proto, {
  setPrompt(this: any, prompt: string): void {
    this._prompt = `${prompt}`;
  },

  getPrompt(this: any): string {
    return this._prompt;
  },

  prompt(this: any, _preserveCursor?: boolean): void {
    if (this.closed) throw closedError();
    if (this.paused) this.resume();
    this.output?.write?.(this._prompt);
  },

  question(this: any, query: string, options: any, callback?: any): void {
    if (typeof options === "function") [options, callback] = [{}, options];
    if (this.closed) throw closedError();
    const { signal } = options ?? {};
    validateAbortSignal(signal, "options.signal");
    if (typeof callback !== "function" || signal?.aborted) return;
    if (this._question) {
      this.prompt();
      return;
    }
    const answered = (line: string) => {
      signal?.removeEventListener("abort", onAbort);
      callback(line);
    };
    const onAbort = () => {
      if (this._question !== answered) return;
      this._question = null;
      this.setPrompt(this._questionPrompt);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this._questionPrompt = this._prompt;
    this.setPrompt(query);
    this._question = answered;
    this.prompt();
  },

  close(this: any): void {
    if (this.closed) return;
    this.pause();
    this._detach();
    this.closed = true;
    this.emit("close");
  },

  pause(this: any): any {
    if (this.paused || this.closed) return this;
    this.input.pause?.();
    this.paused = true;
    this.emit("pause");
    return this;
  },

  resume(this: any): any {
    if (this.closed) throw closedError();
    if (!this.paused) return this;
    this.input.resume?.();
    this.paused = false;
    this.emit("resume");
    return this;
  },

  /** Writes as if it had been typed; the only special key is Ctrl with `u`, which clears the line. */
  write(this: any, data: any, key?: any): void {
    if (this.closed) throw closedError();
    if (this.paused) this.resume();
    if (key?.ctrl && key.name === "u") {
      this._buffer = this.line = "";
      return;
    }
    if (data !== null && data !== undefined) take(this, typeof data === "string" ? data : `${data}`);
  },

  getCursorPos(this: any): { rows: number; cols: number } {
    const columns = this.output?.columns ?? Infinity;
    const width = this._prompt.length + this.line.length;
    if (!Number.isFinite(columns)) return { rows: 0, cols: width };
    return { rows: Math.floor(width / columns), cols: width % columns };
  },

  [Symbol.asyncIterator](this: any): AsyncIterableIterator<string> {
    const lines = iterateEvents(
      this,
      "line",
      (source: any, type: any, listener: any) => {
        source.on(type, listener);
        return () => source.removeListener(type, listener);
      },
      { close: ["close"], highWaterMark: 1024 },
    );
    const unpack = (step: any) => ({ value: step.value?.[0], done: Boolean(step.done) });
    return {
      // Lines that came before `close` are still given.
      next: async () => unpack(await lines.next()),
      return: async () => {
        this.close();
        return unpack(await lines.return!());
      },
      throw: async (error: any) => unpack(await lines.throw!(error)),
      [Symbol.asyncIterator]() {
        return this;
      },
    } as any;
  },

  [Symbol.dispose](this: any): void {
    this.close();
  },
});
for (const key of Reflect.ownKeys(proto)) {
  Object.defineProperty(Interface.prototype, key, {
    value: proto[key],
    writable: true,
    configurable: true,
    enumerable: typeof key === "string",
  });
}
Object.defineProperty(proto.question, kPromisify, {
  value(this: any, query: string, options: any = {}) {
    return ask(this, query, options);
  },
});

/** A question as a promise; an aborted signal rejects it. */
export function ask(rl: any, query: string, options: any = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const { signal } = options ?? {};
    validateAbortSignal(signal, "options.signal");
    if (signal?.aborted) return reject(abortError(signal.reason));
    const onAbort = () => reject(abortError(signal.reason));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      Interface.prototype.question.call(rl, query, options ?? {}, (line: string) => {
        signal?.removeEventListener("abort", onAbort);
        resolve(line);
      });
    } catch (error) {
      reject(error);
    }
  });
}

/** Batches cursor movements; what `new readlinePromises.Readline(stream)` gives. */
export class Readline {
  #stream: any;
  #autoCommit: boolean;
  #pending: string[] = [];

  constructor(stream: any, options: { autoCommit?: boolean } = {}) {
    if (typeof stream?.write !== "function") throw invalidArgType("stream", "Writable", stream);
    this.#stream = stream;
    this.#autoCommit = Boolean(options?.autoCommit);
  }

  #add(text: string): this {
    if (this.#autoCommit) this.#stream.write(text);
    else this.#pending.push(text);
    return this;
  }

  cursorTo(x: number, y?: number): this {
    return this.#add(sequences.cursorTo(x, y));
  }
  moveCursor(dx: number, dy: number): this {
    return dx || dy ? this.#add(sequences.moveCursor(dx, dy)) : this;
  }
  clearLine(direction: -1 | 0 | 1): this {
    return this.#add(sequences.clearLine(direction));
  }
  clearScreenDown(): this {
    return this.#add(sequences.clearScreenDown);
  }
  commit(): Promise<void> {
    return new Promise((resolve) => this.#stream.write(this.#pending.splice(0).join(""), () => resolve()));
  }
  rollback(): this {
    this.#pending = [];
    return this;
  }
}

