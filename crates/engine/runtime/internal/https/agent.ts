// HTTP over TLS.
import { Agent as HttpAgent } from "../http/agent.ts";
import { ClientRequest, requestArguments } from "../http/client.ts";
import { httpMethods, setUpHttp } from "../http/server.ts";
import { isIP } from "../net/address.ts";
import { connect } from "../tls/socket.ts";
import { Server as TlsServer } from "../tls/server.ts";

/** Options of the connection that make it another one. */
const TLS_OPTIONS = [
  "ca", "cert", "clientCertEngine", "ciphers", "key", "pfx", "rejectUnauthorized", "servername", "minVersion", "maxVersion",
  "secureProtocol", "crl", "honorCipherOrder", "ecdhCurve", "dhparam", "secureOptions", "sessionIdContext",
];

export class Agent extends HttpAgent {
  constructor(options?: any) {
    super(options);
    this.defaultPort = 443;
    this.protocol = "https:";
  }

  override createConnection(options: any): any {
    return connect({ ...options, servername: options.servername || undefined });
  }

  override _prepare(req: any, options: any): void {
    if (options.servername !== undefined) return;
    const header = req.getHeader?.("host");
    const host = typeof header === "string" ? header.replace(/^\[(.*)\].*$/, "$1").replace(/^([^:]*):\d+$/, "$1") : options.host;
    options.servername = isIP(host) ? "" : host;
  }

  override getName(options: any = {}): string {
    const shown = TLS_OPTIONS.map((name) => {
      const value = options[name];
      return value === undefined || value === null ? "" : Buffer.isBuffer(value) ? value.toString("base64") : String(value);
    });
    return `${super.getName(options)}:${shown.join(":")}`;
  }
}

export const globalAgent = new Agent({ keepAlive: true, scheduling: "lifo", timeout: 5000 });

// Proxy agents find out by the names in a stack trace which module a request came through.
const through = {
  "node:https:request"(options: any, listener: any): ClientRequest {
    return new ClientRequest({ ...options, _defaultAgent: globalAgent }, listener);
  },
};

export function request(input: any, options?: unknown, callback?: unknown): ClientRequest {
  const [all, listener] = requestArguments(input, options, callback);
  return through["node:https:request"](all, listener);
}

export function get(input: unknown, options?: unknown, callback?: unknown): ClientRequest {
  const made = request(input, options, callback);
  made.end();
  return made;
}

export class Server extends TlsServer {
  constructor(options?: any, listener?: any) {
    if (typeof options === "function") [options, listener] = [{}, options];
    options ??= {};
    super({ ALPNProtocols: ["http/1.1"], ...options, allowHalfOpen: true });
    setUpHttp(this, options);
    if (listener) this.on("request", listener);
    this.on("secureConnection", (this as any)._takeSocket);
    this.on("tlsClientError", (error: unknown, socket: any) => {
      if (!this.emit("clientError", error, socket)) socket.destroy();
    });
  }

  override close(callback?: any): this {
    super.close(callback);
    (this as any).closeIdleConnections();
    return this;
  }
}
Object.assign(Server.prototype, httpMethods);

export function createServer(options?: unknown, listener?: unknown): Server {
  return new Server(options, listener);
}
