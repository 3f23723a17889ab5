// Tools with hooks around them: asked before the tool runs, told after it.
import type { HookRunner } from "./runner.ts";

const BLOCKED = "Tool execution was blocked by a hook";

/** The tool with hooks around it. */
export function wrapToolWithHooks(tool: any, runner: HookRunner): any {
  const wrapped = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool));
  wrapped.execute = (id: string, params: any, ...rest: any[]) => execute(tool, runner, id, params, rest);
  return wrapped;
}

/** The tools with hooks around each. */
export function wrapToolsWithHooks(tools: any[], runner: HookRunner): any[] {
  return tools.map((tool) => wrapToolWithHooks(tool, runner));
}

/** The same as an object of a class; it has whatever the tool has. */
export class HookToolWrapper {
  [member: string]: any;

  constructor(tool: any, runner: HookRunner) {
    // A tool may have its members from its class.
    const has = (target: any, key: string | symbol) => Reflect.has(target, key) || Reflect.has(tool, key);
    const get = (target: any, key: string | symbol) => (Reflect.has(target, key) ? target[key] : member(tool, key));
    this.tool = tool;
    this.hookRunner = runner;
    return new Proxy(this, { get, has });
  }

  execute(id: string, params: any, ...rest: any[]): Promise<any> {
    return execute(this.tool, this.hookRunner, id, params, rest);
  }
}

function member(tool: any, key: string | symbol): any {
  const value = tool[key];
  return typeof value === "function" ? value.bind(tool) : value;
}

async function execute(tool: any, runner: HookRunner, toolCallId: string, params: any, rest: any[]): Promise<any> {
  const of = { toolName: tool.name, toolCallId };
  const { copiesInput = false, tellsFailures = false } = runner.rules ?? {};
  if (runner.hasHandlers("tool_call")) await ask(runner, { type: "tool_call", ...of, input: copiesInput ? structuredClone(params) : params });
  const listens = runner.hasHandlers("tool_result");
  const told = (content: any[], details: unknown, isError: boolean) =>
    runner.emit({ type: "tool_result", ...of, input: params, content, details, isError });
  let result: any;
  try {
    result = await tool.execute(toolCallId, params, ...rest);
  } catch (error: unknown) {
    const text = error instanceof Error ? error.message : String(error);
    if (listens && tellsFailures) await told([{ type: "text", text }], undefined, true);
    throw error;
  }
  if (!listens) return result;
  const said = await told(result.content, result.details, false);
  return said ? { ...result, content: said.content ?? result.content, details: said.details ?? result.details } : result;
}

/** Asks whether the tool may run; throws when it may not, or when that cannot be told. */
async function ask(runner: HookRunner, event: unknown): Promise<void> {
  let said: any;
  try {
    said = await runner.emitToolCall(event);
  } catch (error) {
    throw error instanceof Error ? error : new Error(`Hook failed, blocking execution: ${String(error)}`);
  }
  if (said?.block) throw new Error(said.reason || BLOCKED);
}
