// `net.Socket`.
import { Buffer } from "../../node/buffer.ts";
import { clearTimeout, setImmediate, setTimeout } from "../../node/timers.ts";
import { codeError } from "../errors.ts";
import { addAbortSignal } from "../streams/abort_signal.ts";
import { Duplex } from "../streams/duplex.ts";
import { nextTick } from "../tick.ts";
import { validateFunction, validateNumber } from "../validators.ts";
import { checkConnect, connectArguments, open, type Opened } from "./connect.ts";
import { socketError, systemTransport, type Transport } from "./transport.ts";

/** The option with which a server gives a socket its connection. */
export const kOpened = Symbol("opened");
/** The method that a server hears of a socket's end with. */
export const kOnClose = Symbol("onClose");

const CHUNK = 64 * 1024;

export class Socket extends Duplex {
  declare [kOnClose]?: (socket: Socket) => void;
  connecting = false;
  /** Set by servers on the sockets they accept. */
  server: any = null;
  timeout: number | undefined = undefined;
  autoSelectFamilyAttemptedAddresses: string[] | undefined = undefined;
  _hadError = false;
  _host: string | null = null;
  _parent: any = null;
  bytesRead = 0;
  #dispatched = 0;
  #transport: Transport | undefined;
  #ends: any = {};
  #reading = false;
  #wantsRead = false;
  #timer: any;
  #connection = 0;

  constructor(options: any = {}) {
    const { allowHalfOpen = false, readable, writable, signal, readableHighWaterMark, writableHighWaterMark, highWaterMark } = options ?? {};
    super({
      allowHalfOpen: Boolean(allowHalfOpen),
      autoDestroy: true,
      // The event carries whether there was an error.
      emitClose: false,
      readable: options?.fd === undefined ? undefined : readable,
      writable: options?.fd === undefined ? undefined : writable,
      readableHighWaterMark, writableHighWaterMark, highWaterMark,
    });
    if (signal) addAbortSignal(signal, this);
    if (options?.[kOpened]) this._attach(options[kOpened]);
    this.on("end", () => {
      // Whoever writes after the other side has left is told at once.
      if (!this.allowHalfOpen) this.write = this.#writeAfterEnd;
    });
  }

