// `http.Server`.
import { Server as NetServer } from "../net/server.ts";
import { clearInterval, setInterval } from "../../node/timers.ts";
import { Connection } from "./connection.ts";
import { IncomingMessage } from "./incoming.ts";
import { ServerResponse } from "./response.ts";

/** Gives a server of connections everything that makes it one of requests. */
export function setUpHttp(server: any, options: any): void {
  server.timeout = 0;
  server.keepAliveTimeout = options.keepAliveTimeout ?? 5_000;
  server.headersTimeout = options.headersTimeout ?? 60_000;
  server.requestTimeout = options.requestTimeout ?? 300_000;
  server.maxHeadersCount = null;
  server.httpAllowHalfOpen = false;
  server.maxRequestsPerSocket = options.maxRequestsPerSocket ?? 0;
  server.maxHeaderSize = options.maxHeaderSize ?? 16_384;
  server.requireHostHeader = options.requireHostHeader ?? true;
  server.joinDuplicateHeaders = options.joinDuplicateHeaders ?? false;
  server._highWaterMark = options.highWaterMark;
  server._IncomingMessage = options.IncomingMessage ?? IncomingMessage;
  server._ServerResponse = options.ServerResponse ?? ServerResponse;
  server._connectionSet = new Set<Connection>();
  let watch: any;
  const check = () => {
    const now = Date.now();
    for (const connection of server._connectionSet) {
      if (connection.since === undefined || connection.idle) continue;
      const limit = connection.headDone ? server.requestTimeout : server.headersTimeout;
      if (limit > 0 && now - connection.since > limit) connection.expire();
    }
  };
  server._takeSocket = (socket: any) => {
    server._connectionSet.add(new Connection(server, socket));
    watch ??= setInterval(check, options.connectionsCheckingInterval ?? 30_000).unref();
  };
  server.on("close", () => {
    if (watch) clearInterval(watch);
    watch = undefined;
  });
}

/** The methods that both kinds of servers have on top. */
export const httpMethods = {
  setTimeout(this: any, ms: number, callback?: any): any {
    this.timeout = ms;
    if (callback) this.on("timeout", callback);
    return this;
  },
  closeAllConnections(this: any): void {
    for (const connection of [...this._connectionSet]) connection.socket.destroy();
  },
  closeIdleConnections(this: any): void {
    for (const connection of [...this._connectionSet]) if (connection.idle) connection.socket.destroy();
  },
};

export class Server extends NetServer {
  constructor(options?: any, listener?: any) {
    if (typeof options === "function") [options, listener] = [{}, options];
    options ??= {};
    super({ allowHalfOpen: true, highWaterMark: options.highWaterMark });
    setUpHttp(this, options);
    if (listener) this.on("request", listener);
    this.on("connection", (this as any)._takeSocket);
  }

  override close(callback?: any): this {
    super.close(callback);
    (this as any).closeIdleConnections();
    return this;
  }
}
Object.assign(Server.prototype, httpMethods);

export function createServer(options?: any, listener?: any): Server {
  return new Server(options, listener);
}
