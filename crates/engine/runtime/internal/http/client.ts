// `http.ClientRequest`.
import { Buffer } from "../../node/buffer.ts";
import { codeError, codeTypeError, invalidArgType } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { connect } from "../net/socket.ts";
import { nextTick } from "../tick.ts";
import { validateNumber } from "../validators.ts";
import { abortError } from "../aborted.ts";
import { Agent, globalAgent } from "./agent.ts";
import { isToken } from "./headers.ts";
import { IncomingMessage } from "./incoming.ts";
import { OutgoingMessage } from "./outgoing.ts";
import { exchange } from "./exchange.ts";

const loadUrl = lazyModule("web/url.ts");
const WITHOUT_BODY = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"];

/** The options that a URL stands for. */
export function urlOptions(url: any): any {
  const { protocol, hostname, hash, search, pathname, href, port, username, password } = url;
  const options: any = {
    protocol, hash, search, pathname, href,
    hostname: hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
    path: `${pathname || ""}${search || ""}`,
  };
  if (port !== "") options.port = Number(port);
  if (username || password) options.auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return options;
}

/** What the arguments of `request` come to. */
export function requestArguments(input: any, options: any, callback: any): [any, any] {
  if (typeof options === "function") [options, callback] = [undefined, options];
  if (typeof input === "string") return [{ ...urlOptions(new (loadUrl().URL)(input)), ...options }, callback];
  const isUrl = input && typeof input.href === "string" && typeof input.searchParams === "object" && typeof input.origin === "string";
  if (isUrl) return [{ ...urlOptions(input), ...options }, callback];
  if (options === undefined || options === null) return [{ ...input }, callback];
  return [{ ...input, ...options }, callback];
}

const hangUp = () => codeError("ECONNRESET", "socket hang up");

export class ClientRequest extends OutgoingMessage {
  agent: any;
  method: string;
  path: string;
  host: string;
  protocol: string;
  socketPath: string | undefined;
  timeout: number | undefined;
  res: any = null;
  aborted = false;
  reusedSocket = false;
  maxHeadersCount: number | null = null;
  maxHeaderSize: number | undefined;
  upgradeOrConnect = false;
  _closed = false;
  _errorEmitted = false;
  #error: any;

  constructor(input: any, given?: any, callback?: any) {
    super();
    const [options, listener] = requestArguments(input, given, callback);
    let { agent } = options;
    const defaultAgent = options._defaultAgent ?? globalAgent;
    if (agent === false) agent = new defaultAgent.constructor();
    else if (agent === null || agent === undefined) agent = typeof options.createConnection === "function" ? undefined : defaultAgent;
    else if (typeof agent.addRequest !== "function") throw invalidArgType("options.agent", ["Agent-like Object", "undefined", "false"], agent);
    this.agent = agent;
    const protocol = options.protocol || defaultAgent.protocol;
    const expected = agent?.protocol ?? defaultAgent.protocol;
    if (options.path && /[^\u0021-\u00ff]/.test(String(options.path))) {
      throw codeTypeError("ERR_UNESCAPED_CHARACTERS", "Request path contains unescaped characters");
    }
    if (protocol !== expected) throw codeTypeError("ERR_INVALID_PROTOCOL", `Protocol "${protocol}" not supported. Expected "${expected}"`);
    const port = (options.port = options.port || options.defaultPort || agent?.defaultPort || defaultAgent.defaultPort);
    const defaultPort = options.defaultPort || agent?.defaultPort;
    const host = (options.host = optionalString(options.hostname, "hostname") || optionalString(options.host, "host") || "localhost");
    this.socketPath = options.socketPath;
    if (options.timeout !== undefined) {
      validateNumber(options.timeout, "timeout", 0);
      this.timeout = options.timeout;
    }
    const method = options.method ?? "GET";
    if (typeof method !== "string") throw invalidArgType("options.method", "string", method);
    if (method && !isToken(method)) throw codeTypeError("ERR_INVALID_HTTP_TOKEN", `Method must be a valid HTTP token ["${method}"]`);
    this.method = (method || "GET").toUpperCase();
    this.maxHeaderSize = options.maxHeaderSize;
    this.path = options.path || "/";
    this.host = host;
    this.protocol = protocol;
    if (listener) this.once("response", listener);
    this.useChunkedEncodingByDefault = !WITHOUT_BODY.includes(this.method);
    this.shouldKeepAlive = agent ? Boolean(agent.keepAlive) || (agent.maxSockets !== Infinity && Number.isFinite(agent.maxSockets)) : false;
    this.#setHeaders(options, host, port, defaultPort);
    if (options.signal) this.#listenTo(options.signal);
    const { signal: _, ...connection } = options;
    this.#connect(connection);
  }

