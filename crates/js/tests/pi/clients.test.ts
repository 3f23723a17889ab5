// How clients present themselves, when caches are kept warm, and tool arguments in pieces.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as ai from "@earendil-works/pi-ai";
import * as core from "@earendil-works/pi-agent-core";
import * as models from "@earendil-works/pi-ai/models";

const {
  evaluateCacheWarming, formatUserAgent, getAttributionHeaders, getCacheWarmingDelayMs, getModelType,
  getOpenCodeSessionHeaders, getPromptCacheTtlMs, isCacheWarmingReplayable, isModelType, mergeClientIdentity,
  parseToolCallArguments, StreamingJsonParser, ToolCallArgumentsStream, withClientIdentity,
} = ai as any;

test("the names for models have a module of their own", () => {
  const wanted = ["ModelsError", "calculateCost", "clampThinkingLevel", "createModels", "createProvider", "getModelType", "hasApi", "isModelType", "modelsAreEqual"];
  assert.deepEqual(wanted.filter((name) => !(name in models)), []);
  assert.equal((models as any).getModelType({ type: "image" }), "image");
  assert.deepEqual([getModelType({}), isModelType({ type: "classifier" }, "chat")], ["chat", false]);
  const { ModelsError } = models as any;
  const error = new ModelsError("auth", "No key", { cause: new Error("file is gone") });
  assert.deepEqual([error.name, error.code, error.message], ["ModelsError", "auth", "No key: file is gone"]);
});

test("a client presents itself", () => {
  assert.equal(formatUserAgent({ userAgent: "short" }), "pi");
  assert.equal(formatUserAgent({ userAgent: { custom: "mine/1" } }), "mine/1");
  assert.match(formatUserAgent({ version: "7.1" }), /^pi\/7\.1 \(/);
  assert.deepEqual(mergeClientIdentity({ version: "1" }, undefined, { userAgent: "short", version: undefined }), { version: "1", userAgent: "short" });
  assert.equal(mergeClientIdentity(undefined), undefined);
  const identity = (core as any).DEFAULT_AGENT_IDENTITY;
  assert.deepEqual(getAttributionHeaders({ provider: "openrouter", baseUrl: "" }, identity), {
    "HTTP-Referer": "https://pi.dev", "X-OpenRouter-Title": "pi", "X-OpenRouter-Categories": "cli-agent",
  });
  assert.deepEqual(getAttributionHeaders({ provider: "x", baseUrl: "https://opencode.ai/v1" }, identity), { "x-opencode-client": "pi" });
  assert.deepEqual(getAttributionHeaders({ provider: "openrouter", baseUrl: "" }, {}), {});
  assert.deepEqual(getOpenCodeSessionHeaders({ provider: "opencode", baseUrl: "" }, "s1"), { "x-opencode-session": "s1" });
  assert.equal(getOpenCodeSessionHeaders({ provider: "openai", baseUrl: "" }, "s1"), undefined);
  const asked: any[] = [];
  const wrapped = withClientIdentity({ stream: (...args: any[]) => asked.push(args), getModels: () => ["m"] }, { version: "2" });
  wrapped.stream("m", "c", { maxTokens: 1 });
  assert.deepEqual([asked, wrapped.getModels()], [[["m", "c", { maxTokens: 1, identity: { version: "2" } }]], ["m"]]);
});

test("a cache is kept warm where it pays", () => {
  const model = { cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, promptCache: { short: 300 }, api: "anthropic-messages" };
  assert.deepEqual([getCacheWarmingDelayMs(300_000), getCacheWarmingDelayMs(20_000), getCacheWarmingDelayMs(10_000)], [270_000, 10_000, undefined]);
  assert.deepEqual([getPromptCacheTtlMs(model, { cacheRetention: "short" }), getPromptCacheTtlMs(model, { cacheRetention: "none" })], [300_000, undefined]);
  assert.deepEqual([isCacheWarmingReplayable(model), isCacheWarmingReplayable(model, { reasoning: "high" })], [true, false]);
  const { action, phase, economicsAvailable } = evaluateCacheWarming(model, 150_000, "streaming");
  assert.deepEqual([action, phase, economicsAvailable], ["warm", "streaming", true]);
  assert.equal(evaluateCacheWarming(model, 1_000, "idle").action, "stop");
});

test("JSON in pieces shows what it says so far", () => {
  const text = '{"path":"a\\n\\u00e9b","edits":[{"n":1.5e1,"ok":true},null],"__proto__":{"x":"y"}}';
  for (const size of [1, 2, 3, 7, 100]) {
    const parser = new StreamingJsonParser();
    const copy: any = { root: undefined };
    for (let at = 0; at < text.length; at += size) {
      for (const { kind, path, value, text: added } of parser.append(text.slice(at, at + size))) {
        const whole = ["root", ...path];
        const last = whole.pop();
        const inner = whole.reduce((object: any, key: any) => Object.getOwnPropertyDescriptor(object, key)!.value, copy);
        const now = kind === "set" ? structuredClone(value) : Object.getOwnPropertyDescriptor(inner, last)!.value + added;
        Object.defineProperty(inner, last, { value: now, enumerable: true, configurable: true, writable: true });
      }
    }
    assert.deepEqual(parser.snapshot(), JSON.parse(text), `pieces of ${size}`);
    assert.deepEqual(copy.root, JSON.parse(text), `changes of pieces of ${size}`);
  }
});

test("what is not there yet is left out", () => {
  const shown = (text: string) => {
    const parser = new StreamingJsonParser();
    parser.append(text);
    return parser.snapshot();
  };
  assert.deepEqual(
    ["", "{", '{"a', '{"a":', '{"a":"x', '{"a":"x\\', '{"a":tr', '{"a":1e', '{"a":[1,{"b":"c"', "12"].map(shown),
    [undefined, {}, {}, {}, { a: "x" }, { a: "x" }, { a: true }, { a: 1 }, { a: [1, { b: "c" }] }, 12],
  );
  assert.deepEqual(shown('{"a":"b\\d\n" "c" 1 "d":word,"e":2} more'), { a: "b\\d\n", c: 1, e: 2 });
  const parser = new StreamingJsonParser();
  parser.append('{"list":["a"');
  const before = parser.snapshot();
  parser.append(',"b"');
  assert.deepEqual([before, parser.snapshot()], [{ list: ["a"] }, { list: ["a", "b"] }]);
});

test("arguments in pieces end whole, or say what came", () => {
  const call = new ToolCallArgumentsStream();
  assert.deepEqual(call.append('{"path":"no'), { path: "no" });
  assert.deepEqual(call.replace('{"path":"notes"}'), { delta: 'tes"}', arguments: { path: "notes" } });
  assert.deepEqual(call.finish(), { arguments: { path: "notes" } });
  assert.deepEqual(call.replace("[1]"), { delta: undefined, arguments: {} });
  assert.match(call.finish().argumentsError, /must be a JSON object\n\nReceived arguments:\n\[1\]$/);
  assert.deepEqual(parseToolCallArguments(""), { arguments: {} });
  assert.deepEqual(parseToolCallArguments('{"a":').arguments, {});
});
