// An agent of an extension's own, with a model that is a function.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, agentLoop } from "@earendil-works/pi-agent-core";
import { createAssistantMessageEventStream, Type } from "@earendil-works/pi-ai";

const model: any = { id: "m", api: "test", provider: "test", reasoning: false, input: ["text"], cost: {}, contextWindow: 1, maxTokens: 1 };
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
const answer = (content: any[], stopReason = "stop"): any => ({ role: "assistant", content, api: "test", provider: "test", model: "m", usage, stopReason, timestamp: 1 });
const text = (text: string) => ({ type: "text", text });
const call = (name: string, args: any, id = "c1") => ({ type: "toolCall", id, name, arguments: args });

/** A model that gives these answers in turn; remembers what it was asked. */
function scripted(answers: any[]): any {
  const asked: any[] = [];
  const streamFn = (_model: any, context: any, options: any) => {
    asked.push(context.messages.map((message: any) => message.role));
    const events = createAssistantMessageEventStream();
    const message = answers.shift();
    queueMicrotask(() => {
      if (options?.signal?.aborted) return events.push({ type: "error", reason: "aborted", error: { ...message, content: [], stopReason: "aborted" } });
      events.push({ type: "start", partial: { ...message, content: [] } });
      events.push({ type: "done", reason: message.stopReason, message });
    });
    return events;
  };
  return { streamFn, asked };
}

const adder: any = {
  name: "add", label: "Add", description: "Adds.", parameters: Type.Object({ a: Type.Number(), b: Type.Number() }),
  execute: async (_id: string, { a, b }: any) => ({ content: [text(String(a + b))], details: { sum: a + b } }),
};

test("a prompt runs until no tool is called", async () => {
  const { streamFn } = scripted([answer([call("add", { a: "1", b: 2 })], "toolUse"), answer([text("three")])]);
  const agent: any = new Agent({ initialState: { systemPrompt: "S", model, tools: [adder] }, streamFn });
  const events: string[] = [];
  agent.subscribe((event: any) => void events.push(event.type));
  await agent.prompt("add them");
  const said = agent.state.messages.filter(({ role }: any) => role !== "system");
  assert.deepEqual(said.map(({ role }: any) => role), ["user", "assistant", "toolResult", "assistant"]);
  assert.deepEqual([said[2].content, said[2].details, said[2].isError], [[text("3")], { sum: 3 }, false]);
  const kinds = events.filter((type) => type !== "message_update");
  assert.deepEqual(kinds, [
    "agent_start", "turn_start", "message_start", "message_end", "message_start", "message_end",
    "tool_execution_start", "tool_execution_end", "message_start", "message_end", "turn_end",
    "turn_start", "message_start", "message_end", "turn_end", "agent_end",
  ]);
  assert.equal(agent.state.isStreaming, false);
});

test("a tool that fails tells the model", async () => {
  const { streamFn } = scripted([answer([call("add", { a: 1 }), call("nope", {}, "c2")], "toolUse"), answer([text("sorry")])]);
  const agent: any = new Agent({ initialState: { model, tools: [adder] }, streamFn });
  await agent.prompt("x");
  const results = agent.state.messages.filter(({ role }: any) => role === "toolResult");
  assert.deepEqual(results.map(({ isError }: any) => isError), [true, true]);
  assert.match(results[0].content[0].text, /Validation failed for tool "add"/);
  assert.match(results[1].content[0].text, /Tool nope not found/);
});

test("messages that wait get their turn", async () => {
  const { streamFn } = scripted([answer([call("add", { a: 1, b: 1 })], "toolUse"), answer([text("steered")]), answer([text("followed")])]);
  const agent: any = new Agent({ initialState: { model, tools: [adder] }, streamFn });
  agent.followUp({ role: "user", content: "later", timestamp: 1 });
  agent.subscribe((event: any) => {
    if (event.type === "tool_execution_end") agent.steer({ role: "user", content: "now", timestamp: 1 });
  });
  assert.equal(agent.hasQueuedMessages(), true);
  await agent.prompt("go");
  const texts = agent.state.messages.filter(({ role }: any) => role === "user").map(({ content }: any) => content[0].text ?? content);
  assert.deepEqual(texts, ["go", "now", "later"]);
  assert.equal(agent.hasQueuedMessages(), false);
});

test("one prompt at a time; abort ends it", async () => {
  const { streamFn } = scripted([answer([text("late")])]);
  const agent: any = new Agent({ initialState: { model }, streamFn });
  const running = agent.prompt("x");
  await assert.rejects(agent.prompt("y"), /already processing/);
  agent.abort();
  await running;
  await agent.waitForIdle();
  assert.equal(agent.state.messages.at(-1).stopReason, "aborted");
  agent.reset();
  assert.equal(agent.state.messages.filter(({ role }: any) => role !== "system").length, 0);
});

test("the loop alone", async () => {
  const { streamFn, asked } = scripted([answer([text("hi")])]);
  const prompt: any = { role: "user", content: "hello", timestamp: 1 };
  const convertToLlm = (messages: any[]) => messages;
  const stream = agentLoop([prompt], { messages: [], tools: [] } as any, { model, convertToLlm } as any, undefined, streamFn);
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  assert.deepEqual([types[0], types.at(-1)], ["agent_start", "agent_end"]);
  assert.deepEqual((await stream.result()).map(({ role }: any) => role), ["user", "assistant"]);
  assert.deepEqual(asked, [["user"]]);
});