  #writeAfterEnd(_chunk: any, encoding?: any, callback?: any): boolean {
    if (typeof encoding === "function") callback = encoding;
    const error: any = new Error("This socket has been ended by the other party");
    error.code = "EPIPE";
    if (typeof callback === "function") nextTick(callback, error);
    this.destroy(error);
    return false;
  }

  /** Takes an open connection. */
  _attach(opened: Opened): void {
    this.#ends = opened;
    this._useTransport(systemTransport(opened.rid));
  }

  /** Moves bytes with this from now on. */
  _useTransport(transport: Transport): void {
    this.#transport = transport;
  }

  get _transport(): Transport | undefined {
    return this.#transport;
  }
  get _handle(): any {
    return this.#transport ? { fd: -1, getAsyncId: () => 0, ref() {}, unref() {} } : null;
  }

  connect(...args: any[]): this {
    const [options, callback] = connectArguments(args);
    checkConnect(options);
    if (callback !== null) this.once("connect", callback);
    if (this.destroyed) {
      this._undestroy();
      this.#ends = {};
      this.#transport = undefined;
      delete (this as any).write;
    }
    if (this.#transport === undefined) this.resetCounters();
    this.connecting = true;
    this._host = options.host ?? null;
    this.autoSelectFamilyAttemptedAddresses = [];
    if (options.timeout !== undefined) this.setTimeout(options.timeout);
    const number = ++this.#connection;
    const current = () => this.connecting && !this.destroyed && number === this.#connection;
    const tell = (event: string, ...details: any[]) => {
      if (!current()) return;
      if (event === "connectionAttempt") this.autoSelectFamilyAttemptedAddresses!.push(`${details[0]}:${details[1]}`);
      this.emit(event, ...details);
    };
    open(options, tell).then(
      (opened) => {
        if (!current()) {
          systemTransport(opened.rid).close();
          return;
        }
        this._attach(opened);
        this._connected();
      },
      (error) => {
        if (current()) this.destroy(error);
      },
    );
    return this;
  }

  private resetCounters(): void {
    this.bytesRead = 0;
    this.#dispatched = 0;
  }

  /** The connection is there: tells everybody and starts reading. */
  _connected(): void {
    this.connecting = false;
    this._activity();
    this.emit("connect");
    this.emit("ready");
    // Notices the other side's end even when nobody reads.
    if (this.readable && !this.isPaused()) this.read(0);
  }

  _read(): void {
    if (this.connecting || !this.#transport) {
      if (!this.#wantsRead) {
        this.#wantsRead = true;
        this.once("connect", () => {
          this.#wantsRead = false;
          this._read();
        });
      }
      return;
    }
    if (this.#reading) return;
    this.#reading = true;
    this.#transport.read(CHUNK).then(
      (bytes) => {
        this.#reading = false;
        if (this.destroyed) return;
        this._activity();
        if (bytes === null) {
          this.push(null);
          this.read(0);
          return;
        }
        this.bytesRead += bytes.length;
        this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      },
      (error) => {
        this.#reading = false;
        if (!this.destroyed) this.destroy(socketError(error, "read"));
      },
    );
  }

  #whenConnected(callback: any, then: () => void): void {
    if (!this.connecting) {
      then();
      return;
    }
    const closed = () => callback(codeError("ERR_SOCKET_CLOSED_BEFORE_CONNECTION", "Socket closed before the connection was established"));
    this.once("connect", () => {
      this.off("close", closed);
      then();
    });
    this.once("close", closed);
  }

  #send(bytes: Uint8Array, callback: any): void {
    this.#whenConnected(callback, () => {
      if (!this.#transport) {
        callback(Object.assign(new Error("This socket is closed"), { code: "ERR_SOCKET_CLOSED" }));
        return;
      }
      this.#dispatched += bytes.length;
      this._activity();
      this.#transport.write(bytes).then(
        () => {
          this._activity();
          callback();
        },
        (error) => callback(this.destroyed ? null : socketError(error, "write")),
      );
    });
  }

  _write(chunk: any, encoding: any, callback: any): void {
    this.#send(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk, callback);
  }

  _writev(chunks: any[], callback: any): void {
    const all = chunks.map(({ chunk, encoding }) => (typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk));
    this.#send(Buffer.concat(all), callback);
  }

  _final(callback: any): void {
    this.#whenConnected(callback, () => {
      if (!this.#transport) callback();
      else this.#transport.shutdown().then(() => callback(), (error) => callback(socketError(error, "shutdown")));
    });
  }

  _destroy(error: any, callback: any): void {
    this.connecting = false;
    this.#stopTimer();
    this.#transport?.close();
    this.#transport = undefined;
    this._hadError = Boolean(error);
    callback(error);
    // After everything that is ready now, as if the system had to close it first.
    setImmediate(() => {
      this.emit("close", Boolean(error));
      this[kOnClose]?.(this);
    });
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", this.destroy);
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  setTimeout(ms: number, callback?: any): this {
    if (this.destroyed) return this;
    validateNumber(ms, "msecs", 0);
    if (callback !== undefined) validateFunction(callback, "callback");
    this.timeout = ms;
    this.#stopTimer();
    if (ms === 0) {
      if (callback) this.removeListener("timeout", callback);
      return this;
    }
    if (callback) this.once("timeout", callback);
    this.#startTimer();
    return this;
  }

  #startTimer(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.emit("timeout");
    }, this.timeout!);
    this.#timer.unref();
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Something happened: the timeout starts again. */
  _activity(): void {
    if (this.timeout && !this.destroyed) {
      if (this.#timer !== undefined) this.#timer.refresh();
      else this.#startTimer();
    }
  }

  get _bytesDispatched(): number {
    return this.#dispatched;
  }
  get bytesWritten(): number {
    let bytes = this.#dispatched;
    for (const { chunk, encoding } of this._writableState.getBuffer?.() ?? []) {
      bytes += typeof chunk === "string" ? Buffer.byteLength(chunk, encoding) : chunk.length;
    }
    return bytes;
  }
  get pending(): boolean {
    return !this.#transport || this.connecting;
  }
  get readyState(): string {
    if (this.connecting) return "opening";
    if (this.readable && this.writable) return "open";
    if (this.readable) return "readOnly";
    return this.writable ? "writeOnly" : "closed";
  }
  get bufferSize(): number | undefined {
    return this.#transport ? this.writableLength : undefined;
  }
  address(): any {
    const { localAddress: address, localFamily: family, localPort: port } = this.#ends;
    return address === undefined ? {} : { address, family, port };
  }
  get localAddress(): string | undefined {
    return this.#ends.localAddress;
  }
  get localPort(): number | undefined {
    return this.#ends.localPort;
  }
  get localFamily(): string | undefined {
    return this.#ends.localFamily;
  }
  get remoteAddress(): string | undefined {
    return this.#ends.remoteAddress;
  }
  get remotePort(): number | undefined {
    return this.#ends.remotePort;
  }
  get remoteFamily(): string | undefined {
    return this.#ends.remoteFamily;
  }
  _getpeername(): any {
    const { remoteAddress: address, remoteFamily: family, remotePort: port } = this.#ends;
    return address === undefined ? {} : { address, family, port };
  }
  /** Takes over the ends of another socket, for those that wrap one. */
  _copyEnds(other: any): void {
    for (const name of ["localAddress", "localPort", "localFamily", "remoteAddress", "remotePort", "remoteFamily"]) {
      this.#ends[name] = other?.[name];
    }
  }

  // Packets are always sent at once, and dead peers are for timeouts to find.
  setNoDelay(_on?: boolean): this {
    return this;
  }
  setKeepAlive(_on?: boolean, _delay?: number): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

/** Opens a connection. */
export function connect(...args: any[]): Socket {
  const [options, callback] = connectArguments(args);
  const socket = new Socket(options);
  return callback ? socket.connect(options, callback) : socket.connect(options);
}

