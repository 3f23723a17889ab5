// What `pi-ai` does without a network.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AssistantMessageEventStream, calculateCost, clampThinkingLevel, collapseSystemMessages, complete,
  contentText, createAssistantMessageEventStream, EventStream, getApiProvider, getCurrentSystemPrompt,
  getCurrentTools, getEnvApiKey, getModel, getModels, getProviders, getSupportedThinkingLevels, isContextOverflow,
  isRetryableAssistantError, lazyStream, modelsAreEqual, normalizeContext, parseStreamingJson, registerApiProvider,
  repairJson, retryAssistantCall, stream, streamSimple, StringEnum, Type, unregisterApiProviders, uuidv7,
  validateToolArguments, validateToolCall,
} from "@earendil-works/pi-ai/compat";

const usage = () => ({
  input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});
const answer = (text: string, more: any = {}): any => ({
  role: "assistant", content: [{ type: "text", text }], api: "test-api", provider: "test", model: "m", usage: usage(),
  stopReason: "stop", timestamp: 1, ...more,
});
const model: any = {
  id: "m", name: "M", api: "test-api", provider: "test", baseUrl: "http://localhost", reasoning: true, input: ["text"],
  cost: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 }, contextWindow: 1000, maxTokens: 100,
};

test("schemas are plain JSON in the documented order", () => {
  const schema = Type.Object({ a: Type.String({ description: "d" }), b: Type.Optional(StringEnum(["x", "y"] as const, { description: "e" })) });
  assert.equal(
    JSON.stringify(schema),
    '{"type":"object","required":["a"],"properties":{"a":{"type":"string","description":"d"},"b":{"type":"string","enum":["x","y"],"description":"e"}}}',
  );
});

test("cost follows tokens, prices and tiers", () => {
  const used: any = { ...usage(), input: 1_000_000, output: 500_000, cacheRead: 500_000, cacheWrite: 100_000 };
  assert.deepEqual(calculateCost(model, used), { input: 1, output: 1, cacheRead: 0.25, cacheWrite: 0.15, total: 2.4 });
  const tiered = { ...model, cost: { ...model.cost, tiers: [{ inputTokensAbove: 10, input: 4, output: 8, cacheRead: 2, cacheWrite: 6 }] } };
  assert.equal(calculateCost(tiered, { ...usage(), input: 11, output: 1_000_000 } as any).output, 8);
});

test("thinking levels are clamped upwards first", () => {
  assert.deepEqual(getSupportedThinkingLevels(model), ["off", "minimal", "low", "medium", "high"]);
  assert.deepEqual(getSupportedThinkingLevels({ ...model, reasoning: false }), ["off"]);
  const few = { ...model, thinkingLevelMap: { minimal: null, low: null, xhigh: "max" } };
  assert.deepEqual(getSupportedThinkingLevels(few), ["off", "medium", "high", "xhigh"]);
  assert.deepEqual([clampThinkingLevel(few, "low"), clampThinkingLevel(few, "max"), clampThinkingLevel(model, "xhigh")], ["medium", "xhigh", "high"]);
});

test("models have an identity", () => {
  assert.equal(modelsAreEqual(model, { ...model, name: "other" }), true);
  assert.equal(modelsAreEqual(model, { ...model, provider: "x" }), false);
  assert.equal(modelsAreEqual(model, undefined), false);
});

test("there are built-in models", () => {
  assert.equal(getProviders().includes("anthropic"), true);
  const [first] = getModels("anthropic");
  assert.equal(first.api, "anthropic-messages");
  assert.deepEqual(getModel("anthropic", first.id as any), first);
  assert.equal(getModel("anthropic", "no-such-model" as any), undefined);
});

test("a key comes from the environment", () => {
  process.env.GROQ_API_KEY = "k";
  assert.equal(getEnvApiKey("groq"), "k");
  delete process.env.GROQ_API_KEY;
  assert.equal(getEnvApiKey("groq"), undefined);
  assert.equal(getEnvApiKey("no-such-provider"), undefined);
});

test("a stream gives events, then its result", async () => {
  const events = createAssistantMessageEventStream();
  assert.equal(events instanceof AssistantMessageEventStream && events instanceof EventStream, true);
  const message = answer("hi");
  setTimeout(() => {
    events.push({ type: "start", partial: message });
    events.push({ type: "done", reason: "stop", message });
    events.push({ type: "start", partial: message });
    events.end();
  }, 1);
  const seen: string[] = [];
  for await (const event of events) seen.push(event.type);
  assert.deepEqual(seen, ["start", "done"]);
  assert.equal(await events.result(), message);
  const early = new EventStream<number, string>((n) => n === 3, (n) => `got ${n}`);
  for (const n of [1, 2, 3]) early.push(n);
  const numbers: number[] = [];
  for await (const n of early) numbers.push(n);
  assert.deepEqual([numbers, await early.result()], [[1, 2, 3], "got 3"]);
  const ended = new EventStream<number, string>(() => false, () => "");
  ended.end("over");
  assert.equal(await ended.result(), "over");
});

test("a failed set-up is an event", async () => {
  const events = lazyStream(model, async () => {
    throw new Error("no door");
  });
  const result = await events.result();
  assert.deepEqual([result.stopReason, result.errorMessage, result.model], ["error", "no door", "m"]);
});

