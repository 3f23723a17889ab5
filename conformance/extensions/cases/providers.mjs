// Examples that bring models or call the internet.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { call, say } from "../driver.mjs";

const DONE = say("Done.");
const IMAGE = "iVBORw0KGgo=";
const CREDENTIALS = JSON.stringify({ token: "access", projectId: "project" });

const PROVIDER = {
	api: "anthropic-messages",
	models: [
		{
			id: "m",
			name: "M",
			reasoning: false,
			input: ["text"],
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
			contextWindow: 1000,
			maxTokens: 100,
		},
	],
};

/** An answer in the Responses format. */
const RESPONSE = [
	{ type: "response.created", response: { id: "resp_1" } },
	{ type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1", role: "assistant", content: [] } },
	{ type: "response.content_part.added", item_id: "msg_1", output_index: 0, content_index: 0, part: { type: "output_text", text: "" } },
	{ type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "Done." },
	{
		type: "response.output_item.done",
		output_index: 0,
		item: { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done." }] },
	},
	{
		type: "response.completed",
		response: { id: "resp_1", status: "completed", usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 } },
	},
];

/** What GitLab's servers answer, and a model of theirs that speaks the Responses format. */
const GITLAB = {
	"/api/v4/ai/third_party_agents/direct_access": {
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ token: "direct", headers: { "x-gitlab-instance": "one" } }),
	},
	"/openai/v1/responses": {
		headers: { "content-type": "text/event-stream" },
		body: RESPONSE.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
	},
};

const gitlab = {
	example: "custom-provider-gitlab-duo",
	env: () => ({ GITLAB_TOKEN: "glpat" }),
	routes: GITLAB,
	redirect: (origin, other) => ({
		hosts: { "https://gitlab.com": other },
		moved: { anthropic: `${origin}/`, openai: `${other}/openai/v1` },
	}),
};

