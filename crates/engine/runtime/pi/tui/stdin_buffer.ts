// Cutting what a terminal sends into keys and pastes.
import { EventEmitter } from "../../node/events.ts";

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
const SEQUENCE_TIMEOUT_MS = 50;
const ESCAPE_TIMEOUT_MS = 10;

/** The end of what starts at `at`: an escape sequence or a character; -1 while more of it must come. */
function sequenceEnd(data: string, at: number): number {
  if (data[at] !== "\x1b") return at + String.fromCodePoint(data.codePointAt(at)!).length;
  const after = (pattern: RegExp) => {
    pattern.lastIndex = at + 2;
    return pattern.test(data) ? pattern.lastIndex : -1;
  };
  const fixed = (length: number) => (data.length >= at + length ? at + length : -1);
  switch (data[at + 1]) {
    case undefined:
      return -1;
    case "[":
      // Mouse reports: three bytes after `M`, three numbers after `<`.
      if (data[at + 2] === "M") return fixed(6);
      if (data[at + 2] === "<") return after(/<\d+;\d+;\d+[Mm]/y);
      return after(/[\x40-\x7e]/g);
    case "]":
      return after(/\x07|\x1b\\/g);
    case "P":
    case "_":
      return after(/\x1b\\/g);
    case "O":
      return fixed(3);
    case "\x1b":
      // Escape before another sequence is a key of its own; before anything else it is alt and escape.
      return data[at + 2] !== undefined && "[]OP_".includes(data[at + 2]) ? at + 1 : at + 2;
    default:
      return at + 2;
  }
}

function split(data: string): { sequences: string[]; rest: string } {
  const sequences: string[] = [];
  let at = 0;
  while (at < data.length) {
    const end = sequenceEnd(data, at);
    if (end === -1) break;
    sequences.push(data.slice(at, end));
    at = end;
  }
  return { sequences, rest: data.slice(at) };
}

/** Takes input in any pieces; emits `data` for each key and `paste` for each paste. */
export class StdinBuffer extends EventEmitter {
  buffer = "";
  pasteBuffer: string | undefined;
  timeout: any = null;
  timeoutMs: number;
  escapeTimeoutMs: number;
  /** The character that a Kitty sequence has just typed: some terminals send it plainly as well. */
  pendingKittyPrintableCodepoint: number | undefined;

  constructor(options: { timeout?: number; escapeTimeout?: number } = {}) {
    super();
    this.timeoutMs = options.timeout ?? SEQUENCE_TIMEOUT_MS;
    this.escapeTimeoutMs = options.escapeTimeout ?? ESCAPE_TIMEOUT_MS;
  }

  process(data: string | Buffer): void {
    this._stopTimer();
    // A single high byte is how old terminals send alt.
    const meta = typeof data !== "string" && data.length === 1 && data[0] > 127;
    const text = meta ? `\x1b${String.fromCharCode((data as Buffer)[0] - 128)}` : data.toString();
    if (text === "" && this.buffer === "") {
      this._emitSequence("");
      return;
    }
    if (this.pasteBuffer !== undefined) {
      this._paste(this.pasteBuffer + text);
      return;
    }
    this.buffer += text;
    const start = this.buffer.indexOf(PASTE_START);
    if (start !== -1) {
      const pasted = this.buffer.slice(start + PASTE_START.length);
      for (const sequence of split(this.buffer.slice(0, start)).sequences) this._emitSequence(sequence);
      this.buffer = "";
      this.pendingKittyPrintableCodepoint = undefined;
      this._paste(pasted);
      return;
    }
    const { sequences, rest } = split(this.buffer);
    this.buffer = rest;
    for (const sequence of sequences) this._emitSequence(sequence);
    if (this.buffer === "") return;
    const wait = this.buffer === "\x1b" ? this.escapeTimeoutMs : this.timeoutMs;
    this.timeout = setTimeout(() => {
      for (const sequence of this.flush()) this._emitSequence(sequence);
    }, wait);
  }

  /** Gives up waiting for the rest of a sequence and gives what has come of it. */
  flush(): string[] {
    this._stopTimer();
    if (this.buffer === "") return [];
    const sequence = this.buffer;
    this.buffer = "";
    this.pendingKittyPrintableCodepoint = undefined;
    return [sequence];
  }

  clear(): void {
    this._stopTimer();
    this.buffer = "";
    this.pasteBuffer = undefined;
    this.pendingKittyPrintableCodepoint = undefined;
  }

  getBuffer(): string {
    return this.buffer;
  }

  destroy(): void {
    this.clear();
  }

  _paste(text: string): void {
    const end = text.indexOf(PASTE_END);
    this.pasteBuffer = end === -1 ? text : undefined;
    if (end === -1) return;
    this.pendingKittyPrintableCodepoint = undefined;
    this.emit("paste", text.slice(0, end));
    const rest = text.slice(end + PASTE_END.length);
    if (rest) this.process(rest);
  }

  _emitSequence(sequence: string): void {
    const pending = this.pendingKittyPrintableCodepoint;
    if (pending !== undefined && sequence === String.fromCodePoint(pending)) {
      this.pendingKittyPrintableCodepoint = undefined;
      return;
    }
    const code = Number(/^\x1b\[(\d+)(?::\d*)?(?::\d+)?u$/.exec(sequence)?.[1]);
    this.pendingKittyPrintableCodepoint = code >= 32 && code <= 0x10ffff ? code : undefined;
    this.emit("data", sequence);
  }

  _stopTimer(): void {
    if (this.timeout !== null) clearTimeout(this.timeout);
    this.timeout = null;
  }
}
