// Who opens connections for requests and keeps them for the next ones.
import { EventEmitter } from "../../node/events.ts";
import { invalidArgType, outOfRange } from "../errors.ts";
import { connect } from "../net/socket.ts";
import { nextTick } from "../tick.ts";
import { validateNumber } from "../validators.ts";

export class Agent extends EventEmitter {
  static defaultMaxSockets = Infinity;
  declare defaultPort: number;
  declare protocol: string;
  options: any;
  requests: any = Object.create(null);
  sockets: any = Object.create(null);
  freeSockets: any = Object.create(null);
  keepAlive: boolean;
  keepAliveMsecs: number;
  maxSockets: number;
  maxFreeSockets: number;
  maxTotalSockets: number;
  scheduling: string;
  totalSocketCount = 0;

  constructor(options?: any) {
    super();
    if (options !== undefined && options !== null && typeof options !== "object") throw invalidArgType("options", "Object", options);
    // Assigned, not declared: agents of others have setters for these.
    this.defaultPort = 80;
    this.protocol = "http:";
    // A path here is that of a request, not of a Unix socket.
    this.options = { __proto__: null, ...options, path: null };
    if (this.options.noDelay === undefined) this.options.noDelay = true;
    this.keepAlive = Boolean(this.options.keepAlive);
    this.keepAliveMsecs = this.options.keepAliveMsecs ?? 1000;
    this.maxSockets = this.options.maxSockets ?? Agent.defaultMaxSockets;
    this.maxFreeSockets = this.options.maxFreeSockets ?? 256;
    this.scheduling = this.options.scheduling ?? "lifo";
    this.maxTotalSockets = this.options.maxTotalSockets ?? Infinity;
    for (const name of ["maxTotalSockets", "maxSockets"] as const) {
      validateNumber(this[name], name);
      if (!(this[name] > 0)) throw outOfRange(name, "> 0", this[name]);
    }
    this.on("free", (socket: any, options: any) => this.#freed(socket, options));
  }

  createConnection(options: any, callback?: any): any {
    return connect(options, callback);
  }

  getName(options: any = {}): string {
    let name = `${options.host || "localhost"}:${options.port || ""}:${options.localAddress || ""}`;
    if (options.family === 4 || options.family === 6) name += `:${options.family}`;
    if (options.socketPath) name += `:${options.socketPath}`;
    return name;
  }

  addRequest(req: any, options: any, port?: any, localAddress?: any): void {
    if (typeof options === "string") options = { __proto__: null, host: options, port, localAddress };
    options = { __proto__: null, ...options, ...this.options };
    if (options.socketPath) options.path = options.socketPath;
    this._prepare(req, options);
    const name = this.getName(options);
    this.sockets[name] ??= [];
    const free = this.freeSockets[name] ?? [];
    let socket: any;
    while (free.length > 0 && !socket) {
      const next = this.scheduling === "fifo" ? free.shift() : free.pop();
      if (!next.destroyed && next.writable) socket = next;
    }
    if (free.length === 0) delete this.freeSockets[name];
    if (socket) {
      socket._agentIdle?.(false);
      req.reusedSocket = true;
      this.sockets[name].push(socket);
      this.reuseSocket(socket, req);
      req.onSocket(socket);
    } else if (this.sockets[name].length < this.maxSockets && this.totalSocketCount < this.maxTotalSockets) {
      this.#open(req, options);
    } else {
      (this.requests[name] ??= []).push({ req, options });
    }
  }

  #open(req: any, options: any): void {
    this.createSocket(req, options, (error: any, socket: any) => {
      if (error) req.onSocket(socket, error);
      else req.onSocket(socket);
    });
  }

  /** What agents of other protocols set before a connection is looked for. */
  _prepare(_req: any, _options: any): void {}

  createSocket(req: any, options: any, callback: any): void {
    options = { __proto__: null, ...options, ...this.options };
    if (options.socketPath) options.path = options.socketPath;
    this._prepare(req, options);
    const name = this.getName(options);
    options._agentKey = name;
    let called = false;
    const created = (error: any, socket?: any) => {
      if (called) return;
      called = true;
      if (error) {
        callback(error);
        return;
      }
      (this.sockets[name] ??= []).push(socket);
      this.totalSocketCount += 1;
      this.#watch(socket, name, options);
      callback(null, socket);
    };
    let socket: any;
    try {
      socket = this.createConnection({ ...options, timeout: undefined }, created);
    } catch (error) {
      nextTick(created, error);
      return;
    }
    if (socket) created(null, socket);
  }

