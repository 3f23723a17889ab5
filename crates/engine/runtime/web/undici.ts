// The package `undici`: it binds to the inside of Node, so the runtime's own `fetch` stands in its place.

import { lazyModule } from "../internal/lazy.ts";
import { unavailable } from "../internal/loader.ts";
import { EventEmitter } from "../node/events.ts";

export { FormData } from "./formdata.ts";
export { fetch, Headers, Request, Response } from "./fetch.ts";
export { CloseEvent, ErrorEvent, MessageEvent } from "./event.ts";
export { WebSocket } from "./websocket.ts";

import { fetch } from "./fetch.ts";

const loadStream = lazyModule("node/stream.ts");

/** What undici throws; `code` tells which. */
class UndiciError extends Error {
  code = "UND_ERR";
  constructor(message = "", options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
const errorClass = (name: string, code: string) =>
  ({
    [name]: class extends UndiciError {
      code = code;
    },
  })[name];
export const errors: Record<string, typeof UndiciError> = {
  UndiciError,
  ...Object.fromEntries(
    Object.entries({
      AbortError: "UND_ERR_ABORT",
      BodyTimeoutError: "UND_ERR_BODY_TIMEOUT",
      ClientClosedError: "UND_ERR_CLOSED",
      ClientDestroyedError: "UND_ERR_DESTROYED",
      ConnectTimeoutError: "UND_ERR_CONNECT_TIMEOUT",
      HeadersOverflowError: "UND_ERR_HEADERS_OVERFLOW",
      HeadersTimeoutError: "UND_ERR_HEADERS_TIMEOUT",
      InformationalError: "UND_ERR_INFO",
      InvalidArgumentError: "UND_ERR_INVALID_ARG",
      InvalidReturnValueError: "UND_ERR_INVALID_RETURN_VALUE",
      NotSupportedError: "UND_ERR_NOT_SUPPORTED",
      RequestAbortedError: "UND_ERR_ABORTED",
      RequestContentLengthMismatchError: "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
      ResponseContentLengthMismatchError: "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
      ResponseExceededMaxSizeError: "UND_ERR_RES_EXCEEDED_MAX_SIZE",
      SocketError: "UND_ERR_SOCKET",
    }).map(([name, code]) => [name, errorClass(name, code)]),
  ),
};

/**
 * Where connections come from. The engine has one pool for all of them, so options of a dispatcher have no effect;
 * in particular none of them makes a connection that the engine would refuse.
 */
export class Dispatcher extends EventEmitter {
  closed = false;
  destroyed = false;
  dispatch(): boolean {
    throw new errors.NotSupportedError("Dispatcher.dispatch is not available in tau");
  }
  request(options: any): Promise<any> {
    return request(new URL(options.path, options.origin), options);
  }
  compose(): this {
    return this;
  }
  async close(): Promise<void> {
    this.closed = true;
  }
  async destroy(): Promise<void> {
    this.closed = true;
    this.destroyed = true;
  }
}
export class Agent extends Dispatcher {}
export class EnvHttpProxyAgent extends Dispatcher {}
export class RetryAgent extends Dispatcher {}
class OriginDispatcher extends Dispatcher {
  #origin: string | URL;
  constructor(origin: string | URL) {
    super();
    this.#origin = origin;
  }
  request(options: any): Promise<any> {
    return super.request({ origin: this.#origin, ...options });
  }
}
export class Client extends OriginDispatcher {}
export class Pool extends OriginDispatcher {}
export class BalancedPool extends OriginDispatcher {}

let globalDispatcher: Dispatcher = new Agent();
export function getGlobalDispatcher(): Dispatcher {
  return globalDispatcher;
}
export function setGlobalDispatcher(dispatcher: Dispatcher): void {
  globalDispatcher = dispatcher;
}

/** One request; its answer has `statusCode`, `headers` and a readable `body`. */
export async function request(url: string | URL, options: any = {}): Promise<any> {
  const { method = options.body ? "PUT" : "GET", headers, body, signal, query } = options;
  const target = new URL(url);
  for (const [name, value] of Object.entries(query ?? {})) target.searchParams.append(name, String(value));
  const response = await fetch(target, { method, headers, body, signal, redirect: "manual", duplex: "half" } as any);
  const stream: any = loadStream().Readable.fromWeb(response.body ?? new Response("").body);
  for (const name of ["arrayBuffer", "blob", "bytes", "formData", "json", "text"]) {
    if (typeof (response as any)[name] !== "function") continue;
    // The stream has taken the body, so it is read through the stream.
    stream[name] = async () => (new Response(new Uint8Array(Buffer.concat(await stream.toArray()))) as any)[name]();
  }
  stream.dump = async () => void stream.resume();
  const fields: Record<string, string | string[]> = Object.fromEntries(response.headers);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) fields["set-cookie"] = cookies;
  return { statusCode: response.status, statusText: response.statusText, headers: fields, trailers: {}, opaque: options.opaque, body: stream, context: {} };
}

/** Replaces the globals of the web by this module's, which they already are. */
export function install(): void {}

export const interceptors: any = new Proxy({}, { get: () => () => (dispatch: unknown) => dispatch });
export const ProxyAgent: any = unavailable("undici.ProxyAgent");
export const MockAgent: any = unavailable("undici.MockAgent");
export const MockPool: any = unavailable("undici.MockPool");
export const MockClient: any = unavailable("undici.MockClient");
export const EventSource: any = unavailable("undici.EventSource");
export const cacheStores: any = {};
export const stream: any = unavailable("undici.stream");
export const pipeline: any = unavailable("undici.pipeline");
export const connect: any = unavailable("undici.connect");
export const upgrade: any = unavailable("undici.upgrade");

export default {
  errors, Dispatcher, Agent, EnvHttpProxyAgent, ProxyAgent, RetryAgent, Client, Pool, BalancedPool, getGlobalDispatcher,
  setGlobalDispatcher, request, install, interceptors, fetch, Headers, Request, Response, FormData, WebSocket, MockAgent,
  MockPool, MockClient, EventSource, cacheStores, stream, pipeline, connect, upgrade,
};
