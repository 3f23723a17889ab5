// The vendors' own SDKs, as clients of the server that plays the fixtures. Each reads one answer and says what was in it.

import Anthropic from "@anthropic-ai/sdk";
import { BedrockRuntimeClient, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import { Mistral } from "@mistralai/mistralai";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import OpenAI, { AzureOpenAI } from "openai";

const PROMPT = "Speak.";

/** How a call is told: arguments as a value. */
const call = (name, json) => ({ name, arguments: JSON.parse(json) });

async function anthropic(format, baseURL) {
	const client = new Anthropic({ apiKey: format.key, baseURL, maxRetries: 0 });
	const message = await client.messages.stream({ model: format.model.id, max_tokens: 100, messages: [{ role: "user", content: PROMPT }] }).finalMessage();
	const parts = (type) => message.content.filter((block) => block.type === type);
	return {
		text: parts("text").map(({ text }) => text).join(""),
		thinking: [...parts("thinking").map(({ thinking }) => thinking), ...parts("redacted_thinking").map(() => REDACTED)].join(""),
		calls: parts("tool_use").map(({ name, input }) => ({ name, arguments: input })),
	};
}

/** What the programs show in place of thinking that cannot be read. */
const REDACTED = "[Reasoning redacted]";

async function completions(format, baseURL) {
	const client = new OpenAI({ apiKey: format.key, baseURL, maxRetries: 0 });
	const stream = client.chat.completions.stream({ model: format.model.id, messages: [{ role: "user", content: PROMPT }] });
	let thinking = "";
	// An extension of others, of which the SDK knows nothing.
	stream.on("chunk", ({ choices }) => (thinking += choices[0]?.delta.reasoning_content ?? ""));
	const { message } = (await stream.finalChatCompletion()).choices[0];
	return {
		text: message.content ?? "",
		thinking,
		calls: (message.tool_calls ?? []).map(({ function: { name, arguments: json } }) => call(name, json)),
	};
}

const responsesOf = (makeClient) => async (format, baseURL) => {
	const response = await makeClient(format, baseURL).responses.stream({ model: format.model.id, input: PROMPT }).finalResponse();
	const items = (type) => response.output.filter((item) => item.type === type);
	return {
		text: items("message").flatMap(({ content }) => content).map((part) => part.text ?? part.refusal).join(""),
		thinking: items("reasoning").flatMap(({ summary }) => summary).map(({ text }) => text).join(""),
		calls: items("function_call").map(({ name, arguments: json }) => call(name, json)),
	};
};

const googleOf = (options) => async (format, baseUrl) => {
	const client = new GoogleGenAI({ apiKey: format.key, ...options, httpOptions: { baseUrl, apiVersion: "" } });
	const said = { text: "", thinking: "", calls: [] };
	for await (const chunk of await client.models.generateContentStream({ model: format.model.id, contents: PROMPT })) {
		for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
			if (part.functionCall) said.calls.push({ name: part.functionCall.name, arguments: part.functionCall.args });
			else if (part.text !== undefined) said[part.thought ? "thinking" : "text"] += part.text;
		}
	}
	return said;
};

async function mistral(format, serverURL) {
	const client = new Mistral({ apiKey: format.key, serverURL, retryConfig: { strategy: "none" } });
	const said = { text: "", thinking: "", calls: [] };
	const open = new Map();
	for await (const { data } of await client.chat.stream({ model: format.model.id, messages: [{ role: "user", content: PROMPT }] })) {
		const { content, toolCalls } = data.choices[0].delta;
		for (const part of typeof content === "string" ? [{ type: "text", text: content }] : content ?? []) {
			if (part.type === "thinking") said.thinking += part.thinking.map(({ text }) => text).join("");
			else said.text += part.text;
		}
		for (const { index, function: { name, arguments: json } } of toolCalls ?? []) {
			const before = open.get(index) ?? { name, json: "" };
			open.set(index, { ...before, json: before.json + json });
		}
	}
	said.calls = [...open.values()].map(({ name, json }) => call(name, json));
	return said;
}

async function bedrock(format, endpoint) {
	const credentials = { accessKeyId: format.env.AWS_ACCESS_KEY_ID, secretAccessKey: format.env.AWS_SECRET_ACCESS_KEY };
	const client = new BedrockRuntimeClient({ endpoint, region: format.env.AWS_REGION, credentials, maxAttempts: 1, requestHandler: new NodeHttpHandler() });
	const { stream } = await client.send(new ConverseStreamCommand({ modelId: format.model.id, messages: [{ role: "user", content: [{ text: PROMPT }] }] }));
	const said = { text: "", thinking: "", calls: [] };
	const open = new Map();
	for await (const event of stream) {
		const failure = Object.entries(event).find(([name]) => name.endsWith("Exception"));
		if (failure) throw failure[1];
		const tool = event.contentBlockStart?.start?.toolUse;
		if (tool) open.set(event.contentBlockStart.contentBlockIndex, { name: tool.name, json: "" });
		const { contentBlockIndex, delta } = event.contentBlockDelta ?? {};
		if (delta?.toolUse) open.get(contentBlockIndex).json += delta.toolUse.input;
		said.text += delta?.text ?? "";
		said.thinking += delta?.reasoningContent?.text ?? (delta?.reasoningContent?.redactedContent ? REDACTED : "");
	}
	said.calls = [...open.values()].map(({ name, json }) => call(name, json));
	return said;
}

export const CLIENTS = {
	anthropic,
	completions,
	responses: responsesOf((format, baseURL) => new OpenAI({ apiKey: format.key, baseURL, maxRetries: 0 })),
	codex: responsesOf((format, baseURL) => new OpenAI({ apiKey: format.key, baseURL: `${baseURL}/codex`, maxRetries: 0 })),
	azure: responsesOf((format, baseURL) => new AzureOpenAI({ apiKey: format.key, apiVersion: "v1", baseURL, maxRetries: 0 })),
	google: googleOf({}),
	vertex: googleOf({ vertexai: true }),
	mistral,
	bedrock,
};

/** The status of an SDK's error. */
export const statusOf = (error) => error.status ?? error.statusCode ?? error.$metadata?.httpStatusCode;
