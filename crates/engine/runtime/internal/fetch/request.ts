/** `Request`. */

import { lazyModule } from "../lazy.ts";
import { kInspect } from "../symbols.ts";
import { URL } from "../../web/url.ts";
import { type Body, bodyOf, mixIn, type WithBody } from "./body.ts";
import { Headers } from "./headers.ts";

const loadAbort = lazyModule("web/abort.ts");

/** What a request is made of, for `fetch`. */
export interface RequestState {
  method: string;
  url: string;
  headers: Headers;
  body: Body | null;
  signal: AbortSignal;
  redirect: string;
  credentials: string;
  cache: string;
  mode: string;
  referrer: string;
  referrerPolicy: string;
  integrity: string;
  keepalive: boolean;
}

/** The state of a `Request`. */
export let requestState: (request: Request) => RequestState;

const NORMALIZED = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];

function methodOf(method: string): string {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(method)) throw new TypeError(`'${method}' is not a valid HTTP method.`);
  const upper = method.toUpperCase();
  if (["CONNECT", "TRACE", "TRACK"].includes(upper)) throw new TypeError(`'${method}' HTTP method is unsupported.`);
  return NORMALIZED.includes(upper) ? upper : method;
}

function choice(name: string, value: any, allowed: string[], fallback: string): string {
  if (value === undefined) return fallback;
  const text = `${value}`;
  if (!allowed.includes(text)) throw new TypeError(`Request constructor: ${text} is not an accepted type for ${name}.`);
  return text;
}

export interface Request extends WithBody {}

export class Request {
  #state: RequestState;

  static {
    requestState = (request) => request.#state;
  }

  constructor(input: any, init: any = {}) {
    if (arguments.length === 0) throw new TypeError("Request constructor: 1 argument required, but 0 found.");
    init ??= {};
    const from: RequestState | undefined = input instanceof Request ? input.#state : undefined;
    let url: string;
    if (from) {
      ({ url } = from);
    } else {
      let parsed: any;
      try {
        parsed = new URL(`${input}`);
      } catch (error) {
        throw new TypeError(`Failed to parse URL from ${input}`, { cause: error });
      }
      if (parsed.username || parsed.password) {
        throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${input}`);
      }
      url = parsed.href;
    }
    const method = init.method === undefined ? (from?.method ?? "GET") : methodOf(`${init.method}`);
    const signal = init.signal === undefined ? from?.signal : init.signal;
    if (signal !== undefined && signal !== null && typeof signal.addEventListener !== "function") {
      throw new TypeError("Failed to construct 'Request': member signal is not of type AbortSignal.");
    }
    const headers = new Headers(init.headers === undefined ? from?.headers : init.headers);

    const given = init.body ?? null;
    if ((given !== null || (from?.body && init.body === undefined)) && (method === "GET" || method === "HEAD")) {
      throw new TypeError("Request with GET/HEAD method cannot have body.");
    }
    let body: Body | null = null;
    if (given !== null) {
      body = bodyOf(given);
      if (body.stream && init.duplex === undefined) {
        throw new TypeError("RequestInit: duplex option is required when sending a body.");
      }
      if (body.type !== undefined && !headers.has("content-type")) headers.append("content-type", body.type);
    } else if (from?.body) {
      if (from.body.isUnusable) {
        throw new TypeError("Cannot construct a Request with a Request object that has already been used.");
      }
      body = from.body.take();
    }
    const { AbortSignal, createSignal } = loadAbort();
    this.#state = {
      method,
      url,
      headers,
      body,
      signal: signal ? AbortSignal.any([signal]) : createSignal().signal,
      redirect: choice("redirect", init.redirect, ["follow", "error", "manual"], from?.redirect ?? "follow"),
      credentials: choice(
        "credentials",
        init.credentials,
        ["omit", "same-origin", "include"],
        from?.credentials ?? "same-origin",
      ),
      cache: choice(
        "cache",
        init.cache,
        ["default", "no-store", "reload", "no-cache", "force-cache", "only-if-cached"],
        from?.cache ?? "default",
      ),
      mode: choice("mode", init.mode, ["same-origin", "cors", "no-cors", "navigate", "websocket"], from?.mode ?? "cors"),
      referrer: init.referrer === undefined ? (from?.referrer ?? "about:client") : `${init.referrer}`,
      referrerPolicy: init.referrerPolicy === undefined ? (from?.referrerPolicy ?? "") : `${init.referrerPolicy}`,
      integrity: init.integrity === undefined ? (from?.integrity ?? "") : `${init.integrity}`,
      keepalive: Boolean(init.keepalive ?? from?.keepalive),
    };
  }

  get method(): string {
    return this.#state.method;
  }
  get url(): string {
    return this.#state.url;
  }
  get headers(): Headers {
    return this.#state.headers;
  }
  get signal(): AbortSignal {
    return this.#state.signal;
  }
  get redirect(): string {
    return this.#state.redirect;
  }
  get credentials(): string {
    return this.#state.credentials;
  }
  get cache(): string {
    return this.#state.cache;
  }
  get mode(): string {
    return this.#state.mode;
  }
  get referrer(): string {
    return this.#state.referrer;
  }
  get referrerPolicy(): string {
    return this.#state.referrerPolicy;
  }
  get integrity(): string {
    return this.#state.integrity;
  }
  get keepalive(): boolean {
    return this.#state.keepalive;
  }
  get destination(): string {
    return "";
  }
  get duplex(): string {
    return "half";
  }

  clone(): Request {
    const { body, ...rest } = this.#state;
    if (body?.isUnusable) throw new TypeError("unusable");
    const copy = new Request(rest.url);
    copy.#state = {
      ...rest,
      headers: new Headers(rest.headers),
      body: body ? body.clone() : null,
      signal: loadAbort().AbortSignal.any([rest.signal]),
    };
    return copy;
  }

  [kInspect](_depth: number, options: any, inspect: any): string {
    const { method, url, headers, redirect, signal } = this;
    return `Request ${inspect({ method, url, headers, redirect, signal, bodyUsed: (this as any).bodyUsed }, options)}`;
  }
}
Object.defineProperty(Request.prototype, Symbol.toStringTag, { value: "Request", configurable: true });
mixIn(Request, (request) => requestState(request));
