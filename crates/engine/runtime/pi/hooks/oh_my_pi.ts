// The hooks of oh-my-pi as a library: the same, but for where hooks are looked for.
export {
  execCommand,
  HookRunner,
  HookToolWrapper,
  isBashToolResult,
  isEditToolResult,
  isFindToolResult,
  isGrepToolResult,
  isLsToolResult,
  isReadToolResult,
  isWriteToolResult,
  loadHooks,
  wrapToolsWithHooks,
  wrapToolWithHooks,
} from "./index.ts";
export { discoverAndLoadHooks } from "./discover_capabilities.ts";
