// One connection of a server: requests in, answers out, in turn.
import { codeError } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { kResume } from "./incoming.ts";
import { type Head, Parser } from "./parser.ts";

/** Bytes of following requests that are held while an answer is under way. */
const HELD = 64 * 1024;

const ERROR_LINES: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "HTTP/1.1 431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "HTTP/1.1 413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "HTTP/1.1 408 Request Timeout",
};

export class Connection {
  #server: any;
  #socket: any;
  #parser: Parser;
  #req: any;
  #res: any;
  #served = 0;
  #ended = false;
  /** When the request that is being read began, or undefined. */
  since: number | undefined = Date.now();
  headDone = false;
  #listeners: [string, any][] = [];

  constructor(server: any, socket: any) {
    this.#server = server;
    this.#socket = socket;
    this.#parser = new Parser(false, {
      onHead: (head) => this.#onHead(head),
      onBody: (bytes) => this.#onBody(bytes),
      onEnd: (trailers) => this.#onEnd(trailers),
    }, server.maxHeaderSize);
    if (server.timeout) socket.setTimeout(server.timeout);
    const listen = (event: string, run: any) => {
      this.#listeners.push([event, run]);
      socket.on(event, run);
    };
    listen("data", (bytes: Uint8Array) => this.#feed(bytes));
    listen("end", () => this.#onSocketEnd());
    listen("close", () => this.#onClose());
    listen("error", (error: any) => this.#fail(error));
    listen("timeout", () => this.#onTimeout());
  }

  get socket(): any {
    return this.#socket;
  }
  /** Whether nothing is under way. */
  get idle(): boolean {
    return !this.#req && this.#parser.isBetween;
  }

  #feed(bytes: Uint8Array): void {
    if (this.idle) this.since = Date.now();
    try {
      this.#parser.feed(bytes);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#parser.paused && this.#parser.isInHead && this.#parser.heldLength > HELD) this.#socket.pause();
  }

  #onHead(head: Head): "body" | "none" | "raw" {
    const server = this.#server;
    const socket = this.#socket;
    const req: any = new server._IncomingMessage(socket, { highWaterMark: server._highWaterMark });
    req.joinDuplicateHeaders = server.joinDuplicateHeaders;
    req._setHead(head);
    req.method = head.method;
    req.url = head.url;
    this.headDone = true;
    const connection = (req.headers.connection ?? "").toLowerCase();
    const upgrades = head.method === "CONNECT" || (/(^|,)\s*upgrade\s*(,|$)/.test(connection) && req.headers.upgrade !== undefined);
    if (upgrades && (head.method === "CONNECT" || server.listenerCount("upgrade") > 0)) {
      req.upgrade = true;
      this.#hand(req, head.method === "CONNECT" ? "connect" : "upgrade");
      return "raw";
    }
    // Whatever follows waits for this answer.
    this.#parser.paused = true;
    const res: any = new server._ServerResponse(req, { highWaterMark: server._highWaterMark });
    res.shouldKeepAlive &&= !/(^|,)\s*close\s*(,|$)/.test(connection);
    if (head.minor === 0 && /keep-alive/.test(connection)) res.shouldKeepAlive = true;
    this.#served += 1;
    const most = server.maxRequestsPerSocket;
    if (most > 0 && this.#served >= most) res.shouldKeepAlive = false;
    if (!server.listening) res.shouldKeepAlive = false;
    const seconds = Math.floor(server.keepAliveTimeout / 1000);
    if (seconds > 0) res._keepAliveLine = `Keep-Alive: timeout=${seconds}${most > 0 ? `, max=${most}` : ""}\r\n`;
    res.strictContentLength = false;
    this.#req = req;
    this.#res = res;
    req.client = socket;
    req[kResume] = () => {
      if (this.#req === req && socket.isPaused() && !socket.destroyed) socket.resume();
    };
    socket._httpMessage = res;
    res._assign(socket);
    res.once("finish", () => this.#onFinish(req, res));
    socket.setTimeout(server.timeout);
    nextTick(() => this.#announce(req, res, head));
    return "body";
  }

  /** Tells the program of a request. */
  #announce(req: any, res: any, head: Head): void {
    const server = this.#server;
    if (head.minor === 1 && req.headers.host === undefined && server.requireHostHeader) {
      res.writeHead(400, ["Connection", "close"]);
      res.end();
      return;
    }
    const { expect } = req.headers;
    if (expect !== undefined && head.minor === 1) {
      if (/^100-continue$/i.test(expect)) {
        if (server.listenerCount("checkContinue") > 0) {
          server.emit("checkContinue", req, res);
          return;
        }
        res.writeContinue();
      } else if (server.listenerCount("checkExpectation") > 0) {
        server.emit("checkExpectation", req, res);
        return;
      } else {
        res.writeHead(417);
        res.end();
        return;
      }
    }
    server.emit("request", req, res);
  }

  #onBody(bytes: Uint8Array): void {
    if (this.#req && !this.#req.destroyed && !this.#req.push(bytes)) this.#socket.pause();
  }

  #onEnd(trailers: string[]): void {
    const req = this.#req;
    if (!req) return;
    this.since = undefined;
    req.complete = true;
    req.rawTrailers = trailers;
    req.push(null);
    if (!this.#res) this.#next();
  }

  #onFinish(req: any, res: any): void {
    if (this.#res !== res) return;
    this.#res = undefined;
    this.#socket._httpMessage = null;
    res.detachSocket(this.#socket);
    nextTick(() => res._gone());
    // Whatever of the request nobody wanted is read and forgotten.
    if (!req.destroyed && !req.readableEnded) req.resume();
    if (!res.shouldKeepAlive || this.#ended || !this.#server.listening) {
      this.#req = undefined;
      this.#socket.destroySoon();
    } else if (req.complete) this.#next();
  }

  /** Waits for the next request. */
  #next(): void {
    this.#req = undefined;
    this.headDone = false;
    this.#parser.paused = false;
    if (this.#socket.destroyed) return;
    if (this.#server.keepAliveTimeout) this.#socket.setTimeout(this.#server.keepAliveTimeout);
    nextTick(() => {
      if (this.#socket.destroyed || this.#req) return;
      this.#feedHeld();
    });
  }

  #feedHeld(): void {
    if (!this.#parser.isBetween) this.since = Date.now();
    try {
      this.#parser.run();
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#socket.isPaused() && !this.#req) this.#socket.resume();
  }

  /** Gives the socket away: it speaks something else from here on. */
  #hand(req: any, event: string): void {
    const server = this.#server;
    const socket = this.#socket;
    nextTick(() => {
      for (const [name, run] of this.#listeners) socket.off(name, run);
      server._connectionSet.delete(this);
      socket.setTimeout(0);
      // What comes before somebody listens must not be lost.
      socket._readableState.flowing = null;
      req.complete = true;
      req.push(null);
      const rest = this.#parser.takeRest();
      if (server.listenerCount(event) === 0) socket.destroy();
      else server.emit(event, req, socket, rest);
    });
  }

  #onSocketEnd(): void {
    this.#ended = true;
    try {
      this.#parser.finish();
    } catch (error) {
      this.#fail(error);
      return;
    }
    // A client that says no more is taken to be gone, unless the server says otherwise.
    if (!this.#res || !this.#server.httpAllowHalfOpen) this.#socket.end();
  }

  #onClose(): void {
    this.#server._connectionSet.delete(this);
    const [req, res] = [this.#req, this.#res];
    this.#req = this.#res = undefined;
    if (req && !req.destroyed) req.destroy(codeError("ECONNRESET", "aborted"));
    if (res) res._gone();
  }

  #fail(error: any): void {
    const server = this.#server;
    const socket = this.#socket;
    if (socket.destroyed && error.syscall === undefined && !error.code?.startsWith("HPE_")) return;
    error.bytesParsed ??= 0;
    if (server.listenerCount("clientError") > 0) {
      server.emit("clientError", error, socket);
      return;
    }
    const refusable = socket.writable && !this.#res?._headerSent;
    if (refusable) socket.write(`${ERROR_LINES[error.code] ?? "HTTP/1.1 400 Bad Request"}\r\nConnection: close\r\n\r\n`, "latin1");
    if (refusable && !socket.destroyed) socket.destroySoon();
    else socket.destroy();
  }

  /** The request took too long to arrive. */
  expire(): void {
    this.since = undefined;
    this.#fail(codeError("ERR_HTTP_REQUEST_TIMEOUT", "Request timeout"));
  }

  #onTimeout(): void {
    const [req, res] = [this.#req, this.#res];
    const heard = [
      req && !req.complete && req.emit("timeout", this.#socket),
      res?.emit("timeout", this.#socket),
      this.#server.emit("timeout", this.#socket),
    ];
    if (!heard.includes(true)) this.#socket.destroy();
  }
}
