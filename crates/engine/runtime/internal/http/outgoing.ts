// Messages that are sent.
import { Buffer } from "../../node/buffer.ts";
import { codeError, codeTypeError, invalidArgType } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { Writable } from "../streams/writable.ts";
import { headersSent, HeaderStore, validateHeaderName, validateHeaderValue } from "./headers.ts";

let dateText = "";
let dateUntil = 0;

/** The `Date` header; the same text for a second. */
export function utcDate(): string {
  const now = Date.now();
  if (now >= dateUntil) {
    dateText = new Date(now).toUTCString();
    dateUntil = now - (now % 1000) + 1000;
  }
  return dateText;
}

export class OutgoingMessage extends Writable {
  req: any;
  socket: any = null;
  sendDate = false;
  shouldKeepAlive = true;
  chunkedEncoding = false;
  useChunkedEncodingByDefault = true;
  strictContentLength = false;
  maxRequestsOnConnectionReached = false;
  finished = false;
  _hasBody = true;
  _header: string | null = null;
  _headerSent = false;
  _contentLength: number | null = null;
  _defaultKeepAlive = true;
  _removedConnection = false;
  _removedContLen = false;
  _removedTE = false;
  #headers = new HeaderStore();
  #trailers = "";
  #sent = 0;
  #waiting: (() => void)[] = [];

  constructor(options?: any) {
    super({ decodeStrings: true, highWaterMark: options?.highWaterMark, autoDestroy: false, emitClose: false });
  }

  get connection(): any {
    return this.socket;
  }
  set connection(value: any) {
    this.socket = value;
  }
  get headersSent(): boolean {
    return Boolean(this._header);
  }
  get _headers(): any {
    return this.getHeaders();
  }

  setHeader(name: string, value: any): this {
    if (this._header) throw headersSent("set");
    validateHeaderName(name);
    validateHeaderValue(name, value);
    this.#headers.set(name, value);
    return this;
  }
  setHeaders(headers: any): this {
    if (this._header) throw headersSent("set");
    if (!headers || Array.isArray(headers) || typeof headers.keys !== "function" || typeof headers.get !== "function") {
      throw invalidArgType("headers", ["Headers", "Map"], headers);
    }
    const cookies = headers.getSetCookie?.() ?? [];
    for (const [name, value] of headers) if (name !== "set-cookie" || cookies.length === 0) this.setHeader(name, value);
    if (cookies.length > 0) this.setHeader("set-cookie", cookies);
    return this;
  }
  appendHeader(name: string, value: any): this {
    if (this._header) throw headersSent("append");
    validateHeaderName(name);
    for (const one of [value].flat()) validateHeaderValue(name, one);
    this.#headers.append(name, value);
    return this;
  }
  getHeader(name: string): any {
    if (typeof name !== "string") throw invalidArgType("name", "string", name);
    return this.#headers.get(name);
  }
  hasHeader(name: string): boolean {
    if (typeof name !== "string") throw invalidArgType("name", "string", name);
    return this.#headers.has(name);
  }
  removeHeader(name: string): void {
    if (typeof name !== "string") throw invalidArgType("name", "string", name);
    if (this._header) throw headersSent("remove");
    const key = name.toLowerCase();
    if (key === "connection") this._removedConnection = true;
    if (key === "content-length") this._removedContLen = true;
    if (key === "transfer-encoding") this._removedTE = true;
    if (key === "date") this.sendDate = false;
    this.#headers.delete(name);
  }
  getHeaders(): any {
    return this.#headers.toObject();
  }
  getHeaderNames(): string[] {
    return this.#headers.names();
  }
  getRawHeaderNames(): string[] {
    return this.#headers.rawNames();
  }
  addTrailers(headers: any): void {
    const pairs = Array.isArray(headers) ? headers : Object.entries(headers);
    for (const [name, value] of pairs) {
      validateHeaderName(name, "Trailer name");
      validateHeaderValue(name, value);
      this.#trailers += `${name}: ${value}\r\n`;
    }
  }

  /** Decides how the end of the body is told and puts the head together. */
  _storeHeader(firstLine: string, keepAlive: () => string): void {
    const headers = this.#headers;
    if (this.sendDate && !headers.has("date")) headers.set("Date", utcDate());
    const connection = headers.get("connection");
    let extra = "";
    if (connection !== undefined) {
      const text = [connection].flat().join(",").toLowerCase();
      if (/(^|,)\s*close\s*(,|$)/.test(text)) this.shouldKeepAlive = false;
      else if (/keep-alive/.test(text)) this._defaultKeepAlive = true;
    }
    const hasLength = headers.has("content-length");
    const coding = headers.get("transfer-encoding");
    if (coding !== undefined) {
      this.chunkedEncoding = /(^|,)\s*chunked\s*$/i.test([coding].flat().join(","));
    } else if (!hasLength && this._hasBody) {
      if (!this.useChunkedEncodingByDefault) this._endsWithConnection();
      else if (this._contentLength !== null && !this._removedContLen) extra += `Content-Length: ${this._contentLength}\r\n`;
      else if (!this._removedTE) {
        extra += "Transfer-Encoding: chunked\r\n";
        this.chunkedEncoding = true;
      } else this._endsWithConnection();
    }
    if (!this._hasBody) this.chunkedEncoding = false;
    if (hasLength && this._contentLength === null) this._contentLength = Number(headers.get("content-length"));
    let shown = "";
    if (connection === undefined && !this._removedConnection) shown = this.shouldKeepAlive ? keepAlive() : "Connection: close\r\n";
    this._header = `${firstLine}${headers.lines()}${shown}${extra}\r\n`;
  }

