// `tls.Server`.
import { Server as NetServer } from "../net/server.ts";
import { createSecureContext } from "./context.ts";
import { TLSSocket } from "./socket.ts";

export class Server extends NetServer {
  #options: any;

  constructor(options: any = {}, listener?: any) {
    if (typeof options === "function") [options, listener] = [{}, options];
    super({ allowHalfOpen: options.allowHalfOpen, pauseOnConnect: false });
    this.#options = options;
    if (options.cert && options.key) createSecureContext(options);
    if (listener) this.on("secureConnection", listener);
    this.on("connection", (socket: any) => this.#secure(socket));
  }

  #secure(socket: any): void {
    const secure: any = new TLSSocket(socket, { ...this.#options, isServer: true });
    secure.server = this;
    const limit = this.#options.handshakeTimeout ?? 120_000;
    const timer = setTimeout(() => secure.destroy(new Error("TLS handshake timeout")), limit);
    timer.unref?.();
    const done = () => clearTimeout(timer);
    secure._tlsError = (error: unknown) => this.emit("tlsClientError", error, secure);
    const early = (error: unknown) => this.emit("tlsClientError", error, secure);
    secure.once("error", early);
    secure.once("close", done);
    secure.once("secure", () => {
      done();
      secure.off("error", early);
      this.emit("secureConnection", secure);
    });
  }

  setSecureContext(options: any): void {
    createSecureContext(options);
    this.#options = { ...this.#options, ...options };
  }
  addContext(_name: string, _context: unknown): void {}
  getTicketKeys(): any {
    return undefined;
  }
  setTicketKeys(): void {}
}

export function createServer(options?: unknown, listener?: unknown): Server {
  return new Server(options, listener);
}