test("wire formats of extensions", async () => {
  const calls: any[] = [];
  const speak = (model: any, context: any, options: any) => {
    calls.push([context.messages.map((message: any) => message.role), options?.apiKey]);
    const events = createAssistantMessageEventStream();
    events.push({ type: "done", reason: "stop", message: answer("from an extension") });
    return events;
  };
  registerApiProvider({ api: "test-api", stream: speak, streamSimple: speak }, "mine");
  assert.equal(getApiProvider("test-api")?.api, "test-api");
  const context: any = { systemPrompt: "S", messages: [{ role: "user", content: "hello", timestamp: 1 }] };
  const message = await complete(model, context, { apiKey: "secret" });
  assert.equal(contentText(message.content as any), "from an extension");
  assert.equal((await streamSimple(model, context, { apiKey: "k2" }).result()).stopReason, "stop");
  assert.deepEqual(calls, [[["system", "user"], "secret"], [["system", "user"], "k2"]]);
  assert.throws(() => getApiProvider("test-api")!.stream({ ...model, api: "other" }, context as any, {}), /Mismatched api: other expected test-api/);
  unregisterApiProviders("mine");
  assert.throws(() => stream(model, context), /No API provider registered for api: test-api/);
});

test("prompt and tools are replayed from the transcript", () => {
  const tool = (name: string): any => ({ name, description: name, parameters: Type.Object({}) });
  const { messages }: any = normalizeContext({
    systemPrompt: "Base", tools: [tool("a"), tool("b")],
    messages: [
      { role: "user", content: "x", timestamp: 1 },
      { role: "system", content: "More", sections: { one: "<one/>", two: "<two/>" }, toolsRemoved: [{ name: "a" }], toolsAdded: [tool("c")], timestamp: 2 },
      { role: "system", content: "", sections: { two: null }, timestamp: 3 },
    ] as any,
  });
  assert.equal(getCurrentSystemPrompt(messages), "Base\n\nMore\n\n<one/>");
  assert.deepEqual(getCurrentTools(messages).map(({ name }) => name), ["b", "c"]);
  const collapsed: any = collapseSystemMessages({ messages } as any);
  assert.deepEqual(collapsed.messages.map(({ role }: any) => role), ["system", "user"]);
  assert.deepEqual(collapsed.messages[0].sections, { one: "<one/>" });
  assert.equal(getCurrentSystemPrompt([]), "");
});

test("overflow is told by wording or by usage", () => {
  const failed = (errorMessage: string) => answer("", { stopReason: "error", errorMessage });
  for (const wording of [
    "prompt is too long: 210000 tokens > 200000 maximum", "Your input exceeds the context window of this model",
    "The input token count (1) exceeds the maximum number of tokens allowed (2)", "context_length_exceeded",
    "This endpoint's maximum context length is 131072 tokens.", "Please reduce the length of the messages",
    "the request exceeds the available context size", "Range of input length should be [1, 98304]",
  ]) assert.equal(isContextOverflow(failed(wording)), true, wording);
  for (const wording of ["rate limit: too many tokens", "overloaded", "ThrottlingException"]) {
    assert.equal(isContextOverflow(failed(wording)), false, wording);
  }
  assert.equal(isContextOverflow(answer("x", { usage: { ...usage(), input: 1500 } }), 1000), true);
  assert.equal(isContextOverflow(answer("x", { usage: { ...usage(), input: 500 } }), 1000), false);
});

test("a call that may succeed later is made again", async () => {
  const passing = answer("", { stopReason: "error", errorMessage: "503 overloaded" });
  assert.equal(isRetryableAssistantError(passing), true);
  assert.equal(isRetryableAssistantError({ ...passing, errorMessage: "insufficient_quota 429" }), false);
  const answers = [passing, passing, answer("at last")];
  const scheduled: number[] = [];
  const policy = { enabled: true, maxRetries: 3, baseDelayMs: 1 };
  const result = await retryAssistantCall(async () => answers.shift(), policy, undefined, {
    onRetryScheduled: (_attempt: number, _most: number, delay: number) => void scheduled.push(delay),
  });
  assert.deepEqual([contentText(result.content as any), scheduled], ["at last", [1, 2]]);
});

test("JSON that is still coming", () => {
  const cases: [string, any][] = [
    ["", {}], ["{", {}], ['{"a": 1', { a: 1 }], ['{"a": "te', { a: "te" }], ['{"a": [1, 2', { a: [1, 2] }],
    ['{"a": {"b": "c"}, "d', { a: { b: "c" } }], ['{"a": "line\nbreak"}', { a: "line\nbreak" }], ['{"a": tr', { a: true }],
    ['{"path": "C:\\dir"}', { path: "C:\\dir" }],
  ];
  for (const [text, value] of cases) assert.deepEqual(parseStreamingJson(text), value, text);
  assert.equal(repairJson('{"a": "\\q"}'), '{"a": "\\\\q"}');
});

test("ids sort by time", () => {
  const ids = Array.from({ length: 200 }, () => uuidv7());
  assert.deepEqual([...ids].sort(), ids);
  assert.match(ids[0], /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(ids).size, 200);
  assert.equal(parseInt(uuidv7(0x123456789abc).replaceAll("-", "").slice(0, 12), 16), 0x123456789abc);
});

test("arguments are brought into shape or refused", () => {
  const tool: any = { name: "t", description: "", parameters: Type.Object({ n: Type.Number(), s: Type.Optional(Type.String()) }) };
  const call = (args: any): any => ({ type: "toolCall", id: "1", name: "t", arguments: args });
  assert.deepEqual(validateToolArguments(tool, call({ n: "7", s: null })), { n: 7 });
  assert.throws(
    () => validateToolArguments(tool, { ...call({}), argumentsError: "no JSON\n\nReceived arguments:\n{" } as any),
    /^Error: Invalid arguments for tool "t": no JSON\n\nReceived arguments:\n\{$/,
  );
  assert.throws(() => validateToolArguments(tool, call({ s: "x" })), /Validation failed for tool "t":\n  - n: .*\n\nReceived arguments:\n\{\n  "s": "x"\n\}/);
  assert.throws(() => validateToolCall([tool], { ...call({}), name: "u" }), /Tool "u" not found/);
});
