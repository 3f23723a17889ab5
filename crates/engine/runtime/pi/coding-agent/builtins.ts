// Extensions that pi is built with, for programs that put them into their sessions themselves.

/** What only tau's `pi` has. */
interface OfTau {
  tau: { builtin(name: string, options?: unknown): void; mcpConfig(config: unknown): void };
  on(event: "session_start", handler: (event: unknown, ctx: unknown) => void): void;
}

/** What `createMcpExtension` takes. */
interface McpOptions {
  loadConfig?: (ctx: never) => unknown;
  logPath?: string;
  startupWaitMs?: number;
  createTransport?: unknown;
  credentials?: unknown;
  openUrl?: unknown;
  updateConfig?: unknown;
}

/** The tool `codemode`. `options` stand in place of the settings: `mode`, `inlineBudget`, and `models`. */
export function createCodemodeExtension(options: { mode?: string; inlineBudget?: number; models?: boolean } = {}) {
  const { mode, inlineBudget, models } = options ?? {};
  return (pi: unknown): void => (pi as OfTau).tau.builtin("codemode", { mode, inlineBudget, models });
}

/** The tool `tool_search`. */
export function createToolSearchExtension() {
  return (pi: unknown): void => (pi as OfTau).tau.builtin("tool-search");
}

/** MCP servers: their tools, and the command `/mcp`. Connections, logins and browsers are tau's own. */
export function createMcpExtension(options: McpOptions = {}) {
  const { loadConfig, logPath, startupWaitMs, ...others } = options ?? {};
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) throw new Error(`createMcpExtension has no option \`${name}\` in tau; leave it out`);
  }
  if (loadConfig !== undefined && typeof loadConfig !== "function") {
    throw new TypeError("createMcpExtension: loadConfig must be a function");
  }
  return (pi: unknown): void => {
    const { tau } = pi as OfTau;
    if (loadConfig) (pi as OfTau).on("session_start", (_event, ctx) => tau.mcpConfig(loadConfig(ctx as never)));
    tau.builtin("mcp", { logPath, startupWaitMs, ownConfig: loadConfig !== undefined });
  };
}
