// The loop of an agent: ask the model, run the tools it calls, until it calls none.
import { importNow } from "../../internal/loader.ts";
import { EventStream } from "../ai/event_stream.ts";

type Emit = (event: any) => unknown;

let defaultStream: any;

/** Says how models are asked where a caller does not. */
export function setDefaultStreamFn(stream: any): void {
  defaultStream = stream;
}

function streamOf(streamFn: any): any {
  return streamFn ?? defaultStream ?? importNow("tau:pi/ai/api_registry.ts").streamSimple;
}

/** Adds messages to the context and runs the loop; gives the messages that are new. */
export async function runAgentLoop(
  prompts: any[],
  context: any,
  config: any,
  emit: Emit,
  signal?: AbortSignal,
  streamFn?: any,
): Promise<any[]> {
  await emit({ type: "agent_start" });
  await emit({ type: "turn_start" });
  for (const message of prompts) await told(emit, message);
  return run({ ...context, messages: [...context.messages, ...prompts] }, [...prompts], config, emit, signal, streamFn);
}

/** Runs the loop from a context whose last message is not an answer. */
export async function runAgentLoopContinue(
  context: any,
  config: any,
  emit: Emit,
  signal?: AbortSignal,
  streamFn?: any,
): Promise<any[]> {
  const last = context.messages.at(-1);
  if (!last) throw new Error("Cannot continue: no messages in context");
  if (last.role === "assistant") throw new Error("Cannot continue from message role: assistant");
  await emit({ type: "agent_start" });
  await emit({ type: "turn_start" });
  return run({ ...context, messages: [...context.messages] }, [], config, emit, signal, streamFn);
}

function streamed(start: (emit: Emit) => Promise<any[]>): any {
  const stream = new EventStream(
    (event: any) => event.type === "agent_end",
    (event: any) => event.messages,
  );
  start((event) => stream.push(event)).then(
    (messages) => stream.end(messages),
    () => stream.end([]),
  );
  return stream;
}

/** {@link runAgentLoop} as a stream of events. */
export function agentLoop(prompts: any[], context: any, config: any, signal?: AbortSignal, streamFn?: any): any {
  return streamed((emit) => runAgentLoop(prompts, context, config, emit, signal, streamFn));
}

/** {@link runAgentLoopContinue} as a stream of events. */
export function agentLoopContinue(context: any, config: any, signal?: AbortSignal, streamFn?: any): any {
  return streamed((emit) => runAgentLoopContinue(context, config, emit, signal, streamFn));
}

async function told(emit: Emit, message: any): Promise<void> {
  await emit({ type: "message_start", message });
  await emit({ type: "message_end", message });
}

async function run(context: any, news: any[], config: any, emit: Emit, signal?: AbortSignal, streamFn?: any) {
  const finish = async () => {
    await emit({ type: "agent_end", messages: news });
    return news;
  };
  let first = true;
  const heard = async (messages: any[]) => {
    for (const message of messages) {
      await told(emit, message);
      context.messages.push(message);
      news.push(message);
    }
  };
  for (;;) {
    await heard((await config.getSteeringMessages?.()) ?? []);
    let turning = true;
    while (turning) {
      if (!first) await emit({ type: "turn_start" });
      first = false;
      const message = await ask(context, config, emit, signal, streamOf(streamFn));
      news.push(message);
      if (message.stopReason === "error" || message.stopReason === "aborted") {
        await emit({ type: "turn_end", message, toolResults: [] });
        return finish();
      }
      const { results, terminate } = await runTools(context, message, config, emit, signal);
      for (const result of results) {
        context.messages.push(result);
        news.push(result);
      }
      await emit({ type: "turn_end", message, toolResults: results });
      if (await config.shouldStopAfterTurn?.({ message, toolResults: results, context, newMessages: news }))
        return finish();
      const steering = (await config.getSteeringMessages?.()) ?? [];
      turning = (results.length > 0 && !terminate) || steering.length > 0;
      if (steering.length > 0) await heard(steering);
    }
    const followUps = (await config.getFollowUpMessages?.()) ?? [];
    if (followUps.length === 0) return finish();
    await heard(followUps);
  }
}