  #watch(socket: any, name: string, options: any): void {
    socket._agentOptions = options;
    const onFree = () => this.emit("free", socket, options);
    const onClose = () => this.removeSocket(socket, options);
    const onTimeout = () => {
      if ((this.freeSockets[name] ?? []).includes(socket)) socket.destroy();
    };
    const onRemove = () => {
      this.removeSocket(socket, options);
      socket.off("close", onClose);
      socket.off("free", onFree);
      socket.off("timeout", onTimeout);
      socket.off("agentRemove", onRemove);
    };
    socket.on("free", onFree);
    socket.on("close", onClose);
    socket.on("timeout", onTimeout);
    socket.on("agentRemove", onRemove);
  }

  #freed(socket: any, options: any): void {
    const name = this.getName(options);
    if (!socket.writable || socket.destroyed) {
      socket.destroy();
      return;
    }
    const waiting = this.requests[name];
    if (waiting?.length) {
      const { req } = waiting.shift();
      if (waiting.length === 0) delete this.requests[name];
      req.reusedSocket = true;
      this.reuseSocket(socket, req);
      req.onSocket(socket);
      return;
    }
    const free = this.freeSockets[name] ?? [];
    const used = this.sockets[name] ?? [];
    const keep = this.keepAlive && socket._httpKeepAlive !== false && free.length < this.maxFreeSockets && free.length + used.length <= this.maxSockets;
    if (!keep || !this.keepSocketAlive(socket)) {
      socket.destroySoon?.();
      return;
    }
    this.#drop(this.sockets, name, socket);
    this.freeSockets[name] = free;
    free.push(socket);
    // Data or an end on a connection nobody uses: it is of no more use.
    const gone = () => socket.destroy();
    socket.on("data", gone);
    socket.on("end", gone);
    socket.on("error", gone);
    socket._agentIdle = () => {
      socket.off("data", gone);
      socket.off("end", gone);
      socket.off("error", gone);
      socket._agentIdle = undefined;
    };
    if (socket.isPaused()) socket.resume();
  }

  keepSocketAlive(socket: any): boolean {
    socket.setKeepAlive?.(true, this.keepAliveMsecs);
    socket.unref?.();
    let limit = this.options.timeout || 0;
    const hint = socket._keepAliveHint;
    if (hint !== undefined) {
      // The server's own limit, less what the way there takes.
      const own = Math.max(0, hint * 1000 - 1000);
      if (own === 0) return false;
      limit = limit ? Math.min(limit, own) : own;
    }
    socket.setTimeout?.(limit);
    return true;
  }

  reuseSocket(socket: any, _req: any): void {
    socket.ref?.();
    socket.setTimeout?.(0);
  }

  #drop(table: any, name: string, socket: any): boolean {
    const list = table[name];
    const at = list?.indexOf(socket) ?? -1;
    if (at < 0) return false;
    list.splice(at, 1);
    if (list.length === 0) delete table[name];
    return true;
  }

  removeSocket(socket: any, options: any): void {
    const name = this.getName(options);
    const inUse = this.#drop(this.sockets, name, socket);
    const wasFree = this.#drop(this.freeSockets, name, socket);
    if (inUse || wasFree) this.totalSocketCount -= 1;
    const waiting = this.requests[name];
    if (waiting?.length && (this.sockets[name]?.length ?? 0) < this.maxSockets) {
      const { req, options: wanted } = waiting.shift();
      if (waiting.length === 0) delete this.requests[name];
      this.#open(req, wanted);
    }
  }

  /** Forgets a request that waits for a connection. */
  _forget(req: any): void {
    for (const name of Object.keys(this.requests)) {
      this.requests[name] = this.requests[name].filter((entry: any) => entry.req !== req);
      if (this.requests[name].length === 0) delete this.requests[name];
    }
  }

  destroy(): void {
    for (const table of [this.freeSockets, this.sockets]) {
      for (const list of Object.values(table) as any[][]) for (const socket of [...list]) socket.destroy?.();
    }
  }
}

export const globalAgent = new Agent({ keepAlive: true, scheduling: "lifo", timeout: 5000 });
