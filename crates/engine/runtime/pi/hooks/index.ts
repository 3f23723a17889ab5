// The hooks of pi as a library, as `@mariozechner/pi-coding-agent/hooks` had them; oh_my_pi.ts has those of the other
// package.
export {
  isBashToolResult,
  isEditToolResult,
  isFindToolResult,
  isGrepToolResult,
  isLsToolResult,
  isReadToolResult,
  isWriteToolResult,
} from "../coding-agent/guards.ts";
export { execCommand } from "../coding-agent/shell.ts";
export { discoverAndLoadHooks } from "./discover_original.ts";
export { loadHooks } from "./load.ts";
export { HookRunner } from "./runner.ts";
export { HookToolWrapper, wrapToolWithHooks, wrapToolsWithHooks } from "./wrap.ts";
