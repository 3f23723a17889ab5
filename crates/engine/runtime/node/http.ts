/** `node:http`: HTTP/1.1, client and server, over `node:net`. */
import { lazyExports } from "../internal/lazy_exports.ts";

/** The most that the head of a message may take, in bytes. */
export const maxHeaderSize = 16_384;

/** Parsers are not kept. */
export function setMaxIdleHTTPParsers(_count: number): void {}

export default Object.assign(
  lazyExports("node/http.ts", {
    "internal/http/client.ts": ["ClientRequest", "get", "request"],
    "internal/http/agent.ts": ["Agent", "globalAgent"],
    "internal/http/server.ts": ["Server", "createServer"],
    "internal/http/response.ts": ["ServerResponse"],
    "internal/http/outgoing.ts": ["OutgoingMessage"],
    "internal/http/incoming.ts": ["IncomingMessage"],
    "internal/http/headers.ts": ["validateHeaderName", "validateHeaderValue"],
    "internal/http/status.ts": ["METHODS", "STATUS_CODES"],
    "web/websocket.ts": ["WebSocket"],
    "web/event.ts": ["CloseEvent", "MessageEvent"],
  }),
  { maxHeaderSize, setMaxIdleHTTPParsers },
);
