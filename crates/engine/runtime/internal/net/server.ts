// `net.Server`.
import { ops } from "tau:ops";
import { EventEmitter } from "../../node/events.ts";
import { codeError, invalidArgType, invalidArgValue, systemError } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { nextTick } from "../tick.ts";
import { validateAbortSignal, validatePort } from "../validators.ts";
import { isIP } from "./address.ts";
import type { Opened } from "./connect.ts";
import { kOnClose, kOpened, Socket } from "./socket.ts";

const loadDns = lazyModule("node/dns.ts");
const BACKLOG = 511;

/** The options of `listen(options)`, `listen(port, host, backlog)` and `listen(path, backlog)`. */
function listenArguments(args: any[]): [any, any] {
  const last = args[args.length - 1];
  const callback = typeof last === "function" ? last : undefined;
  const [first] = args;
  if (first !== null && typeof first === "object") return [first, callback];
  if (typeof first === "string" && !/^\d+$/.test(first)) return [{ path: first, backlog: args[1] }, callback];
  if (first === undefined || first === null || typeof first === "function") return [{ port: 0 }, callback];
  const rest = args.slice(1);
  const host = typeof rest[0] === "string" ? rest[0] : undefined;
  const backlog = rest.find((value) => typeof value === "number");
  return [{ port: first, host, backlog }, callback];
}

export class Server extends EventEmitter {
  _connections = 0;
  maxConnections: number | undefined = undefined;
  allowHalfOpen: boolean;
  pauseOnConnect: boolean;
  /** Where it listens, for Unix sockets. */
  _pipeName: string | undefined;
  #options: any;
  #opened: Opened | undefined;
  #starting = false;
  #closing = false;

  constructor(options?: any, listener?: any) {
    super();
    if (typeof options === "function") [options, listener] = [{}, options];
    else if (options !== undefined && options !== null && typeof options !== "object") throw invalidArgType("options", "Object", options);
    this.#options = options ?? {};
    this.allowHalfOpen = Boolean(this.#options.allowHalfOpen);
    this.pauseOnConnect = Boolean(this.#options.pauseOnConnect);
    if (listener) this.on("connection", listener);
  }

  listen(...args: any[]): this {
    const [options, callback] = listenArguments(args);
    if (this.#opened || this.#starting) throw codeError("ERR_SERVER_ALREADY_LISTEN", "Listen method has been called more than once without closing.");
    if (options.signal) {
      validateAbortSignal(options.signal, "options.signal");
      const stop = () => this.close();
      if (options.signal.aborted) nextTick(stop);
      else options.signal.addEventListener("abort", stop, { once: true });
    }
    if (callback) this.once("listening", callback);
    this.#closing = false;
    if (options.path !== undefined && options.path !== null) {
      const path = String(options.path);
      this._pipeName = path;
      this.#start(() => ops.netListenUnix(path), { address: path });
      return this;
    }
    if (!("port" in options)) {
      throw invalidArgValue("options", options, 'must have the property "port" or "path"');
    }
    const port = validatePort(options.port ?? 0, "options.port");
    const backlog = options.backlog > 0 ? options.backlog : BACKLOG;
    const { host } = options;
    if (!host) this.#start(() => listenAnywhere(port, backlog), { address: "::", port });
    else if (isIP(host)) this.#start(() => ops.netListen(host, port, backlog), { address: host, port });
    else {
      this.#starting = true;
      loadDns().lookup(host, (error: any, address: string) => {
        this.#starting = false;
        if (this.#closing) return;
        if (error) this.emit("error", error);
        else this.#start(() => ops.netListen(address, port, backlog), { address, port });
      });
    }
    return this;
  }

  #start(listen: () => Opened, where: { address: string; port?: number }): void {
    try {
      this.#opened = listen();
    } catch (error: any) {
      const message = `listen ${error.code}: ${error.message.slice(error.code.length + 2).replace(/, listen$/, "")} ${where.address}`;
      const failure = systemError(error.code, "listen", where);
      failure.message = where.port === undefined ? message : `${message}:${where.port}`;
      nextTick(() => this.emit("error", failure));
      return;
    }
    nextTick(() => {
      if (this.#opened) this.emit("listening");
    });
    this.#accept(this.#opened.rid);
  }

  #accept(rid: number): void {
    ops.netAccept(rid).then(
      (opened: Opened | null | undefined) => {
        if (!opened) return;
        this.#accept(rid);
        // From a job of its own: a throw in a listener must not end the accepting.
        nextTick(() => this.#take(opened));
      },
      (error: any) => {
        if (this.#opened?.rid !== rid) return;
        this.emit("error", error);
      },
    );
  }

  #take(opened: Opened): void {
    if (this.maxConnections !== undefined && this._connections >= this.maxConnections) {
      ops.resourceClose(opened.rid);
      const { rid: _, ...ends } = opened;
      this.emit("drop", ends);
      return;
    }
    const { highWaterMark } = this.#options;
    const socket: any = new Socket({ [kOpened]: opened, allowHalfOpen: this.allowHalfOpen, highWaterMark });
    socket.server = this;
    socket._server = this;
    this._connections += 1;
    socket[kOnClose] = () => {
      this._connections -= 1;
      this.#emitCloseIfDone();
    };
    if (this.pauseOnConnect) socket.pause();
    else socket.read(0);
    this.emit("connection", socket);
  }

  #emitCloseIfDone(): void {
    if (!this.#closing || this.#opened || this._connections > 0) return;
    this.#closing = false;
    nextTick(() => this.emit("close"));
  }

  close(callback?: (error?: any) => void): this {
    if (typeof callback === "function") {
      const running = this.#opened || this.#starting;
      this.once("close", () => {
        if (running) callback();
        else callback(codeError("ERR_SERVER_NOT_RUNNING", "Server is not running."));
      });
    }
    if (this.#opened) ops.netCloseListener(this.#opened.rid);
    this.#opened = undefined;
    this.#closing = true;
    this.#emitCloseIfDone();
    return this;
  }

  get listening(): boolean {
    return this.#opened !== undefined;
  }

  address(): any {
    if (!this.#opened) return null;
    if (this._pipeName !== undefined && this.#opened.localAddress === undefined) return this._pipeName;
    const { localAddress: address, localFamily: family, localPort: port } = this.#opened;
    return { address, family, port };
  }

  getConnections(callback: (error: any, count: number) => void): this {
    nextTick(callback, null, this._connections);
    return this;
  }

  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#opened) return;
    await new Promise<void>((resolve, reject) => this.close((error) => (error ? reject(error) : resolve())));
  }
}

/** All addresses, of both families where the system has both. */
function listenAnywhere(port: number, backlog: number): Opened {
  try {
    return ops.netListen("::", port, backlog);
  } catch (error: any) {
    if (error.code !== "EAFNOSUPPORT" && error.code !== "EINVAL" && error.code !== "EADDRNOTAVAIL") throw error;
    return ops.netListen("0.0.0.0", port, backlog);
  }
}

export function createServer(options?: unknown, listener?: unknown): Server {
  return new Server(options, listener);
}
