// Names that only the first generation of the packages had.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";
import { getModel, supportsXhigh } from "@mariozechner/pi-ai";
import { getOAuthApiKey, getOAuthProvider, registerOAuthProvider, unregisterOAuthProvider } from "@mariozechner/pi-ai/oauth";
import {
  appKey, AuthStorage, bashTool, codingTools, editorKey, ModelRegistry, readOnlyTools, readTool,
} from "@mariozechner/pi-coding-agent";

const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "pi-first-")));
after(() => fs.rmSync(dir, { recursive: true, force: true }));

test("tools of the working directory", async () => {
  assert.deepEqual([codingTools, readOnlyTools].map((tools) => tools.map(({ name }) => name)), [
    ["read", "bash", "edit", "write"], ["read", "grep", "find", "ls"],
  ]);
  assert.equal(readTool.name, "read");
  const result: any = await bashTool.execute("1", { command: "pwd" });
  assert.equal(result.content[0].text.trim(), process.cwd());
});

test("credentials are stored by provider", async () => {
  const file = path.join(dir, "auth.json");
  const auth: any = AuthStorage.create(file);
  auth.set("groq", { type: "api_key", key: "secret" });
  assert.deepEqual(JSON.parse(fs.readFileSync(file, "utf8")), { groq: { type: "api_key", key: "secret" } });
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  assert.deepEqual([auth.list(), auth.has("groq"), auth.hasAuth("groq"), await auth.getApiKey("groq")], [["groq"], true, true, "secret"]);
  auth.setRuntimeApiKey("groq", "now");
  assert.equal(await auth.getApiKey("groq"), "now");
  auth.removeRuntimeApiKey("groq");
  auth.remove("groq");
  assert.deepEqual([auth.list(), await auth.getApiKey("groq"), fs.existsSync(`${file}.lock`)], [[], undefined, false]);
  auth.setFallbackResolver((provider: string) => (provider === "mine" ? "fallback" : undefined));
  assert.equal(await auth.getApiKey("mine"), "fallback");
  const memory: any = AuthStorage.inMemory({ a: { type: "api_key", key: "b" } });
  assert.deepEqual(memory.getAll(), { a: { type: "api_key", key: "b" } });
});

test("a registry of models", async () => {
  const file = path.join(dir, "models.json");
  fs.writeFileSync(file, JSON.stringify({ providers: { local: { baseUrl: "http://localhost:1/v1", apiKey: "k", api: "openai-completions", models: [{ id: "mine", name: "Mine", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 10, maxTokens: 5 }] } } }));
  const registry: any = new ModelRegistry(AuthStorage.inMemory({ anthropic: { type: "api_key", key: "a" } }), file);
  assert.equal(registry.getError(), undefined);
  const mine = registry.find("local", "mine");
  assert.deepEqual([mine.name, mine.api, mine.baseUrl, mine.contextWindow], ["Mine", "openai-completions", "http://localhost:1/v1", 10]);
  assert.equal(await registry.getApiKey(mine), "k");
  assert.equal(await registry.getApiKeyForProvider("anthropic"), "a");
  assert.equal(registry.getAvailable().some((model: any) => model.provider === "anthropic"), true);
  registry.registerProvider("other", { baseUrl: "http://x", apiKey: "o", api: "openai-completions", models: [{ id: "o1", name: "O", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1, maxTokens: 1 }] });
  assert.equal(registry.find("other", "o1").provider, "other");
  assert.equal(await registry.getApiKey(registry.find("other", "o1")), "o");
  registry.unregisterProvider("other");
  assert.equal(registry.find("other", "o1"), undefined);
});

test("keys by their older names", () => {
  assert.equal(editorKey("selectCancel" as any), "escape/ctrl+c");
  assert.equal(appKey({ getKeys: () => ["ctrl+x", "f2"] } as any, "interrupt" as any), "ctrl+x/f2");
});

test("logins of extensions", async () => {
  const provider: any = { id: "mine", name: "Mine", login: async () => ({}), refreshToken: async () => ({ access: "new", refresh: "r", expires: Date.now() + 9_999 }), getApiKey: ({ access }: any) => `key-${access}` };
  registerOAuthProvider(provider);
  assert.equal(getOAuthProvider("mine")?.name, "Mine");
  const old = { mine: { access: "old", refresh: "r", expires: 1 } };
  assert.equal((await getOAuthApiKey("mine", old))?.apiKey, "key-new");
  assert.equal((await getOAuthApiKey("mine", { mine: { ...old.mine, expires: Date.now() + 99_999 } }))?.apiKey, "key-old");
  assert.equal(await getOAuthApiKey("mine", {}), null);
  unregisterOAuthProvider("mine");
  assert.equal(getOAuthProvider("mine"), undefined);
});

test("models with the level above high", () => {
  const model: any = getModel("anthropic", "claude-sonnet-4-5" as any);
  assert.equal(typeof supportsXhigh(model), "boolean");
});
