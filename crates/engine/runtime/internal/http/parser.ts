// Messages from bytes: heads with the help of an op, bodies here.
import { ops } from "tau:ops";
import { Buffer } from "../../node/buffer.ts";
import { codeError } from "../errors.ts";

/** The start line and the headers of a message. */
export interface Head {
  minor: number;
  method: string;
  url: string;
  status: number;
  reason: string;
  rawHeaders: string[];
}

/** Who hears of what was parsed. */
export interface Listener {
  /** Says what follows: `none` for no body whatever the headers say, `raw` for bytes that are no HTTP any more. */
  onHead(head: Head): "body" | "none" | "raw";
  onBody(bytes: Uint8Array): void;
  onEnd(rawTrailers: string[]): void;
}

const MAX_CHUNK_LINE = 4096;

export const parseError = (code: string, reason: string): any => codeError(code, `Parse Error: ${reason}`);

export class Parser {
  #response: boolean;
  #listener: Listener;
  #limit: number;
  /** What was not understood yet. */
  #held: Uint8Array = Buffer.alloc(0);
  #part: "head" | "length" | "close" | "size" | "chunk" | "chunkEnd" | "trailers" | "raw" = "head";
  #left = 0;
  /** Stops between two messages. */
  paused = false;
  #running = false;

  constructor(response: boolean, listener: Listener, limit = 16 * 1024) {
    this.#response = response;
    this.#listener = listener;
    this.#limit = limit;
  }

  get isBetween(): boolean {
    return this.#part === "head" && this.#held.length === 0;
  }
  get isInHead(): boolean {
    return this.#part === "head";
  }
  /** The bytes that are no part of any message yet; forgets them. */
  takeRest(): Uint8Array {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }
  get heldLength(): number {
    return this.#held.length;
  }

