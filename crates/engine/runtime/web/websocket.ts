/** The `WebSocket` global, over the engine's client. */

import { ops } from "tau:ops";
import { lazyModule } from "../internal/lazy.ts";
import { Blob } from "./blob.ts";
import { DOMException } from "./dom_exception.ts";
import { TextEncoder } from "./encoding.ts";
import { CloseEvent, defineHandler, ErrorEvent, Event, EventTarget, MessageEvent } from "./event.ts";
import { URL } from "./url.ts";

const loadHeaders = lazyModule("internal/fetch/headers.ts");
const PROTOCOL = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** What the engine tells of one message. */
type Received =
  | { type: "text"; data: string }
  | { type: "binary"; data: Uint8Array }
  | { type: "close"; code: number; reason: string; clean: boolean };

export class WebSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;

  #url: string;
  #rid: number | undefined;
  #state = 0;
  #protocol = "";
  #extensions = "";
  #binaryType: "blob" | "arraybuffer" = "blob";
  #buffered = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(url: string | URL, options: any = []) {
    super();
    if (arguments.length === 0) throw new TypeError("WebSocket constructor: 1 argument required, but 0 found.");
    let parsed: any;
    try {
      parsed = new URL(`${url}`);
    } catch (error) {
      throw new DOMException(String((error as any)?.message ?? error), "SyntaxError");
    }
    if (parsed.protocol === "http:") parsed.protocol = "ws:";
    else if (parsed.protocol === "https:") parsed.protocol = "wss:";
    if (parsed.protocol !== "ws:" && parsed.protocol !== "wss:") {
      throw new DOMException(`Expected a ws: or wss: protocol, got ${parsed.protocol}`, "SyntaxError");
    }
    if (parsed.hash || parsed.href.endsWith("#")) throw new DOMException("Got fragment", "SyntaxError");
    const isBag = options !== null && typeof options === "object" && typeof options[Symbol.iterator] !== "function";
    const given = isBag ? (options.protocols ?? []) : options;
    const protocols: string[] = typeof given === "string" ? [given] : [...given].map(String);
    const distinct = new Set(protocols.map((name) => name.toLowerCase()));
    if (distinct.size !== protocols.length || !protocols.every((name) => PROTOCOL.test(name))) {
      throw new DOMException("Invalid Sec-WebSocket-Protocol value", "SyntaxError");
    }
    this.#url = parsed.href;
    const headers: [string, string][] = isBag && options.headers ? [...new (loadHeaders().Headers)(options.headers)] as any : [];
    ops.wsConnect(this.#url, protocols, headers).then(
      (opened: any) => this.#opened(opened),
      (error: any) => this.#failed(error),
    );
  }

  get url(): string {
    return this.#url;
  }
  get readyState(): number {
    return this.#state;
  }
  get protocol(): string {
    return this.#protocol;
  }
  get extensions(): string {
    return this.#extensions;
  }
  get bufferedAmount(): number {
    return this.#buffered;
  }
  get binaryType(): string {
    return this.#binaryType;
  }
  set binaryType(type: string) {
    if (type === "blob" || type === "arraybuffer") this.#binaryType = type;
  }

  send(data: any): void {
    if (this.#state === WebSocket.CONNECTING) {
      throw new DOMException("Sent before connected.", "InvalidStateError");
    }
    if (this.#state !== WebSocket.OPEN) return;
    if (data instanceof Blob) {
      this.#push(data.size, async (rid) => ops.wsSend(rid, await data.bytes(), false));
      return;
    }
    const binary = data instanceof ArrayBuffer || ArrayBuffer.isView(data);
    let bytes: Uint8Array;
    if (data instanceof ArrayBuffer) bytes = new Uint8Array(data.slice(0));
    else if (ArrayBuffer.isView(data)) bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    else bytes = new TextEncoder().encode(`${data}`);
    this.#push(bytes.byteLength, (rid) => ops.wsSend(rid, bytes, !binary));
  }

  /** Messages leave in the order of the calls. */
  #push(size: number, send: (rid: number) => Promise<void>): void {
    const rid = this.#rid!;
    this.#buffered += size;
    this.#sending = this.#sending.then(async () => {
      try {
        await send(rid);
      } catch {
        // The reading side tells of the broken connection.
      } finally {
        this.#buffered -= size;
      }
    });
  }

  close(code?: number, reason?: string): void {
    if (code !== undefined) {
      const number = Math.trunc(Number(code)) || 0;
      if (number !== 1000 && !(number >= 3000 && number <= 4999)) {
        throw new DOMException("invalid code", "InvalidAccessError");
      }
      code = number;
    }
    const text = reason === undefined ? "" : `${reason}`;
    if (new TextEncoder().encode(text).byteLength > 123) {
      throw new DOMException("Reason must be less than 123 bytes; received more", "SyntaxError");
    }
    if (this.#state >= WebSocket.CLOSING) return;
    const connecting = this.#state === WebSocket.CONNECTING;
    this.#state = WebSocket.CLOSING;
    if (connecting) return;
    const rid = this.#rid!;
    void this.#sending.then(() => ops.wsClose(rid, code ?? null, text)).catch(() => {});
  }

  #opened({ rid, protocol, extensions }: { rid: number; protocol: string; extensions: string }): void {
    if (this.#state !== WebSocket.CONNECTING) {
      ops.resourceClose(rid);
      this.#failed(new Error("WebSocket was closed before the connection was established"));
      return;
    }
    this.#rid = rid;
    this.#protocol = protocol ?? "";
    this.#extensions = extensions ?? "";
    this.#state = WebSocket.OPEN;
    this.dispatchEvent(new Event("open"));
    void this.#receive(rid);
  }

  async #receive(rid: number): Promise<void> {
    for (;;) {
      let message: Received;
      try {
        message = await ops.wsRecv(rid);
      } catch (error) {
        ops.resourceClose(rid);
        this.#failed(error);
        return;
      }
      if (message.type === "close") {
        ops.resourceClose(rid);
        this.#ended(message.code, message.reason, message.clean);
        return;
      }
      if (this.#state !== WebSocket.OPEN) continue;
      let data: any = message.data;
      if (message.type === "binary") {
        data = this.#binaryType === "blob" ? new Blob([message.data]) : message.data.buffer;
      }
      this.dispatchEvent(new MessageEvent("message", { data, origin: new URL(this.#url).origin }));
    }
  }

  #failed(error: any): void {
    this.#state = WebSocket.CLOSED;
    this.dispatchEvent(new ErrorEvent("error", { error, message: error?.message ?? "" }));
    this.dispatchEvent(new CloseEvent("close", { wasClean: false, code: 1006, reason: "" }));
  }

  #ended(code: number, reason: string, wasClean: boolean): void {
    this.#state = WebSocket.CLOSED;
    if (!wasClean) this.dispatchEvent(new ErrorEvent("error", { message: "Connection was closed abnormally" }));
    this.dispatchEvent(new CloseEvent("close", { wasClean, code, reason }));
  }
}
for (const name of ["CONNECTING", "OPEN", "CLOSING", "CLOSED"] as const) {
  const property = { value: WebSocket[name], enumerable: true };
  Object.defineProperty(WebSocket, name, property);
  Object.defineProperty(WebSocket.prototype, name, property);
}
for (const type of ["open", "message", "error", "close"]) defineHandler(WebSocket.prototype, type);
Object.defineProperty(WebSocket.prototype, Symbol.toStringTag, { value: "WebSocket", configurable: true });
