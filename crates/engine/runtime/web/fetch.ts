/** The globals `fetch`, `Headers`, `Request` and `Response`. */

import { Headers } from "../internal/fetch/headers.ts";
import { fetchBlob, fetchData } from "../internal/fetch/local.ts";
import { failed, send } from "../internal/fetch/network.ts";
import { Request, requestState } from "../internal/fetch/request.ts";
import { Response } from "../internal/fetch/response.ts";

export { Headers, Request, Response };

export async function fetch(input: unknown, init?: unknown): Promise<Response> {
  if (arguments.length === 0) throw new TypeError("fetch: 1 argument required, but 0 found.");
  const request = new Request(input, init);
  const state = requestState(request);
  const { signal } = state;
  if (signal.aborted) throw signal.reason;
  const scheme = state.url.slice(0, state.url.indexOf(":"));
  switch (scheme) {
    case "http":
    case "https":
      return send(state);
    case "data":
      return local(() => fetchData(state.url));
    case "blob":
      return local(() => fetchBlob(state.url));
    case "about":
      throw failed(new Error("about scheme is not supported"));
    case "file":
      throw failed(new Error("not implemented... yet..."));
  }
  throw failed(new Error("unknown scheme"));
}

function local(answer: () => Response): Response {
  try {
    return answer();
  } catch (error) {
    throw failed(error);
  }
}
