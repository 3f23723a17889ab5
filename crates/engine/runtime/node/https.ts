/** `node:https`. */
import { lazyExports } from "../internal/lazy_exports.ts";

export default lazyExports("node/https.ts", {
  "internal/https/agent.ts": ["Agent", "Server", "createServer", "get", "globalAgent", "request"],
});
