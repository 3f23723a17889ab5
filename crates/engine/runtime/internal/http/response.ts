// What a server answers with.
import { codeError, codeRangeError, invalidArgType } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { headersSent, validateHeaderName, validateHeaderValue } from "./headers.ts";
import { OutgoingMessage } from "./outgoing.ts";
import { STATUS_CODES } from "./status.ts";

const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

export class ServerResponse extends OutgoingMessage {
  statusCode = 200;
  statusMessage: string | undefined = undefined;
  /** How the `Keep-Alive` header is put; set by the connection. */
  _keepAliveLine = "";

  constructor(req: any, options?: any) {
    super(options);
    this.req = req;
    this.sendDate = true;
    if (req.method === "HEAD") this._hasBody = false;
    if (req.httpVersionMajor < 1 || (req.httpVersionMajor === 1 && req.httpVersionMinor < 1)) {
      this.useChunkedEncodingByDefault = /chunked/i.test(req.headers.te ?? "");
      this.shouldKeepAlive = false;
    }
  }

  /** An older name of `writeHead`. */
  writeHeader(status: number, reason?: any, headers?: any): this {
    return this.writeHead(status, reason, headers);
  }
  writeHead(status: number, reason?: any, headers?: unknown): this {
    if (this._header) throw headersSent("write");
    const given = status;
    status |= 0;
    if (status < 100 || status > 999) throw codeRangeError("ERR_HTTP_INVALID_STATUS_CODE", `Invalid status code: ${given}`);
    if (typeof reason === "string") this.statusMessage = reason;
    else {
      headers ??= reason;
      this.statusMessage ??= STATUS_CODES[status] ?? "unknown";
    }
    this.statusCode = status;
    if (FORBIDDEN.test(this.statusMessage!)) throw codeError("ERR_INVALID_CHAR", "Invalid character in statusMessage", TypeError);
    this.#add(headers);
    if (status === 204 || status === 304 || status < 200) this._hasBody = false;
    this._storeHeader(`HTTP/1.1 ${status} ${this.statusMessage}\r\n`, () => `Connection: keep-alive\r\n${this._keepAliveLine}`);
    return this;
  }

  #add(headers: any): void {
    if (!headers) return;
    if (!Array.isArray(headers)) {
      for (const name of Object.keys(headers)) if (name) this.setHeader(name, headers[name]);
      return;
    }
    const pairs = Array.isArray(headers[0]) ? headers : [];
    if (pairs.length === 0) {
      if (headers.length % 2 !== 0) throw codeError("ERR_INVALID_ARG_VALUE", "The argument 'headers' is invalid.", TypeError);
      for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at], headers[at + 1]]);
    }
    for (const [name] of pairs) this.removeHeader(name);
    for (const [name, value] of pairs) this.appendHeader(name, value);
  }

  override _implicitHeader(): void {
    this.writeHead(this.statusCode);
  }

  /** One of the answers before the answer. */
  #inform(text: string, callback?: unknown): void {
    if (this.socket && !this.socket.destroyed) this.socket.write(`${text}\r\n`, "latin1", callback);
  }
  writeContinue(callback?: unknown): void {
    this.#inform("HTTP/1.1 100 Continue\r\n", callback);
  }
  writeProcessing(callback?: unknown): void {
    this.#inform("HTTP/1.1 102 Processing\r\n", callback);
  }
  writeEarlyHints(hints: any, callback?: any): void {
    if (hints === null || typeof hints !== "object") throw invalidArgType("hints", "Object", hints);
    let text = "HTTP/1.1 103 Early Hints\r\n";
    for (const [name, value] of Object.entries(hints)) {
      validateHeaderName(name);
      for (const one of [value].flat()) {
        validateHeaderValue(name, one);
        text += `${name}: ${one}\r\n`;
      }
    }
    this.#inform(text, callback);
  }

  assignSocket(socket: any): void {
    if (socket._httpMessage) throw codeError("ERR_HTTP_SOCKET_ASSIGNED", "Socket already assigned");
    socket._httpMessage = this;
    this._assign(socket);
  }
  detachSocket(socket: any): void {
    socket._httpMessage = null;
    this.socket = null;
  }

  override destroy(error?: unknown): this {
    if (this.destroyed) return this;
    this._writableState.destroyed = true;
    if (error) this._writableState.errored = error;
    if (this.socket) this.socket.destroy(error);
    else nextTick(() => this._gone());
    return this;
  }

  #closed = false;
  /** The answer is over, complete or not. */
  _gone(): void {
    if (this.#closed) return;
    this.#closed = true;
    this._writableState.destroyed = true;
    this._writableState.closed = true;
    this._writableState.closeEmitted = true;
    this.emit("close");
  }
}
