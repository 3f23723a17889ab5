// Received messages.
import { Readable } from "../streams/readable.ts";
import { distinctHeaders, joinHeaders } from "./headers.ts";
import type { Head } from "./parser.ts";

/** How a message tells its connection that it can take more. */
export const kResume = Symbol("resume");

export class IncomingMessage extends Readable {
  httpVersionMajor = 1;
  httpVersionMinor = 1;
  httpVersion = "1.1";
  complete = false;
  rawHeaders: string[] = [];
  rawTrailers: string[] = [];
  joinDuplicateHeaders = false;
  aborted = false;
  upgrade = false;
  url = "";
  method: string | null = null;
  statusCode: number | null = null;
  statusMessage: string | null = null;
  client: any;
  socket: any;
  req: any;
  #headers: any;
  #trailers: any;
  [kResume]: (() => void) | undefined;

  constructor(socket: any, options?: any) {
    super({ autoDestroy: true, highWaterMark: options?.highWaterMark ?? socket?.readableHighWaterMark });
    this.socket = socket;
    this.client = socket;
  }

  /** Takes over what the parser read. */
  _setHead(head: Head): void {
    this.httpVersionMinor = head.minor;
    this.httpVersion = `1.${head.minor}`;
    this.rawHeaders = head.rawHeaders;
  }

  get connection(): any {
    return this.socket;
  }
  set connection(value: any) {
    this.socket = value;
  }
  get headers(): any {
    return (this.#headers ??= joinHeaders(this.rawHeaders, this.joinDuplicateHeaders));
  }
  set headers(value: unknown) {
    this.#headers = value;
  }
  get headersDistinct(): any {
    return distinctHeaders(this.rawHeaders);
  }
  get trailers(): any {
    return (this.#trailers ??= joinHeaders(this.rawTrailers, this.joinDuplicateHeaders));
  }
  set trailers(value: unknown) {
    this.#trailers = value;
  }
  get trailersDistinct(): any {
    return distinctHeaders(this.rawTrailers);
  }

  setTimeout(ms: number, callback?: any): this {
    if (callback) this.on("timeout", callback);
    this.socket.setTimeout(ms);
    return this;
  }

  _read(): void {
    this[kResume]?.();
  }

  _destroy(error: unknown, callback: any): void {
    if (!this.readableEnded || !this.complete) {
      this.aborted = true;
      this.emit("aborted");
    }
    // Nobody will read the rest, so nothing can follow it on this connection.
    if (this.socket && !this.socket.destroyed && this.aborted) {
      this.socket.destroy(error);
    }
    // A message that breaks off is no reason to end the program of whoever does not ask.
    if (error && this.listenerCount("error") === 0) error = null;
    queueMicrotask(() => callback(error));
  }
}
