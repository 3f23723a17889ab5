// `tls.TLSSocket`, client and server.
import { ops, type TlsEnd } from "tau:ops";
import { codeError } from "../errors.ts";
import { lazyModule } from "../lazy.ts";
import { isIP } from "../net/address.ts";
import { connectArguments } from "../net/connect.ts";
import { Socket } from "../net/socket.ts";
import { streamTransport, type Transport } from "../net/transport.ts";
import { nextTick } from "../tick.ts";
import { clientOptions, serverOptions } from "./context.ts";
import { tlsTransport } from "./transport.ts";

const loadX509 = lazyModule("internal/crypto/x509.ts");

export class TLSSocket extends Socket {
  readonly encrypted = true;
  authorized = false;
  authorizationError: any = null;
  alpnProtocol: string | false | null = null;
  servername: string | false | null = null;
  secureConnecting = true;
  ssl: any = {};
  #options: any;
  #tls: TlsEnd | undefined;
  #wrapped: any;

  constructor(socket?: any, options: any = {}) {
    super({ allowHalfOpen: socket ? socket.allowHalfOpen : options.allowHalfOpen, signal: options.signal });
    this.#options = options;
    if (socket) this.#wrap(socket);
  }

  /** Speaks TLS over a stream that is already there. */
  #wrap(socket: any): void {
    this.#wrapped = socket;
    this._parent = socket;
    this.connecting = true;
    socket.on("error", (error: any) => this.destroy(error));
    socket.on("close", () => {
      if (this.secureConnecting && !this.destroyed) this.destroy(disconnected());
    });
    const start = () => {
      if (this.destroyed) return;
      this._copyEnds(socket);
      this.#start(streamTransport(socket));
    };
    if (socket.connecting) socket.once("connect", start);
    else nextTick(start);
  }

  override _connected(): void {
    // Called when the connection below is there; for everybody else that is when both sides have agreed.
    if (this.#tls) super._connected();
    else this.#start(this._transport!);
  }

  #start(inner: Transport): void {
    const server = Boolean(this.#options.isServer);
    let transport: any;
    try {
      let reject = false;
      if (server) {
        this.#tls = ops.tlsServer(serverOptions(this.#options));
      } else {
        const settings = clientOptions(this.#options);
        this.#tls = ops.tlsClient(this.#serverName(), settings);
        reject = settings.reject;
      }
      transport = tlsTransport(this.#tls, inner);
      this._useTransport(transport);
      this.connecting = true;
      transport.handshake().then(
        () => {
          if (!this.destroyed) this.#secured(server, reject);
        },
        (error: any) => this.#failed(server, error),
      );
    } catch (error: any) {
      this._useTransport(inner);
      this.destroy(error);
    }
  }

  #failed(server: boolean, error: any): void {
    if (this.destroyed) return;
    this.secureConnecting = false;
    if (server) (this as any)._tlsError?.(error);
    if (error.code?.startsWith("CERT_") || error.code?.startsWith("ERR_TLS_CERT")) this.authorizationError = error.code;
    this.destroy(error);
  }

  #serverName(): string {
    const { servername, host } = this.#options;
    if (servername) return servername;
    return host || this._host || "localhost";
  }

  #secured(server: boolean, reject: boolean): void {
    const info = this.#tls!.info();
    this.secureConnecting = false;
    this.alpnProtocol = info.alpn ?? false;
    if (server) {
      this.servername = info.servername ?? false;
    } else {
      const name = this.#serverName();
      this.servername = isIP(name) ? false : name;
      let problem: any = info.problem ? codeError(info.problem.code, info.problem.message) : null;
      const check = this.#options.checkServerIdentity;
      if (typeof check === "function" && (!problem || problem.code === "ERR_TLS_CERT_ALTNAME_INVALID")) {
        problem = check(name, this.getPeerCertificate(true)) ?? null;
      }
      this.authorized = !problem;
      if (problem) {
        this.authorizationError = problem.code ?? problem.message;
        if (reject) {
          this.destroy(problem);
          return;
        }
      }
    }
    this._connected();
    if (!this.destroyed) {
      if (!server) this.emit("secureConnect");
      this.emit("secure");
    }
  }

  override _destroy(error: any, callback: any): void {
    super._destroy(error, callback);
    if (this.#wrapped && !this.#wrapped.destroyed) this.#wrapped.destroy();
  }

  getProtocol(): string | null {
    return this.#tls?.info().protocol ?? null;
  }
  getCipher(): any {
    const info = this.#tls?.info();
    return info?.cipher ? { name: info.cipher, standardName: info.cipher, version: info.protocol } : undefined;
  }
  getPeerX509Certificate(): any {
    const [first] = this.#tls?.certificates() ?? [];
    return first ? new (loadX509().X509Certificate)(first) : undefined;
  }
  getPeerCertificate(detailed?: boolean): any {
    const chain = (this.#tls?.certificates() ?? []).map((raw) => new (loadX509().X509Certificate)(raw).toLegacyObject());
    if (chain.length === 0) return {};
    if (detailed) chain.forEach((certificate, index) => (certificate.issuerCertificate = chain[index + 1] ?? certificate));
    return chain[0];
  }
  getCertificate(): any {
    return {};
  }
  getSession(): any {
    return undefined;
  }
  getTLSTicket(): any {
    return undefined;
  }
  isSessionReused(): boolean {
    return false;
  }
  getEphemeralKeyInfo(): any {
    return {};
  }
  getFinished(): any {
    return undefined;
  }
  getPeerFinished(): any {
    return undefined;
  }
  setMaxSendFragment(_size: number): boolean {
    return true;
  }
  setServername(name: string): void {
    this.#options.servername = name;
  }
  setSession(_session: any): void {}
  disableRenegotiation(): void {}
  enableTrace(): void {}
  renegotiate(_options: any, callback?: any): boolean {
    if (callback) nextTick(callback, codeError("ERR_TLS_RENEGOTIATION_DISABLED", "TLS session renegotiation disabled for this socket"));
    return false;
  }
  exportKeyingMaterial(): never {
    throw codeError("ERR_METHOD_NOT_IMPLEMENTED", "exportKeyingMaterial is not available");
  }
}

export function disconnected(): any {
  return codeError("ECONNRESET", "Client network socket disconnected before secure TLS connection was established");
}

/** Opens a connection, or speaks TLS over `options.socket`. */
export function connect(...args: any[]): TLSSocket {
  let [options, callback] = connectArguments(args);
  // `connect(port, host, options)` and `connect(port, options)`.
  const more = args.find((value, index) => index > 0 && value !== null && typeof value === "object");
  if (more) options = { ...options, ...more };
  options = { host: options.path || options.socket ? undefined : "localhost", ...options };
  const socket = new TLSSocket(options.socket, options);
  if (callback) socket.once("secureConnect", callback);
  if (!options.socket) socket.connect(options);
  return socket;
}