  #setHeaders(options: any, host: string, port: any, defaultPort: any): void {
    const { headers, setHost = true, auth } = options;
    if (Array.isArray(headers)) {
      const pairs = Array.isArray(headers[0]) ? headers : [];
      if (pairs.length === 0) for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at], headers[at + 1]]);
      for (const [name, value] of pairs) this.appendHeader(name, value);
    } else if (headers) {
      for (const name of Object.keys(headers)) this.setHeader(name, headers[name]);
    }
    if (setHost && !this.hasHeader("host") && !(Array.isArray(headers) && headers.length > 0 && this.hasHeader("host"))) {
      let shown = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
      if (port && Number(port) !== Number(defaultPort)) shown += `:${port}`;
      this.setHeader("Host", shown);
    }
    if (auth && !this.hasHeader("authorization")) {
      this.setHeader("Authorization", `Basic ${Buffer.from(auth).toString("base64")}`);
    }
    // Whoever waits for a permission to go on has to ask for it first.
    if (this.hasHeader("expect")) nextTick(() => this.flushHeaders());
  }

  #listenTo(signal: any): void {
    const stop = () => this.destroy(abortError(signal.reason));
    if (signal.aborted) nextTick(stop);
    else {
      signal.addEventListener("abort", stop, { once: true });
      this.once("close", () => signal.removeEventListener("abort", stop));
    }
  }

  #connect(options: any): void {
    if (this.agent) {
      this.agent.addRequest(this, options);
      return;
    }
    this.shouldKeepAlive = false;
    const own = { ...options, path: options.socketPath, timeout: undefined };
    if (typeof options.createConnection !== "function") {
      this.onSocket(connect(own));
      return;
    }
    let called = false;
    const created = (error: any, socket: any) => {
      if (called) return;
      called = true;
      if (error) nextTick(() => this._fail(error));
      else this.onSocket(socket);
    };
    try {
      const socket = options.createConnection(own, created);
      if (socket) created(null, socket);
    } catch (error) {
      created(error, undefined);
    }
  }

  override _implicitHeader(): void {
    this._storeHeader(`${this.method} ${this.path} HTTP/1.1\r\n`, () => "Connection: keep-alive\r\n");
  }

  /** Without a length the server takes it that there is no body; the connection may go on. */
  override _endsWithConnection(): void {}

  /** Called with the connection for this request, or with why there is none. */
  onSocket(socket: any, error?: any): void {
    nextTick(() => {
      if (error && !this.destroyed) {
        this._fail(error);
        this.#close();
        return;
      }
      if (this.destroyed) {
        // Nobody wants it any more; somebody else may.
        if (!socket) return;
        if (!this.agent || socket.connecting) socket.destroy(this.#error);
        else socket.emit("free");
        return;
      }
      exchange(this, socket);
      const { timeout } = this;
      if (timeout !== undefined) {
        socket.setTimeout(timeout);
        const tell = () => this.emit("timeout");
        socket.on("timeout", tell);
        this.once("close", () => socket.off("timeout", tell));
      }
      this.emit("socket", socket);
      this._assign(socket);
    });
  }

  /** Reports what went wrong, once. */
  _fail(error: any): void {
    if (this._errorEmitted) return;
    this._errorEmitted = true;
    this._writableState.errored ??= error;
    this.emit("error", error);
  }

  #close(): void {
    if (this._closed) return;
    this._closed = true;
    this._writableState.destroyed = true;
    this._writableState.closed = true;
    this._writableState.closeEmitted = true;
    this.emit("close");
  }

  /** The connection is over for this request. */
  _gone(): void {
    this.#close();
  }

  override destroy(error?: any): this {
    if (this.destroyed) return this;
    this._writableState.destroyed = true;
    this.#error = error;
    this.res?.resume?.();
    if (this.socket) {
      this.socket.destroy(error);
      return this;
    }
    this.agent?._forget?.(this);
    nextTick(() => {
      this._fail(error ?? hangUp());
      this.#close();
    });
    return this;
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    nextTick(() => this.emit("abort"));
    this.destroy();
  }

  override setTimeout(ms: number, callback?: any): this {
    validateNumber(ms, "msecs", 0);
    if (callback) this.once("timeout", callback);
    this.timeout = ms;
    const { socket } = this;
    if (socket) {
      socket.setTimeout(ms);
      if (!socket._tellsTimeout) {
        const tell = () => this.emit("timeout");
        socket._tellsTimeout = true;
        socket.on("timeout", tell);
        this.once("close", () => {
          socket._tellsTimeout = false;
          socket.off("timeout", tell);
        });
      }
    }
    return this;
  }
  setNoDelay(on?: boolean): void {
    this.#withSocket((socket) => socket.setNoDelay?.(on));
  }
  setSocketKeepAlive(on?: boolean, delay?: number): void {
    this.#withSocket((socket) => socket.setKeepAlive?.(on, delay));
  }
  clearTimeout(callback?: any): void {
    this.setTimeout(0, callback);
  }
  #withSocket(run: (socket: any) => void): void {
    if (this.socket) run(this.socket);
    else this.once("socket", run);
  }
}

function optionalString(value: any, name: string): string | undefined {
  if (value !== undefined && value !== null && typeof value !== "string") {
    throw invalidArgType(`options.${name}`, ["string", "undefined", "null"], value);
  }
  return value ?? undefined;
}

export function request(input: any, options?: any, callback?: any): ClientRequest {
  return new ClientRequest(input, options, callback);
}

export function get(input: any, options?: any, callback?: any): ClientRequest {
  const made = request(input, options, callback);
  made.end();
  return made;
}

export { Agent, globalAgent, IncomingMessage };
