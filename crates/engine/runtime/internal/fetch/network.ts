/** `fetch` over the engine's HTTP client: redirects, streamed bodies, aborting. */

import { ops } from "tau:ops";
import { lazyModule } from "../lazy.ts";
import { wrap } from "../async_context.ts";
import { TextEncoder } from "../../web/encoding.ts";
import { URL } from "../../web/url.ts";
import { Body } from "./body.ts";
import { fromWire, Headers } from "./headers.ts";
import { createResponse, type Response } from "./response.ts";
import type { RequestState } from "./request.ts";

const loadStreams = lazyModule("web/streams.ts");
const CHUNK = 64 * 1024;
const MOST_REDIRECTS = 20;
const REDIRECTS = [301, 302, 303, 307, 308];

let lastId = 0;

/** The error that `fetch` rejects with; the reason is its cause. */
export function failed(cause: any): TypeError {
  return new TypeError("fetch failed", { cause });
}

/** Sends the request and follows redirects as it asks; gives the response once its headers are there. */
export async function send(request: RequestState): Promise<Response> {
  const { signal } = request;
  const headers = new Headers(request.headers);
  let { method, body } = request;
  let url = new URL(request.url);
  let redirects = 0;
  for (;;) {
    const answer = await hop(method, url.href, headers, body, signal);
    const location = REDIRECTS.includes(answer.status) ? locationOf(answer) : undefined;
    if (location === undefined || request.redirect === "manual") {
      return respond(answer, withoutHash(url.href), redirects > 0, method, signal);
    }
    ops.resourceClose(answer.rid);
    if (request.redirect === "error") throw failed(new Error("unexpected redirect"));
    if (++redirects > MOST_REDIRECTS) throw failed(new Error("redirect count exceeded"));
    let next: any;
    try {
      next = new URL(location, url);
    } catch (error) {
      throw failed(error);
    }
    if (next.protocol !== "http:" && next.protocol !== "https:") throw failed(new Error("URL scheme must be a HTTP(S) scheme"));
    if (next.hash === "") next.hash = url.hash;
    if (answer.status !== 303 && body?.stream) throw failed(new Error("a streamed body cannot be sent again"));
    const becomesGet =
      (method === "POST" && (answer.status === 301 || answer.status === 302)) ||
      (answer.status === 303 && method !== "GET" && method !== "HEAD");
    if (becomesGet) {
      method = "GET";
      body = null;
      for (const name of ["content-encoding", "content-language", "content-location", "content-type", "content-length"]) {
        headers.delete(name);
      }
    }
    if (next.origin !== url.origin) {
      for (const name of ["authorization", "proxy-authorization", "cookie", "host"]) headers.delete(name);
    }
    url = next;
  }
}

interface Answer {
  status: number;
  statusText: string;
  headers: [string, string][];
  rid: number;
}

function withoutHash(href: string): string {
  const hash = href.indexOf("#");
  return hash < 0 ? href : href.slice(0, hash);
}

function locationOf(answer: Answer): string | undefined {
  return answer.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
}

const DEFAULTS: [string, string][] = [
  ["accept", "*/*"],
  ["accept-language", "*"],
  ["sec-fetch-mode", "cors"],
  ["user-agent", "node"],
  ["accept-encoding", "gzip, deflate, br"],
];

/** One request and the head of its answer. */
async function hop(method: string, href: string, headers: Headers, body: Body | null, signal: AbortSignal): Promise<Answer> {
  const id = ++lastId;
  const list: [string, string][] = [...headers];
  for (const [name, value] of DEFAULTS) if (!headers.has(name)) list.push([name, value]);
  let bytes: Uint8Array | null = null;
  let bodyRid: number | null = null;
  let uploadFailure: { error: any } | undefined;
  if (body?.stream) {
    bodyRid = ops.fetchBodyOpen();
    pumpUp(body, bodyRid!).catch((error) => {
      uploadFailure = { error };
      ops.fetchAbort(id);
    });
  } else if (body) {
    bytes = body.bytes ?? (await body.blob.bytes());
  } else if (method === "POST" || method === "PUT" || method === "PATCH") {
    // Says that there is none: `content-length: 0`.
    bytes = new Uint8Array(0);
  }
  let onAbort: (() => void) | undefined;
  try {
    const answer = ops.fetchStart({ id, method, url: withoutHash(href), headers: list, bodyRid }, bytes);
    if (signal.aborted) throw signal.reason;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => {
        ops.fetchAbort(id);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
    });
    answer.catch(() => {});
    return await Promise.race([answer, aborted]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw failed(uploadFailure ? uploadFailure.error : error);
  } finally {
    if (onAbort) signal.removeEventListener("abort", onAbort);
  }
}

/** Sends the chunks of a streamed body. */
async function pumpUp(body: Body, rid: number): Promise<void> {
  const reader = body.open().getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      if (typeof value !== "string" && !(value instanceof Uint8Array)) throw new TypeError("Received non-Uint8Array chunk");
      await ops.streamWrite(rid, typeof value === "string" ? new TextEncoder().encode(value) : value);
    }
    await ops.streamShutdown(rid);
  } catch (error) {
    if ((error as any)?.code === "EPIPE") return reader.cancel(error);
    throw error;
  } finally {
    ops.resourceClose(rid);
  }
}

const EMPTY = [101, 204, 205, 304];

function respond(answer: Answer, url: string, redirected: boolean, method: string, signal: AbortSignal): Response {
  const { status, statusText, rid } = answer;
  const isEmpty = EMPTY.includes(status) || method === "HEAD";
  if (isEmpty) ops.resourceClose(rid);
  return createResponse({
    type: "basic",
    url,
    redirected,
    status,
    statusText,
    headers: fromWire(answer.headers),
    body: isEmpty ? null : new Body({ stream: download(rid, signal) }),
  });
}

/** Lets go of the connections of bodies that nobody reads any more. */
const abandoned = new FinalizationRegistry<() => void>((finish) => finish());

/** The body of the answer: read from the network as the stream is read. */
function download(rid: number, signal: AbortSignal): any {
  const { ReadableStream } = loadStreams();
  let over = false;
  // Weak: a signal may live much longer than a body that was dropped unread.
  let weak: WeakRef<any>;
  const token = {};
  const finish = () => {
    if (over) return;
    over = true;
    abandoned.unregister(token);
    signal.removeEventListener("abort", onAbort);
    ops.resourceClose(rid);
  };
  const onAbort = wrap(() => {
    if (over) return;
    finish();
    weak.deref()?.error(signal.reason);
  });
  const stream = new ReadableStream({
    type: "bytes",
    start(controller: any) {
      weak = new WeakRef(controller);
    },
    async pull(controller: any) {
      let bytes: Uint8Array | null | undefined;
      try {
        bytes = await ops.streamRead(rid, CHUNK);
      } catch (error) {
        if (over) return;
        finish();
        throw new TypeError("terminated", { cause: error });
      }
      if (over) return;
      if (bytes) {
        controller.enqueue(bytes);
        return;
      }
      finish();
      controller.close();
      controller.byobRequest?.respond(0);
    },
    cancel: finish,
  });
  abandoned.register(stream, finish, token);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return stream;
}
