// A request and its answer on a connection.
import { codeError } from "../errors.ts";
import { nextTick } from "../tick.ts";
import { IncomingMessage, kResume } from "./incoming.ts";
import { type Head, Parser } from "./parser.ts";

const aborted = () => codeError("ECONNRESET", "aborted");
const hangUp = () => codeError("ECONNRESET", "socket hang up");

/** Reads the answer to `req` from `socket`, and lets the socket go when both are done. */
export function exchange(req: any, socket: any): void {
  let res: any;
  let raw = false;
  let keep = true;
  let interim = false;
  let over = false;
  socket._httpMessage = req;

  const onHead = (head: Head): "body" | "none" | "raw" => {
    const message: any = new IncomingMessage(socket);
    message._setHead(head);
    message.statusCode = head.status;
    message.statusMessage = head.reason;
    message.req = req;
    const connects = req.method === "CONNECT" && head.status >= 200 && head.status < 300;
    if (head.status === 101 || connects) {
      raw = true;
      hand(message, connects ? "connect" : "upgrade");
      return "raw";
    }
    interim = head.status < 200;
    if (interim) {
      const { statusCode, statusMessage, httpVersion, headers, rawHeaders } = message;
      const { httpVersionMajor, httpVersionMinor } = message;
      if (statusCode === 100) nextTick(() => req.emit("continue"));
      const about = { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders };
      nextTick(() => req.emit("information", about));
      return "none";
    }
    res = message;
    req.res = res;
    parser.paused = true;
    const connection = (res.headers.connection ?? "").toLowerCase();
    if (/(^|,)\s*close\s*(,|$)/.test(connection) || (head.minor === 0 && !/keep-alive/.test(connection))) keep = false;
    socket._keepAliveHint = Number(/timeout=(\d+)/.exec(res.headers["keep-alive"] ?? "")?.[1] ?? NaN);
    if (Number.isNaN(socket._keepAliveHint)) socket._keepAliveHint = undefined;
    res[kResume] = () => {
      if (!over && socket.isPaused() && !socket.destroyed) socket.resume();
    };
    res.once("end", finished);
    const empty = req.method === "HEAD" || head.status === 204 || head.status === 304;
    nextTick(() => {
      if (req.aborted || !req.emit("response", res)) res.resume();
    });
    return empty ? "none" : "body";
  };

  const parser = new Parser(true, {
    onHead,
    onBody(bytes) {
      if (!res.destroyed && !res.push(bytes)) socket.pause();
    },
    onEnd(trailers) {
      if (interim) {
        interim = false;
        return;
      }
      res.complete = true;
      res.rawTrailers = trailers;
      res.push(null);
    },
  }, req.maxHeaderSize);

  const onData = (bytes: Uint8Array) => {
    try {
      parser.feed(bytes);
    } catch (error: any) {
      error.bytesParsed ??= 0;
      fail(error);
    }
  };
  const onEnd = () => {
    try {
      keep = false;
      parser.finish();
    } catch (error) {
      if (!res) fail(error);
    }
    if (!res && !raw && !req._errorEmitted) {
      socket._hadError = true;
      req._fail(hangUp());
    }
    if (!res || !res.complete) socket.destroy();
    else socket.end();
  };
  const onError = (error: any) => {
    socket._hadError = true;
    req._fail(error);
    socket.destroy();
  };
  const onClose = () => {
    over = true;
    detach();
    if (res) {
      if (!res.complete && !res.destroyed) res.destroy(aborted());
      else if (!res.readableEnded && res.complete) {
        // All of it is here; the reader takes its time.
        res.once("end", () => req._gone());
        return;
      }
    } else if (!req._errorEmitted && !raw) req._fail(hangUp());
    req._gone();
  };

  const fail = (error: any) => {
    socket._hadError = true;
    req._fail(error);
    socket.destroy();
  };

  const detach = () => {
    socket.off("data", onData);
    socket.off("end", onEnd);
    socket.off("error", onError);
    socket.off("close", onClose);
    if (socket._httpMessage === req) socket._httpMessage = null;
  };

  /** The connection speaks something else from here on. */
  const hand = (message: any, event: string) => {
    nextTick(() => {
      over = true;
      detach();
      req.res = message;
      req.upgradeOrConnect = true;
      socket.emit("agentRemove");
      // What comes before somebody listens must not be lost.
      socket._readableState.flowing = null;
      message.complete = true;
      message.upgrade = true;
      const rest = parser.takeRest();
      if (req.listenerCount(event) === 0) {
        socket.destroy();
        req._gone();
        return;
      }
      req.emit(event, message, socket, rest);
      req._gone();
    });
  };

  /** The answer was read; the connection is free when the request is out too. */
  const finished = () => {
    if (!req.writableFinished) {
      if (req.writableEnded) req.once("finish", release);
      else {
        // The server answered before it heard everything.
        socket.destroySoon();
      }
      return;
    }
    release();
  };

  const release = () => {
    if (over || socket.destroyed) return;
    keep &&= req.shouldKeepAlive && parser.heldLength === 0;
    if (!keep || !req.agent) {
      socket._httpKeepAlive = false;
      socket.destroySoon();
      return;
    }
    over = true;
    detach();
    req.socket = socket;
    nextTick(() => {
      req._gone();
      socket.emit("free");
    });
  };

  socket.on("data", onData);
  socket.on("end", onEnd);
  socket.on("error", onError);
  socket.on("close", onClose);
  if (socket.isPaused()) socket.resume();
}
