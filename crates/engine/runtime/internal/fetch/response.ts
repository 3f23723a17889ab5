/** `Response`. */

import { kInspect } from "../symbols.ts";
import { URL } from "../../web/url.ts";
import { Body, bodyOf, mixIn, type WithBody } from "./body.ts";
import { freeze, Headers } from "./headers.ts";

export interface ResponseState {
  type: string;
  url: string;
  redirected: boolean;
  status: number;
  statusText: string;
  headers: Headers;
  body: Body | null;
}

let stateOf: (response: Response) => ResponseState;
let make: (state: ResponseState) => Response;

const EMPTY = [101, 103, 204, 205, 304];

function checkInit(init: any): { status: number; statusText: string } {
  const status = init?.status === undefined ? 200 : Math.trunc(Number(init.status)) || 0;
  if (status < 200 || status > 599) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
  const statusText = init?.statusText === undefined ? "" : `${init.statusText}`;
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(statusText)) throw new TypeError("Invalid statusText");
  return { status, statusText };
}

function setBody(state: ResponseState, body: Body): void {
  if (EMPTY.includes(state.status)) {
    throw new TypeError(`Response constructor: Invalid response status code ${state.status}`);
  }
  state.body = body;
  if (body.type !== undefined && !state.headers.has("content-type")) state.headers.append("content-type", body.type);
}

export interface Response extends WithBody {}

export class Response {
  #state: ResponseState;

  static {
    stateOf = (response) => response.#state;
    make = (state) => {
      const response = new Response();
      response.#state = state;
      return response;
    };
  }

  constructor(body: any = null, init: any = {}) {
    if (init !== null && typeof init !== "object" && typeof init !== "function") {
      throw new TypeError("Response constructor: Argument 2 could not be converted to: ResponseInit.");
    }
    const { status, statusText } = checkInit(init);
    const headers = new Headers(init?.headers);
    this.#state = { type: "default", url: "", redirected: false, status, statusText, headers, body: null };
    if (body !== null && body !== undefined) setBody(this.#state, bodyOf(body));
  }

  static error(): Response {
    return make({
      type: "error",
      url: "",
      redirected: false,
      status: 0,
      statusText: "",
      headers: freeze(new Headers()),
      body: null,
    });
  }

  static json(data: any, init: any = {}): Response {
    const text = JSON.stringify(data);
    if (text === undefined) throw new TypeError("Value is not JSON serializable");
    const { status, statusText } = checkInit(init);
    const headers = new Headers(init?.headers);
    const state: ResponseState = { type: "default", url: "", redirected: false, status, statusText, headers, body: null };
    const body = bodyOf(text);
    body.type = "application/json";
    setBody(state, body);
    return make(state);
  }

  static redirect(url: any, status = 302): Response {
    let parsed: any;
    try {
      parsed = new URL(`${url}`);
    } catch (error) {
      throw new TypeError(`Failed to parse URL from ${url}`, { cause: error });
    }
    if (![301, 302, 303, 307, 308].includes(Number(status))) throw new RangeError(`Invalid status code ${status}`);
    const headers = freeze(new Headers({ location: parsed.href }));
    return make({ type: "default", url: "", redirected: false, status: Number(status), statusText: "", headers, body: null });
  }

  get type(): string {
    return this.#state.type;
  }
  get url(): string {
    return this.#state.url;
  }
  get redirected(): boolean {
    return this.#state.redirected;
  }
  get status(): number {
    return this.#state.status;
  }
  get ok(): boolean {
    return this.#state.status >= 200 && this.#state.status <= 299;
  }
  get statusText(): string {
    return this.#state.statusText;
  }
  get headers(): Headers {
    return this.#state.headers;
  }

  clone(): Response {
    const { body, ...rest } = this.#state;
    if (body?.isUnusable) throw new TypeError("Response.clone: Body has already been consumed.");
    const headers = new Headers(rest.headers);
    return make({ ...rest, headers, body: body ? body.clone() : null });
  }

  [kInspect](_depth: number, options: any, inspect: any): string {
    const { status, statusText, headers, ok, redirected, type, url } = this;
    const bodyUsed = (this as any).bodyUsed;
    return `Response ${inspect({ status, statusText, headers, bodyUsed, ok, redirected, type, url }, options)}`;
  }
}
Object.defineProperty(Response.prototype, Symbol.toStringTag, { value: "Response", configurable: true });
mixIn(Response, (response) => stateOf(response));

/** A response that came from somewhere. */
export function createResponse(state: ResponseState): Response {
  return make(state);
}
