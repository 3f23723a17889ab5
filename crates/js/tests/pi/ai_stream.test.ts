// Streaming from a provider on this machine.
import assert from "node:assert/strict";
import * as http from "node:http";
import { test } from "node:test";
import { completeSimple, streamSimple } from "@earendil-works/pi-ai/compat";

type Seen = { url: string; headers: any; body: any };

/** A provider that answers every request with these events. */
async function provider(events: any[]): Promise<{ baseUrl: string; seen: Seen[]; close(): void }> {
  const seen: Seen[] = [];
  const server = http.createServer((request, response) => {
    const chunks: any[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      seen.push({ url: request.url!, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) });
      response.writeHead(200, { "content-type": "text/event-stream", "x-mine": "yes" });
      for (const event of events) response.write(event === "[DONE]" ? "data: [DONE]\n\n" : `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return { baseUrl: `http://127.0.0.1:${(server.address() as any).port}`, seen, close: () => void server.close() };
}

const model = (api: string, baseUrl: string): any => ({
  id: "m-1", name: "M", api, provider: "local", baseUrl, reasoning: false, input: ["text"],
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }, contextWindow: 10_000, maxTokens: 1_000,
});
const context: any = {
  systemPrompt: "Be brief.",
  messages: [{ role: "user", content: "hello", timestamp: 1 }],
  tools: [{ name: "look", description: "Looks.", parameters: { type: "object", properties: { at: { type: "string" } } } }],
};

test("OpenAI Chat Completions", async () => {
  const chunk = (delta: any, finish: string | null = null) => ({ id: "c1", object: "chat.completion.chunk", model: "m-1", choices: [{ index: 0, delta, finish_reason: finish }] });
  const server = await provider([
    chunk({ role: "assistant", content: "Hel" }),
    chunk({ content: "lo" }),
    chunk({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "look", arguments: '{"at":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"here"}' } }] }),
    { ...chunk({}, "tool_calls"), usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
    "[DONE]",
  ]);
  const events: any[] = [];
  let head: any;
  const stream = streamSimple(model("openai-completions", `${server.baseUrl}/v1`), context, {
    apiKey: "secret",
    onPayload: (payload: any) => ({ ...payload, extra: "added" }),
    onResponse: (response: any) => void (head = response),
  });
  for await (const event of stream) events.push(event);
  const message = await stream.result();
  server.close();
  const of = (kind: string) => events.filter(({ type }) => type.startsWith(kind)).map(({ type, delta }) => [type, delta]);
  assert.deepEqual(of("text"), [["text_start", undefined], ["text_delta", "Hel"], ["text_delta", "lo"], ["text_end", undefined]]);
  assert.deepEqual(of("toolcall"), [
    ["toolcall_start", undefined], ["toolcall_delta", '{"at":'], ["toolcall_delta", '"here"}'], ["toolcall_end", undefined],
  ]);
  assert.deepEqual([events[0].type, events.at(-1).type], ["start", "done"]);
  const { contentIndex, partial, toolCall } = events.find(({ type }) => type === "toolcall_end");
  assert.deepEqual([contentIndex, partial.content[1].name, toolCall.arguments], [1, "look", { at: "here" }]);
  assert.deepEqual(message.content.map(({ type, text, name, arguments: args }: any) => [type, text ?? name, args]), [
    ["text", "Hello", undefined], ["toolCall", "look", { at: "here" }],
  ]);
  assert.deepEqual([message.stopReason, message.usage.input, message.usage.output, message.provider], ["toolUse", 10, 5, "local"]);
  const [request] = server.seen;
  assert.equal(request.url, "/v1/chat/completions");
  assert.equal(request.headers.authorization, "Bearer secret");
  assert.equal(request.body.extra, "added");
  assert.deepEqual(request.body.messages.map(({ role }: any) => role), ["system", "user"]);
  assert.equal(request.body.tools[0].function.name, "look");
  assert.deepEqual([head.status, head.headers["x-mine"]], [200, "yes"]);
});

test("Anthropic Messages", async () => {
  const server = await provider([
    { type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], model: "m-1", stop_reason: null, usage: { input_tokens: 7, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi there" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ]);
  const message = await completeSimple(model("anthropic-messages", server.baseUrl), context, { apiKey: "key", headers: { "x-extra": "1" } });
  server.close();
  assert.deepEqual([message.content.map(({ text }: any) => text), message.stopReason, message.usage.output], [["Hi there"], "stop", 3]);
  assert.equal(server.seen[0].url.startsWith("/v1/messages"), true);
  assert.deepEqual([server.seen[0].headers["x-api-key"], server.seen[0].headers["x-extra"]], ["key", "1"]);
});

test("failures are answers too", async () => {
  const dead = model("openai-completions", "http://127.0.0.1:1/v1");
  const failed = await completeSimple(dead, context, { apiKey: "k", maxRetries: 0 });
  assert.equal(failed.stopReason, "error");
  assert.equal(typeof failed.errorMessage, "string");
  const controller = new AbortController();
  controller.abort();
  const aborted = await completeSimple(dead, context, { apiKey: "k", signal: controller.signal, maxRetries: 0 });
  assert.equal(aborted.stopReason, "aborted");
});