  /** Only the end of the connection tells the end of this body. */
  _endsWithConnection(): void {
    this.shouldKeepAlive = false;
  }

  /** Makes the head if it was not made yet; messages know how. */
  _implicitHeader(): void {
    throw codeError("ERR_METHOD_NOT_IMPLEMENTED", "The _implicitHeader() method is not implemented");
  }

  flushHeaders(): void {
    if (!this._header) this._implicitHeader();
    this.#whenConnected(() => this.#flushHead());
  }

  #flushHead(): void {
    if (this._headerSent || !this.socket) return;
    this._headerSent = true;
    this.socket.write(this._header, "latin1");
  }

  /** Takes the socket that everything goes to. */
  _assign(socket: any): void {
    this.socket = socket;
    for (const run of this.#waiting.splice(0)) run();
  }

  #whenConnected(run: () => void): void {
    if (this.socket && !this.socket.connecting) run();
    else if (this.socket) this.socket.once("connect", run);
    else this.#waiting.push(run);
  }

  write(chunk: any, encoding?: any, callback?: any): boolean {
    if (typeof encoding === "function") [encoding, callback] = [undefined, encoding];
    if (chunk === null) throw codeTypeError("ERR_STREAM_NULL_VALUES", "May not write null values to stream");
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) {
      throw invalidArgType("chunk", ["string", "Buffer", "Uint8Array"], chunk);
    }
    if (!this._header && !this.writableEnded) this._implicitHeader();
    if (this.strictContentLength) this.#checkLength(chunk, encoding, false);
    return super.write(chunk, encoding, callback);
  }

  #checkLength(chunk: any, encoding: any, last: boolean): void {
    this.#sent += chunk === undefined ? 0 : Buffer.byteLength(chunk, encoding);
    const wrong = this._contentLength !== null && this._hasBody && (this.#sent > this._contentLength || (last && this.#sent !== this._contentLength));
    if (wrong) {
      const message = `Response body's content-length of ${this.#sent} byte(s) does not match the content-length of ${this._contentLength} byte(s) set in header`;
      throw codeError("ERR_HTTP_CONTENT_LENGTH_MISMATCH", message);
    }
  }

  end(chunk?: any, encoding?: any, callback?: any): this {
    if (typeof chunk === "function") [chunk, encoding, callback] = [undefined, undefined, chunk];
    else if (typeof encoding === "function") [encoding, callback] = [undefined, encoding];
    const has = chunk !== undefined && chunk !== null;
    if (has && typeof chunk !== "string" && !(chunk instanceof Uint8Array)) {
      throw invalidArgType("chunk", ["string", "Buffer", "Uint8Array"], chunk);
    }
    if (this.finished) {
      if (has) return super.end(chunk, encoding, callback);
      if (callback && !this.writableFinished) this.once("finish", callback);
      else callback?.(codeError("ERR_STREAM_ALREADY_FINISHED", "Cannot call end after a stream was finished"));
      return this;
    }
    if (!this._header) {
      // All there is goes out at once, so its length can be told.
      if (this.#trailers === "") this._contentLength = has ? Buffer.byteLength(chunk, encoding) : 0;
      this._implicitHeader();
    }
    if (this.strictContentLength) this.#checkLength(has ? chunk : undefined, encoding, true);
    this.finished = true;
    if (callback) this.once("finish", callback);
    if (has && chunk.length > 0) super.end(chunk, encoding);
    else super.end();
    return this;
  }

  _write(chunk: any, encoding: any, callback: any): void {
    this.#whenConnected(() => this.#send(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk, callback));
  }

  _writev(chunks: any[], callback: any): void {
    this.#whenConnected(() => this.#send(Buffer.concat(chunks.map(({ chunk, encoding }) => (typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk))), callback));
  }

  #send(bytes: Uint8Array, callback: any): void {
    const parts: any[] = [];
    if (!this._headerSent) {
      this._headerSent = true;
      parts.push(Buffer.from(this._header!, "latin1"));
    }
    if (this._hasBody) {
      if (this.chunkedEncoding) parts.push(Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n"));
      else parts.push(bytes);
    }
    this.#toSocket(parts, callback);
  }

  #toSocket(parts: any[], callback: any): void {
    const { socket } = this;
    if (parts.length === 0) nextTick(callback);
    else if (!socket || socket.destroyed || !socket.writable) {
      // The connection's end has its own events; nobody waits for these bytes any more.
      nextTick(callback);
    } else socket.write(parts.length === 1 ? parts[0] : Buffer.concat(parts), (error: any) => callback(error && !socket.destroyed ? error : null));
  }

  _final(callback: any): void {
    if (!this._header) this._implicitHeader();
    this.#whenConnected(() => {
      const parts: any[] = [];
      if (!this._headerSent) {
        this._headerSent = true;
        parts.push(Buffer.from(this._header!, "latin1"));
      }
      if (this._hasBody && this.chunkedEncoding) parts.push(Buffer.from(`0\r\n${this.#trailers}\r\n`, "latin1"));
      this.#toSocket(parts, callback);
    });
  }

  setTimeout(ms: number, callback?: any): this {
    if (callback) this.on("timeout", callback);
    if (this.socket) this.socket.setTimeout(ms);
    else this.once("socket", (socket: any) => socket.setTimeout(ms));
    return this;
  }

}
