// Long answers in each wire format: what comes before the text, one piece of it, what comes after. Keys are the folders of
// `../../conformance/wire/fixtures`.

import { frames } from "../../conformance/wire/eventstream.mjs";

const event = (type, fields) => Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
const data = (value) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);

const anthropic = {
	head: () => [
		event("message_start", { message: { id: "msg", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 10, output_tokens: 1 } } }),
		event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
	],
	piece: (text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
	tail: () => [
		event("content_block_stop", { index: 0 }),
		event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 9 } }),
		event("message_stop", {}),
	],
};

const CHUNK = { id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG", object: "chat.completion.chunk", created: 1741569952, model: "m" };
const choice = (delta, finish_reason = null) => ({ ...CHUNK, choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null });

const completions = {
	head: () => [data(choice({ role: "assistant", content: "" }))],
	piece: (content) => data(choice({ content })),
	tail: () => [
		data(choice({}, "stop")),
		data({ ...CHUNK, choices: [], usage: { prompt_tokens: 10, completion_tokens: 9, total_tokens: 19 } }),
		Buffer.from("data: [DONE]\n\n"),
	],
};

const ITEM = { id: "msg_67ccd2bf17f0819081ff3bb2cf6508e60bb6a6b452d3795b", type: "message", role: "assistant" };
const PLACE = { item_id: ITEM.id, output_index: 0, content_index: 0 };

const responses = {
	head: () => [
		event("response.created", { sequence_number: 0, response: { id: "resp_1", object: "response", status: "in_progress", output: [] } }),
		event("response.output_item.added", { sequence_number: 1, output_index: 0, item: { ...ITEM, status: "in_progress", content: [] } }),
		event("response.content_part.added", { sequence_number: 2, ...PLACE, part: { type: "output_text", text: "", annotations: [] } }),
	],
	piece: (delta, number) => event("response.output_text.delta", { sequence_number: number + 3, ...PLACE, delta, logprobs: [], obfuscation: "q8fR2x" }),
	tail(text, number) {
		const item = { ...ITEM, status: "completed", content: [{ type: "output_text", text, annotations: [] }] };
		const usage = { input_tokens: 10, output_tokens: 9, total_tokens: 19 };
		return [
			event("response.output_text.done", { sequence_number: number + 3, ...PLACE, text }),
			event("response.content_part.done", { sequence_number: number + 4, ...PLACE, part: item.content[0] }),
			event("response.output_item.done", { sequence_number: number + 5, output_index: 0, item }),
			event("response.completed", { sequence_number: number + 6, response: { id: "resp_1", object: "response", status: "completed", output: [item], usage } }),
		];
	},
};

const candidate = (text, more = {}) => data({
	candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...more }],
	usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 9, totalTokenCount: 19 },
	modelVersion: "m",
	responseId: "Yc2qaP6mGfWG1PIPv4bFiQc",
});

const google = { head: () => [], piece: (text) => candidate(text), tail: () => [candidate("", { finishReason: "STOP" })] };

const mistral = {
	...completions,
	tail: () => [data({ ...choice({ content: "" }, "stop"), usage: { prompt_tokens: 10, completion_tokens: 9, total_tokens: 19 } }), Buffer.from("data: [DONE]\n\n")],
};

const bedrock = {
	head: () => [frames([{ messageStart: { role: "assistant", p: "abcd" } }])],
	piece: (text) => frames([{ contentBlockDelta: { contentBlockIndex: 0, delta: { text }, p: "abcdefgh" } }]),
	tail: () => [
		frames([
			{ contentBlockStop: { contentBlockIndex: 0, p: "ab" } },
			{ messageStop: { stopReason: "end_turn", p: "ab" } },
			{ metadata: { usage: { inputTokens: 10, outputTokens: 9, totalTokens: 19 }, metrics: { latencyMs: 1 }, p: "ab" } },
		]),
	],
};

const STREAMS = {
	"anthropic-messages": anthropic,
	"openai-completions": completions,
	"openai-responses": responses,
	"google-generative-ai": google,
	"mistral-conversations": mistral,
	"bedrock-converse-stream": bedrock,
};

/** A piece of text of about one token. Its number can be read from it. */
export const pieceOfText = (number) => `w${number} `;

/** An answer of so many pieces: the bytes before them, those of each, and those after them. */
export function answer(format, pieces) {
	const { head, piece, tail } = STREAMS[format.fixtures];
	const texts = Array.from({ length: pieces }, (_, number) => pieceOfText(number));
	return { head: Buffer.concat(head()), pieces: texts.map(piece), tail: Buffer.concat(tail(texts.join(""), pieces)) };
}

/** The content type of a format's streams. */
export const typeOf = (format) => (format.framing === "eventstream" ? "application/vnd.amazon.eventstream" : "text/event-stream");