  /** Takes bytes. */
  feed(bytes: Uint8Array): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.run();
  }

  /** Goes on with what is held. */
  run(): void {
    // A listener may come back here.
    if (this.#running) return;
    this.#running = true;
    try {
      while (!(this.paused && this.#part === "head") && this.#step());
    } finally {
      this.#running = false;
    }
  }

  /** The connection has ended; the message that was under way may be complete with that. */
  finish(): void {
    if (this.#part === "close") {
      this.#part = "head";
      this.#listener.onEnd([]);
    } else if (this.#part !== "head" && this.#part !== "raw") {
      throw parseError("HPE_INVALID_EOF_STATE", "Invalid EOF state");
    } else if (this.#part === "head" && this.#held.length > 0 && !this.paused) {
      throw parseError("HPE_INVALID_EOF_STATE", "Invalid EOF state");
    }
  }

  #take(count: number): Uint8Array {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /** One step; whether another may follow. */
  #step(): boolean {
    switch (this.#part) {
      case "head":
        return this.#head();
      case "length":
      case "chunk": {
        if (this.#held.length === 0 && this.#left > 0) return false;
        const bytes = this.#take(Math.min(this.#left, this.#held.length));
        this.#left -= bytes.length;
        const chunked = this.#part === "chunk";
        if (this.#left === 0 && chunked) this.#part = "chunkEnd";
        if (bytes.length > 0) this.#listener.onBody(bytes);
        if (this.#left === 0 && !chunked) this.#end([]);
        return true;
      }
      case "close":
        if (this.#held.length > 0) this.#listener.onBody(this.#take(this.#held.length));
        return false;
      case "size":
        return this.#size();
      case "chunkEnd":
        if (this.#held.length < 2) return false;
        if (this.#held[0] !== 13 || this.#held[1] !== 10) throw parseError("HPE_STRICT", "Expected LF after chunk data");
        this.#take(2);
        this.#part = "size";
        return true;
      case "trailers":
        return this.#trailers();
      default:
        return false;
    }
  }

  #end(trailers: string[]): void {
    this.#part = "head";
    this.#listener.onEnd(trailers);
  }

  #head(): boolean {
    // Line ends between messages mean nothing.
    let skip = 0;
    while (this.#held[skip] === 13 || this.#held[skip] === 10) skip += 1;
    if (skip > 0) this.#take(skip);
    if (this.#held.length === 0) return false;
    const part = this.#held.length > this.#limit ? this.#held.subarray(0, this.#limit) : this.#held;
    const parsed = ops.httpParseHead(part, this.#response);
    if (!parsed) {
      if (this.#held.length > this.#limit) throw parseError("HPE_HEADER_OVERFLOW", "Header overflow");
      return false;
    }
    const [length, minor, first, second, ...rawHeaders] = parsed;
    this.#take(length);
    const head: Head = {
      minor, method: first, url: second, status: this.#response ? Number(first) : 0, reason: second, rawHeaders,
    };
    const framing = framingOf(rawHeaders, this.#response, head);
    const follows = this.#listener.onHead(head);
    if (follows === "raw") {
      this.#part = "raw";
      return false;
    }
    if (follows === "none") this.#end([]);
    else if (framing === "chunked") this.#part = "size";
    else if (framing === "close") this.#part = "close";
    else if (framing === 0) this.#end([]);
    else {
      this.#left = framing;
      this.#part = "length";
    }
    return true;
  }

  /** A line and its end, when it is all there. */
  #line(): string | undefined {
    const end = Buffer.from(this.#held.buffer, this.#held.byteOffset, this.#held.byteLength).indexOf("\r\n");
    if (end < 0) {
      if (this.#held.length > MAX_CHUNK_LINE) throw parseError("HPE_CHUNK_EXTENSIONS_OVERFLOW", "Chunk extensions overflow");
      return undefined;
    }
    const line = Buffer.from(this.#take(end + 2)).toString("latin1", 0, end);
    return line;
  }

  #size(): boolean {
    const line = this.#line();
    if (line === undefined) return false;
    const found = /^([0-9a-fA-F]{1,13})[ \t]*(;.*)?$/.exec(line);
    if (!found) throw parseError("HPE_INVALID_CHUNK_SIZE", "Invalid character in chunk size");
    this.#left = Number.parseInt(found[1], 16);
    this.#part = this.#left === 0 ? "trailers" : "chunk";
    return true;
  }

  #pairs: string[] = [];

  #trailers(): boolean {
    const line = this.#line();
    if (line === undefined) return false;
    if (line === "") {
      const trailers = this.#pairs;
      this.#pairs = [];
      this.#end(trailers);
      return true;
    }
    const colon = line.indexOf(":");
    if (colon < 1) throw parseError("HPE_INVALID_HEADER_TOKEN", "Invalid header token");
    this.#pairs.push(line.slice(0, colon), line.slice(colon + 1).trim());
    if (this.#pairs.length > 200) throw parseError("HPE_HEADER_OVERFLOW", "Header overflow");
    return true;
  }
}

/** How the end of a body is told. */
function framingOf(raw: string[], response: boolean, head: Head): number | "chunked" | "close" {
  let length: number | undefined;
  let coding: string | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at].toLowerCase();
    if (name === "content-length") {
      const value = raw[at + 1].trim();
      if (!/^\d+$/.test(value)) throw parseError("HPE_INVALID_CONTENT_LENGTH", "Invalid character in Content-Length");
      if (length !== undefined && length !== Number(value)) {
        throw parseError("HPE_UNEXPECTED_CONTENT_LENGTH", "Content-Length already present");
      }
      length = Number(value);
    } else if (name === "transfer-encoding") {
      coding = coding === undefined ? raw[at + 1] : `${coding}, ${raw[at + 1]}`;
    }
  }
  if (coding !== undefined) {
    // Two ways to tell the end are one too many: that is how requests are smuggled.
    if (length !== undefined) throw parseError("HPE_INVALID_TRANSFER_ENCODING", "Transfer-Encoding can't be present with Content-Length");
    if (/(^|,)\s*chunked\s*$/i.test(coding)) return "chunked";
    if (!response) throw parseError("HPE_INVALID_TRANSFER_ENCODING", "Request has invalid `Transfer-Encoding`");
    return "close";
  }
  if (length !== undefined) return length;
  if (!response) return 0;
  return head.status === 204 || head.status === 304 || head.status < 200 ? 0 : "close";
}