export const PROVIDER_CASES = [
	{
		...gitlab,
		what: "streams in the Anthropic format",
		// The reference takes the first generation's name of a variable for the key.
		unlessReference: ["first"],
		model: "gitlab-duo/claude-sonnet-4-5-20250929",
		script: [{ text: "I look.", toolCalls: [{ id: "c1", name: "bash", args: { command: "echo hi" } }] }, DONE],
		check(seen) {
			const [request] = seen.requests;
			assert.deepEqual([request.path, request.body.model], ["/v1/messages", "claude-sonnet-4-5-20250929"]);
			assert.deepEqual([request.headers.authorization, request.headers["x-gitlab-instance"]], ["Bearer direct", "one"]);
			assert.ok(seen.system(0).includes(seen.home.work) && seen.tools(0).includes("bash"));
			assert.equal(seen.tool("c1").text.trim(), "hi");
			assert.equal(seen.otherRequests.length, 1, "the token is kept");
			assert.equal(seen.otherRequests[0].headers.authorization, "Bearer glpat");
			assert.equal(seen.entries("message").at(-1).message.content[0].text, "Done.");
		},
	},
	{
		...gitlab,
		what: "streams in the Responses format",
		model: "gitlab-duo/gpt-5-codex",
		script: [],
		check(seen) {
			const [, request] = seen.otherRequests;
			const body = JSON.parse(request.body);
			assert.deepEqual([request.headers.authorization, body.model, body.stream], ["Bearer direct", "gpt-5-codex", true]);
			const { message } = seen.entries("message").at(-1);
			assert.deepEqual([message.content[0].text, message.provider, message.stopReason], ["Done.", "gitlab-duo", "stop"]);
			assert.equal(message.usage.totalTokens, 12);
		},
	},
	{
		example: "custom-provider-anthropic",
		what: "streams through an SDK from npm",
		// The reference takes the first generation's name of a variable for the key, and hides prompt and tools from it.
		unlessReference: ["first"],
		redirect: (origin) => ({ providers: { "custom-anthropic": origin } }),
		env: () => ({ CUSTOM_ANTHROPIC_API_KEY: "key" }),
		model: "custom-anthropic/claude-sonnet-4-5",
		script: [{ text: "I look.", toolCalls: [{ id: "c1", name: "bash", args: { command: "echo hi" } }] }, DONE],
		check(seen) {
			const [request] = seen.requests;
			assert.equal(request.headers["x-api-key"], "key");
			assert.ok(seen.system(0).includes(seen.home.work) && seen.tools(0).includes("bash"));
			assert.equal(request.body.model, "claude-sonnet-4-5");
			assert.equal(seen.tool("c1").text.trim(), "hi");
			const answers = seen.entries("message").filter(({ message }) => message.role === "assistant");
			assert.deepEqual(
				answers.map(({ message: { api, provider, stopReason } }) => [api, provider, stopReason]),
				[["custom-anthropic-api", "custom-anthropic", "toolUse"], ["custom-anthropic-api", "custom-anthropic", "stop"]],
			);
			assert.equal(answers[1].message.content[0].text, "Done.");
			assert.ok(answers[1].message.usage.cost.total > 0);
			const names = readFileSync(seen.home.sessions()[0], "utf8").split("\n").map((line) => line.split('"role":').length);
			assert.ok(names.every((count) => count <= 2), "no field is written twice");
		},
	},
	{
		example: "jev-router",
		what: "plans with one model and implements with another",
		sets: ["reference"],
		redirect: (origin) => ({
			providers: {
				"openai-codex": {
					...PROVIDER,
					baseUrl: origin,
					apiKey: "key",
					models: ["sol", "terra", "luna"].map((name) => ({ ...PROVIDER.models[0], id: `gpt-5.6-${name}`, contextWindow: 100000 })),
				},
			},
		}),
		model: "jev/auto",
		script: [call(["c1", "ls"]), call(["c2", "write", { path: "plan.txt", content: "one" }]), DONE],
		check(seen) {
			assert.deepEqual(seen.requests.map(({ body }) => body.model), ["gpt-5.6-terra", "gpt-5.6-terra", "gpt-5.6-luna"]);
			const answers = seen.entries("message").filter(({ message }) => message.role === "assistant");
			assert.deepEqual(answers.map(({ message }) => message.model), ["gpt-5.6-terra", "gpt-5.6-terra", "gpt-5.6-luna"]);
			assert.equal(seen.entries("pi.virtual-model-state").at(-1).data.state.phase, "implementation");
			const [{ provider, modelId }] = seen.entries("model_change");
			assert.deepEqual([provider, modelId], ["jev", "auto"]);
		},
	},
	{
		example: "custom-provider-qwen-cli",
		sets: ["first"],
		unlessReference: ["first"],
		redirect: (origin) => ({ providers: { "qwen-cli": `${origin}/v1` } }),
		env: () => ({ QWEN_CLI_API_KEY: "key" }),
		model: "qwen-cli/qwen3-coder-plus",
		script: [DONE],
		check(seen) {
			const [request] = seen.requests;
			assert.deepEqual([request.path, request.body.model], ["/v1/chat/completions", "qwen3-coder-plus"]);
			assert.equal(request.headers.authorization, "Bearer key");
			assert.equal(seen.entries("message").at(-1).message.content[0].text, "Done.");
		},
	},
	{
		example: "antigravity-image-gen",
		sets: ["first"],
		what: "makes an image with the help of a server",
		routes: {
			"/v1internal:streamGenerateContent": {
				headers: { "content-type": "text/event-stream" },
				body: [
					{ text: "A square." },
					{ inlineData: { mimeType: "image/png", data: IMAGE } },
				].map((part) => `data: ${JSON.stringify({ response: { candidates: [{ content: { parts: [part] } }] } })}\n\n`).join(""),
			},
		},
		redirect: (origin, other) => ({
			hosts: { "https://daily-cloudcode-pa.sandbox.googleapis.com": other },
			// The credentials of a login that no longer exists.
			providers: { "google-antigravity": { ...PROVIDER, baseUrl: origin, apiKey: CREDENTIALS } },
		}),
		script: [call(["c1", "generate_image", { prompt: "A square", aspectRatio: "16:9", save: "project" }]), DONE],
		check(seen) {
			const { text, content, details } = seen.tool("c1");
			assert.match(text, /^Generated image via .* Aspect ratio: 16:9\. Saved image to: .* Model notes: A square\./);
			assert.deepEqual(content[1], { type: "image", data: IMAGE, mimeType: "image/png" });
			assert.equal(seen.shell(`base64 < '${details.savedPath}'`).trim(), IMAGE);
			const [request] = seen.otherRequests;
			assert.equal(request.headers.authorization, "Bearer access");
			assert.equal(JSON.parse(request.body).request.generationConfig.imageConfig.aspectRatio, "16:9");
		},
	},
];
