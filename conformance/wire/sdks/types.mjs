// How a recorded body is written as TypeScript, for the types that the vendors' SDKs publish.

const plain = (imports, type) => ({ imports, type, literal: ({ body }) => JSON.stringify(body) });

const responses = plain(`import type { Responses } from "openai/resources/responses/responses";`, "Responses.ResponseCreateParamsStreaming");

/** Google's SDK takes `config`, of which it makes what is on the wire. */
const google = {
	imports: `import type { GenerateContentParameters } from "@google/genai";
// An enum of strings is told on the wire by its strings.
type Wire<T> = T extends string ? \`\${T}\` : T extends (infer U)[] ? Wire<U>[] : T extends object ? { [K in keyof T]: Wire<T[K]> } : T;`,
	type: "Wire<GenerateContentParameters>",
	literal({ body: { contents, generationConfig, ...config } }, format) {
		return JSON.stringify({ model: format.model.id, contents, config: { ...config, ...generationConfig } });
	},
};

export const TYPES = {
	anthropic: {
		imports: `import type { BetaMessageStreamParams } from "@anthropic-ai/sdk/resources/beta/messages";`,
		type: "BetaMessageStreamParams & { stream: true }",
		literal: ({ body }) => JSON.stringify(body),
	},
	completions: plain(`import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";`, "ChatCompletionCreateParamsStreaming"),
	responses,
	codex: responses,
	azure: responses,
	google,
	vertex: google,
	mistral: plain(
		`import type { ChatCompletionStreamRequest$Outbound } from "@mistralai/mistralai/models/components/chatcompletionstreamrequest.js";`,
		"ChatCompletionStreamRequest$Outbound",
	),
	bedrock: {
		imports: `import type { ConverseStreamCommandInput } from "@aws-sdk/client-bedrock-runtime";
declare function base64(text: string): Uint8Array;`,
		type: "ConverseStreamCommandInput",
		// On the wire bytes are base64.
		literal: ({ body }, format) =>
			JSON.stringify({ modelId: format.model.id, ...body }).replace(/"(bytes|redactedContent)":("[^"]*")/g, '"$1":base64($2)'),
	},
};