/** One answer of the model; its events are passed on. */
async function ask(
  context: any,
  config: any,
  emit: Emit,
  signal: AbortSignal | undefined,
  streamFn: any,
): Promise<any> {
  const seen = (await config.transformContext?.(context.messages, signal)) ?? context.messages;
  const messages = config.convertToLlm ? await config.convertToLlm(seen) : seen;
  const apiKey = (await config.getApiKey?.(config.model.provider)) || config.apiKey;
  const request = { systemPrompt: context.systemPrompt, messages, tools: context.tools };
  const stream = await streamFn(config.model, request, { ...config, apiKey, signal });
  let begun = false;
  const place = context.messages.length;
  for await (const event of stream) {
    if (event.type === "done" || event.type === "error") break;
    const message = { ...event.partial };
    context.messages[place] = message;
    if (begun) await emit({ type: "message_update", assistantMessageEvent: event, message });
    else await emit({ type: "message_start", message });
    begun = true;
  }
  const message = await stream.result();
  context.messages[place] = message;
  if (!begun) await emit({ type: "message_start", message: { ...message } });
  await emit({ type: "message_end", message });
  return message;
}

async function runTools(context: any, message: any, config: any, emit: Emit, signal?: AbortSignal): Promise<any> {
  const calls = message.content.filter((block: any) => block.type === "toolCall");
  const tools = context.tools ?? [];
  const inOrder =
    config.toolExecution === "sequential" ||
    calls.some((call: any) => tools.find(({ name }: any) => name === call.name)?.executionMode === "sequential");
  const one = (call: any) => runTool(call, tools, context, message, config, emit, signal);
  const done: any[] = [];
  if (inOrder) for (const call of calls) done.push(await one(call));
  else done.push(...(await Promise.all(calls.map(one))));
  const results = done.map(({ result }) => result);
  for (const result of results) await told(emit, result);
  return { results, terminate: done.length > 0 && done.every(({ terminate }) => terminate) };
}

/**
 * Runs one tool call: prepares and checks its arguments, asks `beforeToolCall`, executes, and lets `afterToolCall`
 * change the result. Whatever fails becomes an error result.
 */
export async function runToolCall(call: any, options: any): Promise<any> {
  const { assistantMessage, context, signal } = options;
  const { id, name, arguments: args } = call;
  let started: number | undefined;
  const durationMs = () => (started === undefined ? {} : { durationMs: Math.round(performance.now() - started) });
  try {
    const tool = (options.tools ?? context.tools ?? []).find((tool: any) => tool.name === name);
    if (!tool) throw new Error(`Tool ${name} not found`);
    const { validateToolArguments } = importNow("tau:pi/ai/validation.ts");
    const prepared = { ...call, arguments: tool.prepareArguments ? tool.prepareArguments(args) : args };
    const checked = validateToolArguments(tool, prepared);
    const about = { assistantMessage, toolCall: call, args: checked, context };
    const before = await options.beforeToolCall?.(about, signal);
    if (before?.block) throw new Error(before.reason || "Tool execution was blocked");
    if (signal?.aborted) throw new Error("Operation aborted");
    started = performance.now();
    let result = await tool.execute(id, checked, signal, options.onUpdate ?? (() => {}));
    const took = durationMs();
    const failed = result?.isError ?? false;
    result = { ...result, ...(await options.afterToolCall?.({ ...about, result, isError: failed }, signal)) };
    return { toolCall: call, result, isError: result.isError ?? false, ...took };
  } catch (error: any) {
    const result = { content: [{ type: "text", text: error?.message ?? String(error) }], details: {} };
    return { toolCall: call, result, isError: true, ...durationMs() };
  }
}

async function runTool(
  call: any,
  tools: any[],
  context: any,
  message: any,
  config: any,
  emit: Emit,
  signal?: AbortSignal,
): Promise<any> {
  const { id: toolCallId, name: toolName, arguments: args } = call;
  await emit({ type: "tool_execution_start", toolCallId, toolName, args });
  const updates: unknown[] = [];
  let settled = false;
  const onUpdate = (partialResult: any) => {
    if (!settled) updates.push(emit({ type: "tool_execution_update", toolCallId, toolName, args, partialResult }));
  };
  const hooks = {
    beforeToolCall: (about: any, signal: any) => config.beforeToolCall?.(about, signal),
    afterToolCall: (about: any, signal: any) => config.afterToolCall?.(about, signal),
  };
  const options = { ...hooks, assistantMessage: message, context, tools, signal, onUpdate };
  const { result: outcome, isError } = await runToolCall(call, options);
  settled = true;
  await Promise.all(updates);
  await emit({ type: "tool_execution_end", toolCallId, toolName, result: outcome, isError });
  const { content = [], details, usage, terminate } = outcome;
  const result: any = { role: "toolResult", toolCallId, toolName, content, details, isError, timestamp: Date.now() };
  if (usage) result.usage = usage;
  return { result, terminate: terminate === true };
}
