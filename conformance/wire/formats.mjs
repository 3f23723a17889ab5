// The wire formats under test: one row each. Everything else in this folder is the same for all of them.

/** A token of the form that the ChatGPT backend hands out: the program reads the account from it. It opens nothing. */
const unsigned = (claims) => ["{}", JSON.stringify(claims), "none"].map((part) => Buffer.from(part).toString("base64url")).join(".");
const CHATGPT_TOKEN = unsigned({ "https://api.openai.com/auth": { chatgpt_account_id: "wire-account" } });

const responses = { reasoning: { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "I should look." }], encrypted_content: "c2VhbGVk" } };
const responsesSigned = { thinking: JSON.stringify(responses.reasoning), text: JSON.stringify({ v: 1, id: "msg_1" }), calls: ["call_1|fc_1", "call_2|fc_2", "call_3|fc_3"] };

/**
 * A row:
 *   `api`       its name in models.json
 *   `name`      what tests call it, where another row has the same format
 *   `fixtures`  the folder of its streams, where another format has the same ones
 *   `provider`  its name, where the vendor's rules look at that too
 *   `base`      what stands behind the server's origin in `baseUrl`
 *   `route`     the path of a request
 *   `key`, `env`, `settings`   credentials, and what makes both programs use plain HTTP
 *   `model`     fields of the model; `id` is the one that the vendor's rules look at
 *   `signed`    what stands in the history as signatures of thinking, text and calls, and as ids of calls
 *   `redacted`  thinking that cannot be read, where the format has that
 *   `answers`   false where another row has the same answers: only its requests are compared
 *   `framing`   "sse", or "eventstream" for AWS's binary frames
 *   `sdk`       how the vendor's SDK is used: a key of `sdks/clients.mjs` and of `sdks/types.mjs`
 */
export const FORMATS = [
	{
		api: "anthropic-messages",
		base: "",
		route: /^\/v1\/messages$/,
		model: { id: "claude-sonnet-4-5" },
		signed: { thinking: "EqQBCgIYAhIM1gbcDa9G", calls: ["toolu_01A", "toolu_01B", "toolu_01C"] },
		redacted: "EmwKAhgBEgy3va3pzix7",
		sdk: "anthropic",
	},
	{
		// Effort inside the conversation, thinking bound to what stands before it.
		name: "anthropic-messages (Claude 5.5)",
		api: "anthropic-messages",
		base: "",
		route: /^\/v1\/messages$/,
		model: {
			id: "claude-opus-5-5",
			thinkingLevelMap: { xhigh: "xhigh", max: "max" },
			compat: { forceAdaptiveThinking: true, supportsMidConvoEffort: true, supportsTemperature: false },
		},
		signed: { thinking: "EqQBCgIYAhIM1gbcDa9G", calls: ["toolu_01A", "toolu_01B", "toolu_01C"] },
		redacted: "EmwKAhgBEgy3va3pzix7",
		sdk: "anthropic",
		answers: false,
	},
	{
		api: "openai-completions",
		base: "/v1",
		route: /^\/v1\/chat\/completions$/,
		model: { id: "gpt-5.4" },
		signed: { thinking: "reasoning_content", calls: ["call_1", "call_2", "call_3"] },
		sdk: "completions",
	},
	{
		api: "openai-responses",
		provider: "openai",
		base: "/v1",
		route: /^\/v1\/responses$/,
		model: { id: "gpt-5.4", compat: { supportsStrictMode: true } },
		signed: responsesSigned,
		sdk: "responses",
	},
	{
		api: "openai-codex-responses",
		provider: "openai-codex",
		fixtures: "openai-responses",
		base: "/backend-api",
		route: /^\/backend-api\/codex\/responses$/,
		key: CHATGPT_TOKEN,
		settings: { transport: "sse" },
		model: { id: "gpt-5.4" },
		signed: responsesSigned,
		sdk: "codex",
	},
	{
		api: "azure-openai-responses",
		provider: "azure",
		fixtures: "openai-responses",
		base: "/openai/v1",
		route: /^\/openai\/v1\/responses$/,
		model: { id: "gpt-5.4" },
		signed: responsesSigned,
		sdk: "azure",
	},
	{
		api: "google-generative-ai",
		base: "/v1beta",
		route: /^\/v1beta\/models\/[^/]+:streamGenerateContent$/,
		model: { id: "gemini-3-pro-preview" },
		signed: { thinking: "RXF3RENxa0RBYjQ=", text: "RXF3RENxa0RBYjQ=", call: "RXF3RENxa0RBYjQ=", calls: ["fc-1", "fc-2", "fc-3"] },
		sdk: "google",
	},
	{
		api: "google-vertex",
		provider: "google-vertex",
		fixtures: "google-generative-ai",
		base: "/v1",
		route: /^\/v1\/.*models\/[^/]+:streamGenerateContent$/,
		model: { id: "gemini-3-pro-preview" },
		signed: { thinking: "RXF3RENxa0RBYjQ=", text: "RXF3RENxa0RBYjQ=", call: "RXF3RENxa0RBYjQ=", calls: ["fc-1", "fc-2", "fc-3"] },
		sdk: "vertex",
	},
	{
		api: "mistral-conversations",
		base: "",
		route: /^\/v1\/chat\/completions$/,
		model: { id: "mistral-medium-latest" },
		signed: { calls: ["D681PevKs", "G7xPoE3aq", "Kq3b0Zx9e"] },
		sdk: "mistral",
	},
	{
		api: "bedrock-converse-stream",
		provider: "amazon-bedrock",
		base: "",
		route: /^\/model\/[^/]+\/converse-stream$/,
		key: undefined,
		env: { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "AKIAWIRE", AWS_SECRET_ACCESS_KEY: "wire-secret", AWS_BEDROCK_FORCE_HTTP1: "1" },
		model: { id: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" },
		signed: { thinking: "EqQBCgIYAhIM1gbcDa9G", calls: ["tooluse_1", "tooluse_2", "tooluse_3"] },
		redacted: "ZW5jcnlwdGVk",
		framing: "eventstream",
		sdk: "bedrock",
	},
].map((row) => ({ name: row.api, provider: "wire", framing: "sse", fixtures: row.api, key: "wire-key", env: {}, settings: {}, answers: true, ...row }));

const LIMITS = { contextWindow: 200000, maxTokens: 8192 };
const COST = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** `models.json` with the model of one row, served at `origin`. */
export function modelsJson(format, origin) {
	const { compat, ...model } = format.model;
	const provider = {
		baseUrl: `${origin}${format.base}`,
		api: format.api,
		// Some SDKs of the reference take no key at all: then it names one that nobody asks for.
		...(format.key ? { apiKey: format.key } : {}),
		models: [{ name: "Wire", reasoning: true, input: ["text", "image"], cost: COST, ...LIMITS, ...model, ...(compat ? { compat } : {}) }],
	};
	return { providers: { [format.provider]: provider } };
}
